use proptest::prelude::*;

use super::{MAX_WAITING, *};
use crate::wire::mysql::recognise::{LARGE, PROTOCOL_41};
use crate::wire::tests::replay::turns;

fn shown(statement: Statement<'_>) -> String {
    let text = String::from_utf8_lossy(statement.text).into_owned();
    let how = match (statement.parse_only, statement.prepared) {
        (true, _) => " (parsed)",
        (_, true) => " (prepared)",
        _ => "",
    };
    text + how + if statement.truncated { " (cut)" } else { "" }
}

fn replay(client: &mut MysqlClient, recording: &str) -> Vec<String> {
    let mut seen = Vec::new();
    for turn in turns(recording) {
        if turn.sent {
            client.sent(&turn.bytes, turn.total, |statement| seen.push(shown(statement)));
        } else if let Some(rows) = client.received(&turn.bytes) {
            seen.push(rows.to_string());
        }
    }
    assert!(!client.is_tls() && client.state != State::Compressed);
    seen
}

fn packet(sequence: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    [&length[..3], &[sequence], body].concat()
}

fn statements(client: &mut MysqlClient, payload: &[u8], total: usize) -> Vec<String> {
    let mut seen = Vec::new();
    client.sent(payload, total, |statement| seen.push(shown(statement)));
    seen
}

fn handshake(capabilities: u32) -> Vec<u8> {
    let body = [&capabilities.to_le_bytes()[..], &[0, 0, 0, 1, 45], &[0; 23], b"root\0\0"].concat();
    packet(1, &body)
}

/// A client whose connection has begun.
fn greeted(capabilities: u32) -> MysqlClient {
    let mut client = MysqlClient::new();
    let hello = handshake(PROTOCOL_41 | capabilities);
    assert!(looks_like_mysql(&hello));
    assert!(statements(&mut client, &hello, hello.len()).is_empty());
    client
}

fn query(text: &str) -> Vec<u8> {
    packet(0, &[b"\x03", text.as_bytes()].concat())
}

#[test]
fn perl_prepares_on_the_server() {
    let (insert, select) = ("INSERT INTO test_t (a, b) VALUES (?, ?)", "SELECT a, b FROM test_t WHERE a = ?");
    let create = "CREATE TEMPORARY TABLE test_t (a int, b text)";
    let update = "UPDATE test_t SET b = 'x'";
    let expected = [
        format!("{create} (parsed)"),
        format!("{create} (prepared)"),
        "0".into(),
        format!("{insert} (parsed)"),
        format!("{insert} (prepared)"),
        "1".into(),
        format!("{insert} (prepared)"),
        "1".into(),
        format!("{select} (parsed)"),
        format!("{select} (prepared)"),
        format!("{select} (prepared)"),
        format!("{select} (prepared)"),
        format!("{update} (parsed)"),
        format!("{update} (prepared)"),
        "2".into(),
    ];
    assert_eq!(replay(&mut MysqlClient::new(), include_str!("dbd.txt")), expected);
}

#[test]
fn php_on_a_thread_that_served_another() {
    // The first prepared statement has the id 5, in an answer too long to be seen.
    let select = "SELECT a, b FROM test_t WHERE a = ?";
    let expected = [
        "CREATE TEMPORARY TABLE test_t (a int, b text)",
        "0",
        "INSERT INTO test_t VALUES (1,'one'),(2,'two')",
        "2",
        "SELECT * FROM test_t",
        &format!("{select} (parsed)"),
        &format!("{select} (prepared)"),
        &format!("{select} (prepared)"),
        &format!("{select} (prepared)"),
        "SELECT b FROM test_t WHERE b = ? (parsed)",
        "SELECT b FROM test_t WHERE b = ? (prepared)",
    ];
    assert_eq!(replay(&mut MysqlClient::new(), include_str!("mysqli.txt")), expected);
}

#[test]
fn two_prepared_before_the_first_is_executed_are_told_apart_by_a_later_id() {
    let mut client = greeted(0);
    for text in ["SELECT 1", "SELECT 2"] {
        let prepare = packet(0, &[b"\x16", text.as_bytes()].concat());
        statements(&mut client, &prepare, prepare.len());
        client.received(&[b'x'; MAX_TAIL]);
    }
    let execute = |id: u32| packet(0, &[&[0x17][..], &id.to_le_bytes(), &[0, 1, 0, 0, 0]].concat());
    assert_eq!(statements(&mut client, &execute(8), 14), ["SELECT 2 (prepared)"]);
    assert_eq!(statements(&mut client, &execute(7), 14), ["SELECT 1 (prepared)"]);
    assert_eq!(statements(&mut client, &execute(6), 14), ["EXECUTE statement 6 (prepared) (cut)"]);
    // MariaDB: the last one.
    assert_eq!(statements(&mut client, &execute(u32::MAX), 14), ["SELECT 2 (prepared)"]);
    let close = packet(0, &[&[0x19][..], &8_u32.to_le_bytes()].concat());
    let both = [close, query("SELECT 3")].concat();
    assert_eq!(statements(&mut client, &both, both.len()), ["SELECT 3"]);
    assert_eq!(statements(&mut client, &execute(8), 14), ["EXECUTE statement 8 (prepared) (cut)"]);
}

#[test]
fn values_are_part_of_the_identity() {
    let mut client = greeted(0);
    let prepare = packet(0, b"\x16SELECT ?");
    statements(&mut client, &prepare, prepare.len());
    client.received(&packet(1, &[0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    let mut run = |value: u8| {
        let sent = packet(0, &[0x17, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, value]);
        let mut identity = 0;
        client.sent(&sent, sent.len(), |statement| {
            assert_eq!(statement.text, b"SELECT ?");
            identity = statement.identity;
        });
        identity
    };
    let (one, two, again) = (run(1), run(2), run(1));
    assert!(one == again && one != two);
}

#[test]
fn attributes_before_the_text() {
    let plain = packet(0, b"\x03\x00\x01SELECT 1");
    // Two attributes: a text, and a NULL.
    let two = b"\x03\x02\x01\x02\x01\xfe\0\x01a\xfe\0\x01b\x05valueSELECT 2";
    let two = packet(0, two);
    let mut client = greeted(ATTRIBUTES);
    assert_eq!(statements(&mut client, &plain, plain.len()), ["SELECT 1"]);
    assert_eq!(statements(&mut client, &two, two.len()), ["SELECT 2"]);
    // The greeting was not seen.
    assert!(looks_like_mysql(&plain));
    assert_eq!(statements(&mut MysqlClient::new(), &plain, plain.len()), ["SELECT 1"]);
}

#[test]
fn tls_and_compression_end_it() {
    let request = packet(1, &[&(PROTOCOL_41 | SSL).to_le_bytes()[..], &[0, 0, 0, 1, 45], &[0; 23]].concat());
    let mut client = MysqlClient::new();
    assert!(looks_like_mysql(&request));
    statements(&mut client, &request, request.len());
    assert!(client.is_tls());
    assert!(statements(&mut client, &query("SELECT 1"), 13).is_empty());
    assert_eq!(greeted(COMPRESS).state, State::Compressed);
}

#[test]
fn large_packets_go_on_in_the_next() {
    // In one send, of which a tracer keeps the beginning.
    let head = [&[0xff, 0xff, 0xff, 0][..], b"\x03INSERT INTO t VALUES ('", &[b'x'; 4000]].concat();
    let total = (LARGE as usize + 4) + (1000 + 4);
    let mut client = greeted(0);
    let seen = statements(&mut client, &head, total);
    assert!(seen.len() == 1 && seen[0].starts_with("INSERT INTO t") && seen[0].ends_with("(cut)"));
    assert_eq!(statements(&mut client, &query("SELECT 1"), 13), ["SELECT 1"]);
    // In two.
    assert!(statements(&mut client, &head, LARGE as usize + 4).is_empty());
    let rest = packet(1, b"x')");
    assert_eq!(statements(&mut client, &rest, rest.len()).len(), 1);
    assert_eq!(statements(&mut client, &query("SELECT 1"), 13), ["SELECT 1"]);
}

#[test]
fn packets_may_end_in_another_send() {
    let whole = query("SELECT 'a long one'");
    for cut in 1..whole.len() {
        let mut client = greeted(0);
        let (first, second) = whole.split_at(cut);
        let mut seen = statements(&mut client, first, first.len());
        seen.extend(statements(&mut client, second, second.len()));
        assert_eq!(seen, ["SELECT 'a long one'"], "{cut}");
    }
}

#[test]
fn a_file_that_the_server_asked_for_is_no_command() {
    let mut client = greeted(0);
    for part in [packet(2, b"\x03DROP TABLE t"), packet(3, b"")] {
        assert!(statements(&mut client, &part, part.len()).is_empty());
    }
    assert_eq!(statements(&mut client, &query("SELECT 1"), 13), ["SELECT 1"]);
}

#[test]
fn nonsense_is_got_over_at_the_next_send() {
    let mut client = greeted(0);
    assert!(statements(&mut client, b"what is this, if not a packet", 5000).is_empty());
    assert_eq!(client.state, State::Lost);
    assert_eq!(statements(&mut client, &query("SELECT 1"), 13), ["SELECT 1"]);
}

#[test]
fn what_looks_like_it() {
    for yes in
        [query("SELECT 1"), packet(0, b"\x0e"), packet(0, b"\x01"), query(&"SELECT 1, ".repeat(100))[..200].to_vec()]
    {
        assert!(looks_like_mysql(&yes), "{yes:?}");
    }
    for no in [
        &b""[..],
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x01\0\0\0",
        b"\x05\0\0\0\x03ab",
        b"\x05\0\0\x01\x03abcd",
        b"Q\0\0\0\x0dSELECT 1\0",
    ] {
        assert!(!looks_like_mysql(no), "{no:?}");
    }
}

proptest! {
    #[test]
    fn nothing_panics(sends in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..80), 0..200_usize, any::<bool>()), 0..12)) {
        let mut client = MysqlClient::new();
        for (payload, hole, back) in sends {
            if back {
                client.received(&payload);
            } else {
                client.sent(&payload, payload.len() + hole, |_| {});
            }
        }
    }

    /// The heads of packets are right, all else is not.
    #[test]
    fn commands_of_nonsense(parts in prop::collection::vec(
        (0..0x20_u8, prop::collection::vec(0..4_u8, 0..20), 0..2_u8, 0..30_usize, any::<bool>()), 0..20)
    ) {
        let mut client = greeted(ATTRIBUTES);
        for (kind, body, sequence, hole, back) in parts {
            let sent = packet(sequence, &[&[kind][..], &body].concat());
            if back {
                client.received(&packet(1, &body));
            } else {
                client.sent(&sent, sent.len() + if hole > 20 { hole } else { 0 }, |_| {});
            }
        }
        prop_assert!(client.statements.waiting.len() <= MAX_WAITING);
    }
}
