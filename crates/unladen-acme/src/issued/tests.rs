use rcgen::{CertificateParams, KeyPair, date_time_ymd};

use super::*;

/// Valid from 2026 to 2030.
fn pem(names: &[&str]) -> (String, String) {
    let mut params = CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
    params.not_before = date_time_ymd(2026, 1, 1);
    params.not_after = date_time_ymd(2030, 1, 1);
    let key = KeyPair::generate().unwrap();
    (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

const IN_2026: u64 = 1_790_000_000;

#[test]
fn a_pair_is_read_in_either_order() {
    let (chain, key) = pem(&["example.org", "*.example.org"]);
    let first = Issued::parse(format!("{key}{chain}").as_bytes()).unwrap();
    assert_eq!(first, Issued::parse(format!("{chain}{key}").as_bytes()).unwrap());
    assert_eq!(first.names, ["example.org", "*.example.org"]);
    assert!(first.is_for("www.example.org") && !first.is_for("a.b.example.org") && !first.is_for("example.com"));
    assert_eq!(first.prove(&["example.org".into()], IN_2026), Ok(()));
}

#[test]
fn a_name_that_nobody_can_ask_for_is_none() {
    let (chain, key) = pem(&["example.org", "a\n\u{1b}[2Jb", "*.xn--bcher-kva.example"]);
    let issued = Issued::parse(format!("{key}{chain}").as_bytes()).unwrap();
    assert_eq!(issued.names, ["example.org", "*.xn--bcher-kva.example"]);
}

#[test]
fn what_clients_would_refuse_is_not_shown_to_them() {
    let (chain, key) = pem(&["example.org"]);
    let issued = Issued::parse(format!("{key}{chain}").as_bytes()).unwrap();
    assert_eq!(issued.prove(&["example.org".into(), "b.org".into()], IN_2026), Err(IssuedError::Name("b.org".into())));
    assert_eq!(issued.prove(&[], 1_893_456_000), Err(IssuedError::Expired));
}

#[test]
fn a_certificate_that_was_issued_while_the_clock_is_slow_is_not_thrown_away() {
    let (chain, key) = pem(&["example.org"]);
    let issued = Issued::parse(format!("{key}{chain}").as_bytes()).unwrap();
    let not_before = issued.lifetime.not_before;
    for (slow, is_told) in [(0, false), (60, false), (66 * 60, true), (400 * 24 * 3600, true)] {
        assert_eq!(issued.prove(&["example.org".into()], not_before - slow), Ok(()), "{slow}");
        assert_eq!(issued.is_ahead(not_before - slow), is_told, "{slow}");
    }
}

#[test]
fn another_key_is_refused() {
    let ((chain, _), (_, key)) = (pem(&["a.org"]), pem(&["a.org"]));
    assert!(matches!(Issued::parse(format!("{chain}{key}").as_bytes()), Err(IssuedError::Key(_))));
}

#[test]
fn a_torn_file_is_refused_wherever_it_was_torn() {
    let (chain, key) = pem(&["a.org"]);
    let whole = format!("{key}{chain}");
    // What follows the last hyphens of `END CERTIFICATE` is a line's end.
    for end in 0..whole.trim_end().len() {
        assert!(Issued::parse(&whole.as_bytes()[..end]).is_err(), "{end} of {}", whole.len());
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
        let _ = Issued::parse(&bytes);
    }

    #[test]
    fn a_changed_byte_is_an_error_or_a_certificate(at in 0_usize..900, byte in proptest::prelude::any::<u8>()) {
        static WHOLE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        let whole = WHOLE.get_or_init(|| { let (chain, key) = pem(&["a.org"]); format!("{key}{chain}") });
        let mut bytes = whole.clone().into_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = Issued::parse(&bytes);
    }
}
