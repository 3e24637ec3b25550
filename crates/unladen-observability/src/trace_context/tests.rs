use proptest::prelude::*;

use super::*;

const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01";

fn sampled(header: &str) -> Option<bool> {
    parse(header.as_bytes()).map(|parent| parent.sampled)
}

#[test]
fn one_like_the_specifications_example() {
    let parent = parse(VALID.as_bytes()).unwrap();
    assert_eq!(u128::from_be_bytes(parent.trace_id), 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
    assert_eq!(u64::from_be_bytes(parent.span_id), 0x00f0_67aa_0b49_02c7);
    assert!(parent.sampled);
}

#[test]
fn what_is_valid() {
    for (header, expected) in [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-00", false),
        // Flags that level 1 does not know are none of ours.
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-02", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-ff", true),
        // Higher versions: as long as 00, or with a dash and whatever after it.
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01-what-the-future-brings", true),
        ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-00-", false),
    ] {
        assert_eq!(sampled(header), Some(expected), "{header}");
    }
}

#[test]
fn what_is_ignored() {
    for header in [
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-0",
        // Version 00 has no more parts, nor blanks around it.
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01 ",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01.more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01",
        "00-00000000000000000000000000000000-00f067aa0b4902c7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0b4902c7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0B4902C7-01",
        "0A-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0b4902c7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-0g",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0b4902c7-\u{e9}",
        "00-4bf92f3577b34da6a3ce929d0e0e4736,00f067aa0b4902c7-01",
    ] {
        assert_eq!(sampled(header), None, "{header}");
    }
}

#[test]
fn the_clients_decision_holds_whatever_the_share() {
    for share in [0.0, 1.0] {
        let trace = incoming(Some(VALID.as_bytes()), share);
        assert!(trace.sampled);
        assert_eq!(trace.parent_id, Some(0x00f0_67aa_0b49_02c7_u64.to_be_bytes()));
        assert!(!incoming(Some(VALID.replace("-01", "-00").as_bytes()), share).sampled);
    }
}

#[test]
fn a_new_trace_where_there_is_none_or_nonsense() {
    for header in [None, Some(&b"nonsense"[..])] {
        let (one, other) = (incoming(header, 1.0), incoming(header, 0.0));
        assert_ne!((one.trace_id, one.span_id), (other.trace_id, other.span_id));
        assert_eq!((one.parent_id, other.parent_id), (None, None));
        assert!(one.sampled && !other.sampled);
    }
}

#[test]
fn the_share_of_new_traces_that_is_sampled() {
    const TRACES: usize = 100_000;
    let sampled = (0..TRACES).filter(|_| incoming(None, 0.1).sampled).count();
    // Six standard deviations: one run in 500 million is beyond.
    let deviation = (TRACES as f64 * 0.1 * 0.9).sqrt();
    assert!((sampled as f64 - TRACES as f64 * 0.1).abs() < 6.0 * deviation, "{sampled}");
    assert!(!is_sampled(u128::MAX, 0.0) && is_sampled(0, 1.0) && is_sampled(u128::MAX, 1e-9) && !is_sampled(0, 0.999));
    assert!(!is_sampled(u128::MAX, f64::NAN) && !is_sampled(u128::MAX, -1.0) && is_sampled(0, 7.0));
}

proptest! {
    #[test]
    fn what_is_written_is_read(trace_id in 1_u128.., span_id in 1_u64.., sampled: bool) {
        let trace = Trace { trace_id: trace_id.to_be_bytes(), parent_id: None, span_id: span_id.to_be_bytes(), sampled };
        let mut header = Vec::new();
        write(&trace, &mut header);
        prop_assert_eq!(header.len(), LENGTH);
        prop_assert_eq!(parse(&header), Some(Parent { trace_id: trace.trace_id, span_id: trace.span_id, sampled }));
    }

    #[test]
    fn whatever_comes_is_read_or_not_and_what_is_made_of_it_is_valid(header: Vec<u8>, sample: f64) {
        let mut sent = Vec::new();
        write(&incoming(Some(&header), sample), &mut sent);
        prop_assert!(parse(&sent).is_some());
    }

    /// By the grammar of the specification, told once more in another way.
    #[test]
    fn nearly_valid_ones(header in "(00|[0-9a-f]{2})-([0-9a-f]{32}|[0-9a-fA]{31,33})-([0-9a-f]{16}|[0-9a-fA]{15,17}|0{16})-[0-9a-f]{2}(-.{0,3})?") {
        let parts: Vec<&str> = header.splitn(5, '-').collect();
        let lower = |part: &str, length| part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let valid = parts[0] != "ff"
            && lower(parts[1], 32) && parts[1].bytes().any(|b| b != b'0')
            && lower(parts[2], 16) && parts[2].bytes().any(|b| b != b'0')
            && (parts[0] != "00" || parts.len() == 4);
        prop_assert_eq!(parse(header.as_bytes()).is_some(), valid);
    }

    #[test]
    fn one_changed_byte_is_no_panic(at in 0..LENGTH, byte: u8) {
        let mut header = VALID.as_bytes().to_vec();
        header[at] = byte;
        if let Some(parent) = parse(&header) {
            prop_assert!(parent.trace_id != [0; 16] && parent.span_id != [0; 8]);
        }
    }
}
