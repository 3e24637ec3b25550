use proptest::prelude::*;

use super::*;

fn extension(kind: u16, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len()).unwrap();
    [&kind.to_be_bytes()[..], &length.to_be_bytes(), body].concat()
}

fn hello(session: &[u8], extensions: &[Vec<u8>]) -> Vec<u8> {
    let extensions = extensions.concat();
    let mut body =
        [&[3, 3][..], &[7; 32], &[u8::try_from(session.len()).unwrap()], session, &[0, 2, 0x13, 1, 1, 0]].concat();
    if !extensions.is_empty() {
        body.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
        body.extend(extensions);
    }
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    record(22, &[&[1][..], &length[1..], &body].concat())
}

fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind, 3, 1][..], &u16::try_from(body.len()).unwrap().to_be_bytes(), body].concat()
}

fn name() -> Vec<u8> {
    extension(SERVER_NAME, b"\0\x0e\0\0\x0bexample.org")
}

fn versions() -> Vec<u8> {
    extension(43, &[4, 3, 4, 3, 3])
}

#[test]
fn the_name() {
    let table = [
        (hello(b"", &[]), None),
        (hello(b"", &[name()]), Some("example.org")),
        // TLS 1.2: a session's id, a ticket, an offer to take one.
        (hello(b"id", &[name()]), Some("example.org")),
        (hello(b"", &[extension(35, b"ticket"), name()]), Some("example.org")),
        (hello(b"", &[extension(35, b""), name()]), Some("example.org")),
        // TLS 1.3: the id is made up.
        (hello(&[1; 32], &[name(), versions()]), Some("example.org")),
        (hello(&[1; 32], &[versions(), extension(41, b"key")]), None),
    ];
    for (bytes, server_name) in table {
        let expected = ClientHello { server_name: server_name.map(str::to_owned) };
        assert_eq!(client_hello(&bytes), Some(expected), "{bytes:?}");
        assert!(client_hello(&bytes[..bytes.len() - 1]).is_some());
    }
    // A name is taken as soon as it is whole: what comes after it may be cut.
    let bytes = hello(b"", &[name(), versions()]);
    let of_part = |length: usize| client_hello(&bytes[..length]).unwrap().server_name;
    assert_eq!(of_part(bytes.len() - versions().len()).as_deref(), Some("example.org"));
    assert_eq!(of_part(bytes.len() - versions().len() - 1), None);
}

#[test]
fn openssl() {
    let [hello] = &crate::wire::tests::replay::turns(include_str!("openssl.txt"))[..] else { panic!() };
    let expected = ClientHello { server_name: Some("wiki.example.org".to_owned()) };
    assert_eq!(client_hello(&hello.bytes), Some(expected));
}

#[test]
fn what_is_no_hello() {
    for bytes in [
        &b""[..],
        b"GET / HTTP/1.1\r\n",
        b"\x16\x03\x01\0\x02\x02\0",
        b"\x16\x03\x01\xff\xff\x01",
        b"\x17\x03\x03\0\x05hello",
    ] {
        assert_eq!(client_hello(bytes), None, "{bytes:?}");
    }
}

#[test]
fn types_of_records() {
    let second = [record(20, &[1]), record(23, &[9; 40])].concat();
    assert_eq!(record_types(&second).collect::<Vec<_>>(), [20, 23]);
    assert_eq!((application_data(&second), application_data(&second[..6])), (1, 0));
    assert!(has_handshake(&hello(b"", &[name()])) && !has_handshake(&second));
    assert_eq!((application_data(&hello(b"", &[name()])), application_data(b"hello")), (0, 0));
    // The rest of a record, cut.
    assert_eq!(record_types(&second[..10]).collect::<Vec<_>>(), [20]);
    assert_eq!(record_types(&second[..20]).collect::<Vec<_>>(), [20, 23]);
}

proptest! {
    #[test]
    fn nothing_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..150_usize, value in any::<u8>()) {
        let _ = (client_hello(&bytes), record_types(&bytes).count());
        let mut real = hello(&[1; 32], &[name(), versions()]);
        if let Some(byte) = real.get_mut(at) {
            *byte = value;
        }
        let _ = (client_hello(&real), record_types(&real).count());
        bytes.splice(..0, [22, 3, 1, 1, 0, 1]);
        let _ = client_hello(&bytes);
    }
}
