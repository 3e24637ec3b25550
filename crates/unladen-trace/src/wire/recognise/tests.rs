use proptest::prelude::*;

use super::*;
use crate::wire::tests::replay::turns;

fn at(port: u16) -> Peer {
    Peer::Ip(([10, 0, 0, 5], port).into())
}

fn unix(path: &str) -> Peer {
    Peer::Unix(path.into())
}

#[test]
fn by_what_is_sent() {
    let fastcgi = b"\x01\x01\0\x01\0\x08\0\0\0\x01\x01\0\0\0\0\0\x01\x04\0\x01";
    let hello = [&[22, 3, 1, 2, 0, 1, 0][..], &[1; 60]].concat();
    let table: [(&[u8], Protocol); 16] = [
        (b"", Protocol::Silent),
        (b"GET /x?y HTTP/1.1\r\nHost: a\r\n\r\n", Protocol::Http),
        (b"POST http://a/ HTTP/1.0\r\n\r\n", Protocol::Http),
        (&hello, Protocol::Tls),
        (fastcgi, Protocol::FastCgi),
        (b"*2\r\n$3\r\nGET\r\n$1\r\na\r\n", Protocol::Redis),
        (b"get wiki:key\r\n", Protocol::Memcached),
        (b"mg key v\r\n", Protocol::Memcached),
        (b"set k 0 0 5\r\nvalue\r\n", Protocol::Memcached),
        (b"Q\0\0\0\x0dSELECT 1\0", Protocol::Postgres),
        (b"\0\0\0\x08\x04\xd2\x16\x2f", Protocol::Postgres),
        (b"\x09\0\0\0\x03SELECT 1", Protocol::Mysql),
        (b"<14>Oct 11 22:14:15 a: b", Protocol::Syslog),
        (b"get a thing", Protocol::Other),
        (b"SELECT 1", Protocol::Other),
        (b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01", Protocol::Other),
    ];
    for (first, protocol) in table {
        assert_eq!(recognise(first, &Peer::Unknown), protocol, "{:?}", String::from_utf8_lossy(first));
    }
}

#[test]
fn by_where_it_goes() {
    let question = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01";
    assert_eq!(recognise(question, &at(53)), Protocol::Dns);
    assert_eq!(recognise(b"hello", &at(53)), Protocol::Other);
    assert_eq!(recognise(b"{}\0", &unix(RESOLVED)), Protocol::Dns);
    assert_eq!(recognise(b"a line", &unix("/dev/log")), Protocol::Syslog);
    assert_eq!(recognise(b"\x01\0\0\0\x0e", &unix("/run/mysqld/mysqld.sock")), Protocol::Mysql);
}

#[test]
fn real_clients_by_each_of_their_sends() {
    for (recording, protocol) in [
        (include_str!("../postgres/psql.txt"), Protocol::Postgres),
        (include_str!("../postgres/dbd.txt"), Protocol::Postgres),
        (include_str!("../postgres/pdo.txt"), Protocol::Postgres),
        (include_str!("../mysql/dbd.txt"), Protocol::Mysql),
        (include_str!("../mysql/mysqli.txt"), Protocol::Mysql),
    ] {
        for turn in turns(recording) {
            let seen = recognise(&turn.bytes, &Peer::Unknown);
            if turn.sent {
                assert_eq!(seen, protocol, "{:?}", String::from_utf8_lossy(&turn.bytes));
            }
        }
    }
}

#[test]
fn names_of_commands() {
    assert_eq!(redis::command(b"*1\r\n$4\r\nping\r\n").as_deref(), Some("PING"));
    for no in [&b"*1\r\n$9\r\nping\r\n"[..], b"*\r\n$4\r\nping\r\n", b"*1\r\n", b"+OK\r\n", b"*0\r\n$4\r\nping\r\n"] {
        assert_eq!(redis::command(no), None, "{no:?}");
    }
    assert_eq!(memcached::command(b"version\r\n"), Some("version"));
    assert_eq!(memcached::command(&[&[0x80, 0, 0, 1, 0, 0][..], &[0; 18]].concat()), Some("binary"));
    for no in [&b"get\r\n"[..], b"get a\n", b"GET / HTTP/1.1\r\n", b"get a"] {
        assert_eq!(memcached::command(no), None, "{no:?}");
    }
}

#[test]
fn requests_and_errors() {
    let request =
        http::request(b"GET /a%20b?c HTTP/1.1\r\nAccept: */*\r\nhost:  example.org \r\n\r\nHost: no").unwrap();
    assert_eq!((request.method.as_str(), request.target.as_str()), ("GET", "/a%20b?c"));
    assert_eq!(request.host.as_deref(), Some("example.org"));
    let cut = http::request(&[&b"GET /"[..], &[b'x'; 4000]].concat()).unwrap();
    assert!(cut.target.len() < 1100 && cut.target.ends_with('…') && cut.host.is_none());
    for no in [&b"GET"[..], b"get / HTTP/1.1\r\n", b"GET / HTTP/2\r\n", b"GET /\r\n", b"EHLO a\r\n", b"A B C"] {
        assert_eq!(http::request(no), None, "{no:?}");
    }
    let answer = [
        &b"\x01\x07\0\x01\0\x0c\x04\0"[..],
        b"PHP message:",
        &[0; 4],
        b"\x01\x06\0\x01\0\x02\0\0ok",
        b"\x01\x07\0\x01\0\x03\0\0 no",
    ];
    assert_eq!(fastcgi::stderr(&answer.concat()).as_deref(), Some("PHP message: no"));
    assert_eq!(fastcgi::stderr(b"\x01\x06\0\x01\0\x02\0\0ok"), None);
}

proptest! {
    #[test]
    fn nothing_panics(first in prop::collection::vec(any::<u8>(), 0..120), cut in 0..20_usize) {
        recognise(&first, &Peer::Unknown);
        recognise(&first, &at(3306));
        for begin in [&b"*2\r\n$3"[..], b"GET /", b"\x01\x07\0\x01\0", b"get ", b"<1", b"Q\0\0\0", b"\x80\0"] {
            let bytes = [begin, &first].concat();
            recognise(bytes.get(cut..).unwrap_or_default(), &at(53));
            let _ = (fastcgi::stderr(&bytes), http::request(&bytes), recognise(&bytes, &at(514)));
        }
    }
}
