use proptest::prelude::*;

use super::*;
use crate::wire::reader::MAX_KEPT;
use crate::wire::tests::replay::turns;

/// What was sent and what came back: statements as `text`, `text (prepared)`, `text (parsed)`, rows as numbers.
fn replay(recording: &str) -> Vec<String> {
    let mut client = PostgresClient::new();
    let mut seen = Vec::new();
    for turn in turns(recording) {
        if turn.sent {
            client.sent(&turn.bytes, turn.total, |statement| seen.push(shown(statement)));
        } else if let Some(rows) = client.received(&turn.bytes) {
            seen.push(rows.to_string());
        }
    }
    assert!(!client.is_tls());
    seen
}

fn shown(statement: Statement<'_>) -> String {
    let text = String::from_utf8_lossy(statement.text).into_owned();
    let how = match (statement.parse_only, statement.prepared) {
        (true, _) => " (parsed)",
        (_, true) => " (prepared)",
        _ => "",
    };
    text + how + if statement.truncated { " (cut)" } else { "" }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
    [&[tag][..], &length, body].concat()
}

fn statements(client: &mut PostgresClient, payload: &[u8], total: usize) -> Vec<(String, u64)> {
    let mut seen = Vec::new();
    client.sent(payload, total, |statement| seen.push((shown(statement), statement.identity)));
    seen
}

fn texts(client: &mut PostgresClient, payload: &[u8], total: usize) -> Vec<String> {
    statements(client, payload, total).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn psql() {
    // Two commands in one message; only the last rows are in the last bytes.
    let expected = ["SELECT 1; SELECT 2", "1", "SELECT generate_series(1,5)", "5"];
    assert_eq!(replay(include_str!("psql.txt")), expected);
}

#[test]
fn perl_executes_at_first_without_a_name() {
    let (insert, select) = ("INSERT INTO t (a, b) VALUES ($1, $2)", "SELECT a, b FROM t WHERE a = $1");
    let expected = [
        "CREATE TEMP TABLE t (a int, b text)".to_owned(),
        "0".into(),
        format!("{insert} (prepared)"),
        "1".into(),
        format!("{insert} (parsed)"),
        format!("{insert} (prepared)"),
        "1".into(),
        format!("{select} (prepared)"),
        "1".into(),
        format!("{select} (parsed)"),
        format!("{select} (prepared)"),
        "1".into(),
        format!("{select} (prepared)"),
        "1".into(),
        "SELECT 1; SELECT 2".into(),
        "1".into(),
    ];
    assert_eq!(replay(include_str!("dbd.txt")), expected);
}

#[test]
fn php_prepares_then_executes() {
    // Two connections, one after the other: the second begins where the first says nothing any more.
    let recording = include_str!("pdo.txt");
    let second = recording.rfind("> 8 ").unwrap();
    let insert = "INSERT INTO t (a, b) VALUES ($1, $2)";
    let expected = [
        "CREATE TEMP TABLE t (a int, b text)",
        "0",
        &format!("{insert} (parsed)"),
        &format!("{insert} (prepared)"),
        "1",
        &format!("{insert} (prepared)"),
        "1",
        "SELECT * FROM t (parsed)",
        "SELECT * FROM t (prepared)",
        "2",
        "DEALLOCATE pdo_stmt_00000002",
        "0",
        "DEALLOCATE pdo_stmt_00000001",
        "0",
    ];
    assert_eq!(replay(&recording[..second]), expected);
    assert_eq!(replay(&recording[second..]), ["SELECT $1::int + 1 (prepared)", "1"]);
}

#[test]
fn values_are_part_of_the_identity() {
    let mut client = PostgresClient::new();
    let prepare = [message(b'P', b"s\0SELECT $1\0\0\0"), message(b'S', b"")].concat();
    assert_eq!(texts(&mut client, &prepare, prepare.len()), ["SELECT $1 (parsed)"]);
    let mut run = |value: &[u8]| {
        let mut bind = b"\0s\0\0\0\0\x01\0\0\0".to_vec();
        bind.push(u8::try_from(value.len()).unwrap());
        bind.extend([value, b"\0\0"].concat());
        let sent = [message(b'B', &bind), message(b'E', b"\0\0\0\0\0"), message(b'S', b"")].concat();
        let (text, identity) = statements(&mut client, &sent, sent.len()).remove(0);
        assert_eq!(text, "SELECT $1 (prepared)");
        identity
    };
    let (one, two, again) = (run(b"1"), run(b"2"), run(b"1"));
    assert!(one == again && one != two);
}

#[test]
fn more_rows_of_a_portal_are_no_further_execution() {
    let mut client = PostgresClient::new();
    let first =
        [message(b'P', b"\0SELECT 1\0\0\0"), message(b'B', b"c\0\0\0\0\0\0\0\0"), message(b'E', b"c\0\0\0\0\x05")]
            .concat();
    let more = [message(b'E', b"c\0\0\0\0\x05"), message(b'S', b"")].concat();
    assert_eq!(texts(&mut client, &first, first.len()), ["SELECT 1 (prepared)"]);
    assert_eq!(texts(&mut client, &more, more.len()), [""; 0]);
}

#[test]
fn a_statement_prepared_before_anything_was_seen_has_its_name() {
    let mut client = PostgresClient::new();
    let sent = [message(b'B', b"\0old_one\0\0\0\0\0\0\0"), message(b'E', b"\0\0\0\0\0"), message(b'S', b"")].concat();
    assert!(looks_like_postgres(&sent));
    assert_eq!(texts(&mut client, &sent, sent.len()), ["EXECUTE \"old_one\" (prepared) (cut)"]);
}

#[test]
fn messages_may_end_in_another_send() {
    let whole = [message(b'Q', b"SELECT 'a long one'\0"), message(b'Q', b"SELECT 2\0")].concat();
    for cut in 6..whole.len() - 1 {
        let mut client = PostgresClient::new();
        let (first, second) = whole.split_at(cut);
        let mut seen = texts(&mut client, first, first.len());
        seen.extend(texts(&mut client, second, second.len()));
        assert_eq!(seen, ["SELECT 'a long one'", "SELECT 2"], "{cut}");
    }
}

#[test]
fn what_was_cut_is_skipped_by_its_length() {
    let mut client = PostgresClient::new();
    let long = message(b'Q', &[&[b'x'; 9000][..], b"\0"].concat());
    assert_eq!(texts(&mut client, &long[..4096], long.len()), ["x".repeat(4091) + " (cut)"]);
    assert_eq!(texts(&mut client, &message(b'Q', b"SELECT 2\0"), 14), ["SELECT 2"]);
}

#[test]
fn a_hole_over_the_beginning_of_a_message_is_got_over_at_the_next_send() {
    let mut client = PostgresClient::new();
    let two = [message(b'Q', &[&[b'x'; 5000][..], b"\0"].concat()), message(b'Q', b"SELECT 2\0")].concat();
    assert_eq!(texts(&mut client, &two[..4096], two.len()).len(), 1);
    assert_eq!(client.state, State::Lost);
    assert_eq!(texts(&mut client, b"the rest of something", 21), [""; 0]);
    let next = message(b'Q', b"SELECT 3\0");
    assert_eq!(texts(&mut client, &next, next.len()), ["SELECT 3"]);
}

#[test]
fn encryption_that_was_agreed_upon() {
    let ask = [8_u32.to_be_bytes(), SSL.to_be_bytes()].concat();
    let hello = [&[22, 3, 1, 2, 0][..], &[1; 20]].concat();
    let mut answered = PostgresClient::new();
    assert!(texts(&mut answered, &ask, 8).is_empty() && !answered.is_tls());
    answered.received(b"S");
    assert!(answered.is_tls());
    let mut unanswered = PostgresClient::new();
    texts(&mut unanswered, &ask, 8);
    assert!(texts(&mut unanswered, &hello, 517).is_empty() && unanswered.is_tls());
}

#[test]
fn what_looks_like_it() {
    for yes in [
        message(b'Q', b"SELECT 1\0"),
        message(b'X', b""),
        message(b'S', b""),
        message(b'Q', &[b'x'; 50])[..20].to_vec(),
    ] {
        assert!(looks_like_postgres(&yes), "{yes:?}");
    }
    for no in [
        &b""[..],
        b"GET / HTTP/1.1\r\n\r\n",
        b"Quit",
        b"Q\0\0\0\x04extra",
        b"Sxxxx",
        b"\0\0\0\x08\0\0\0\0",
        b"Q\0\0\0\0\0",
    ] {
        assert!(!looks_like_postgres(no), "{no:?}");
    }
}

#[test]
fn memory_is_bounded() {
    let mut client = PostgresClient::new();
    for number in 0..5000 {
        let name = format!("s{number}");
        let parse = message(b'P', &[name.as_bytes(), b"\0", &[b'x'; 1000], b"\0\0\0"].concat());
        let bind = message(b'B', format!("p{number}\0{name}\0\0\0\0\0\0\0").as_bytes());
        let sent = [parse, bind].concat();
        client.sent(&sent, sent.len(), |_| {});
    }
    assert!(client.portals.len() <= MAX_PORTALS);
    let endless = [&b"Q"[..], &(MAX_MESSAGE - 1).to_be_bytes(), &[b'x'; 4000]].concat();
    client.sent(&endless, endless.len(), |_| {});
    for _ in 0..100 {
        client.sent(&[b'x'; 4000], 4000, |_| {});
    }
    assert!(client.message.is_some_and(|message| message.kept.bytes.len() <= MAX_KEPT));
}

/// Rows were not known where the end of an answer came in two receives.
#[test]
fn rows_of_an_answer_that_was_received_in_two_parts_were_not_counted() {
    let row = message(b'D', &[&[0, 1, 0, 0, 0, 90][..], &[b'x'; 90]].concat());
    let answer = [row, message(b'C', b"SELECT 264\0"), message(b'Z', b"I")].concat();
    let end = |bytes: &[u8]| bytes[bytes.len().saturating_sub(MAX_TAIL)..].to_vec();
    for cut in 1..answer.len() {
        let mut client = PostgresClient::new();
        let (first, second) = answer.split_at(cut);
        let told: Vec<u64> = [first, second].iter().filter_map(|part| client.received(&end(part))).collect();
        assert_eq!(told, [264], "{cut}");
    }
}

proptest! {
    #[test]
    fn nothing_panics(sends in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..80), 0..200_usize, any::<bool>()), 0..12)) {
        let mut client = PostgresClient::new();
        for (payload, hole, back) in sends {
            if back {
                client.received(&payload);
            } else {
                client.sent(&payload, payload.len() + hole, |_| {});
            }
        }
    }

    /// The beginnings of messages are right, all else is not.
    #[test]
    fn messages_of_nonsense(parts in prop::collection::vec(
        (prop::sample::select(b"QPBDECSHFXdcfp".to_vec()), "[a\\x00\\x01SP]{0,20}", 0..3_u32, 0..30_usize), 0..20)
    ) {
        let mut client = PostgresClient::new();
        for (tag, body, wrong, hole) in parts {
            let mut sent = message(tag, body.as_bytes());
            sent[4] = sent[4].wrapping_add(u8::try_from(wrong).unwrap());
            client.sent(&sent, sent.len() + if hole > 20 { hole } else { 0 }, |_| {});
        }
    }
}
