use std::io::Write;
use std::time::Duration;

use tokio::net::TcpListener;
use unladen_pool::UnixStream;

use super::*;

/// What is read of these bytes, and what is left on the socket; over TCP, in pieces of so many bytes.
async fn over_tcp(bytes: &[u8], piece: usize) -> (Result<Option<SocketAddr>, ProxyError>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let bytes = bytes.to_vec();
    let client = std::thread::spawn(move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        for piece in bytes.chunks(piece) {
            // One that is refused is closed before all is sent.
            if stream.write_all(piece).is_err() {
                return;
            }
            if piece.len() < bytes.len() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    });
    let mut socket = Socket::Tcp(listener.accept().await.unwrap().0);
    let result = read(&mut socket).await;
    let mut rest = Vec::new();
    if result.is_ok() {
        let mut byte = [0];
        while whole(&mut socket, &mut byte).await.is_ok() {
            rest.push(byte[0]);
        }
    }
    drop(socket);
    client.join().unwrap();
    (result, rest)
}

async fn over_unix(bytes: &[u8]) -> (Result<Option<SocketAddr>, ProxyError>, Vec<u8>) {
    let (one, mut other) = std::os::unix::net::UnixStream::pair().unwrap();
    one.set_nonblocking(true).unwrap();
    other.write_all(bytes).unwrap();
    drop(other);
    let mut socket = Socket::Unix(UnixStream::from_std(one).unwrap());
    let result = read(&mut socket).await;
    let (mut rest, mut byte) = (Vec::new(), [0]);
    while result.is_ok() && whole(&mut socket, &mut byte).await.is_ok() {
        rest.push(byte[0]);
    }
    (result, rest)
}

fn v2(command: u8, family: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = v2::PROTOCOL_PREFIX.to_vec();
    bytes.extend([0x20 | command, family]);
    bytes.extend((body.len() as u16).to_be_bytes());
    bytes.extend(body);
    bytes
}

fn v4_body(tlvs: &[u8]) -> Vec<u8> {
    [&[1, 2, 3, 4, 127, 0, 0, 1, 0x12, 0x34, 0x01, 0xbb][..], tlvs].concat()
}

/// What follows: a TLS record's beginning, with line ends in it.
const REST: &[u8] = b"\x16\x03\x01\r\nPROXY TCP4 6.6.6.6 6.6.6.6 1 2\r\n";

#[tokio::test(flavor = "current_thread")]
async fn both_versions_are_read_and_nothing_beyond() {
    let v6: Vec<u8> = [&[0x20, 1, 0xd, 0xb8][..], &[0; 11], &[9], &[0; 16], &[0, 80, 1, 187]].concat();
    let cases: Vec<(Vec<u8>, Option<&str>)> = vec![
        (b"PROXY TCP4 1.2.3.4 127.0.0.1 4660 443\r\n".to_vec(), Some("1.2.3.4:4660")),
        (b"PROXY TCP6 2001:db8::9 ::1 80 443\r\n".to_vec(), Some("[2001:db8::9]:80")),
        (b"PROXY UNKNOWN\r\n".to_vec(), None),
        (b"PROXY UNKNOWN 1.2.3.4 127.0.0.1 4660 443\r\n".to_vec(), None),
        (v2(1, 0x11, &v4_body(b"")), Some("1.2.3.4:4660")),
        (v2(1, 0x11, &v4_body(b"\x04\x00\x01x")), Some("1.2.3.4:4660")),
        (v2(1, 0x21, &v6), Some("[2001:db8::9]:80")),
        (v2(1, 0x31, &[b'a'; 216]), None),
        (v2(1, 0x00, b""), None),
        (v2(1, 0x10, &v4_body(b"")), None),
        (v2(0, 0x00, b""), None),
        (v2(0, 0x11, &v4_body(b"")), None),
        (v2(1, 0x11, &v4_body(&[[4, 0, 100].as_slice(), &[0; 100]].concat().repeat(4))), Some("1.2.3.4:4660")),
    ];
    for (header, expected) in cases {
        let bytes = [&header, REST].concat();
        let expected = expected.map(|address| address.parse().unwrap());
        for piece in [1000, 7, 1] {
            if piece == 1 && bytes.len() > 100 {
                continue;
            }
            let (read, rest) = over_tcp(&bytes, piece).await;
            assert_eq!((read.unwrap(), rest.as_slice()), (expected, REST), "{}", header.escape_ascii());
        }
        let (read, rest) = over_unix(&bytes).await;
        assert_eq!((read.unwrap(), rest.as_slice()), (expected, REST), "{}", header.escape_ascii());
    }
}

#[tokio::test(flavor = "current_thread")]
async fn what_is_wrong_is_refused() {
    let mut version_3 = v2(1, 0x11, &v4_body(b""));
    version_3[12] = 0x31;
    let cases: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"PROXY".to_vec(),
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
        b"PROXYTCP4 1.2.3.4 127.0.0.1 4660 443\r\n".to_vec(),
        b"proxy TCP4 1.2.3.4 127.0.0.1 4660 443\r\n".to_vec(),
        b"PROXY TCP4 1.2.3.4 127.0.0.1 4660 443\n".to_vec(),
        // Fuzzing found that this was taken.
        b"PROXY TCP4 1.2.3.4 127.0.0.1 4660 0 \n".to_vec(),
        b"PROXY TCP4 1.2.3.4 127.0.0.1 4660 443".to_vec(),
        b"PROXY TCP4 1.2.3.4 127.0.0.1 4660 443 5\r\n".to_vec(),
        b"PROXY TCP4 1.2.3.4 127.0.0.1 4660\r\n".to_vec(),
        b"PROXY TCP4 1.2.3 127.0.0.1 4660 443\r\n".to_vec(),
        b"PROXY TCP4 ::1 ::1 4660 443\r\n".to_vec(),
        b"PROXY TCP6 1.2.3.4 127.0.0.1 4660 443\r\n".to_vec(),
        b"PROXY TCP4 1.2.3.4 127.0.0.1 65536 443\r\n".to_vec(),
        b"PROXY TCP4 1.2.3.4  127.0.0.1 4660 443\r\n".to_vec(),
        b"PROXY UDP4 1.2.3.4 127.0.0.1 4660 443\r\n".to_vec(),
        b"PROXY TCP4 1.2.3.4\r6.6.6.6 4660 443\r\n".to_vec(),
        b"PROXY UNKNOWN\n\r\n\r\n".to_vec(),
        b"PROXY \xff\xff\xff\xff\xff\xff\xff\r\n".to_vec(),
        [b"PROXY UNKNOWN ".as_slice(), &[b'x'; 200], b"\r\n"].concat(),
        version_3,
        v2(2, 0x11, &v4_body(b"")),
        v2(1, 0x41, &v4_body(b"")),
        v2(1, 0x13, &v4_body(b"")),
        v2(1, 0x12, &v4_body(b"")),
        v2(1, 0x11, b"short"),
        v2(1, 0x21, &v4_body(b"")),
        v2(1, 0x11, &v4_body(b""))[..20].to_vec(),
        v2(1, 0x11, &v4_body(&[0; 600])),
        v2(0, 0x00, &[0; 65_535]),
        b"\r\n\r\n\0\r\nQUIT\r\x21\x11\0\x0c".to_vec(),
    ];
    for bytes in cases {
        let (tcp, _) = over_tcp(&bytes, 10_000).await;
        assert!(tcp.is_err(), "{}: {tcp:?}", bytes.get(..60).unwrap_or(&bytes).escape_ascii());
        if bytes.len() < 10_000 {
            let (unix, _) = over_unix(&bytes).await;
            assert!(unix.is_err(), "{}: {unix:?}", bytes.get(..60).unwrap_or(&bytes).escape_ascii());
        }
    }
}

/// Each beginning of a good one is refused when the client closes, and none makes it panic.
#[tokio::test(flavor = "current_thread")]
async fn cut_anywhere() {
    for whole in [b"PROXY TCP6 2001:db8::9 ::1 80 443\r\n".to_vec(), v2(1, 0x11, &v4_body(b"\x04\x00\x01x"))] {
        for length in 0..whole.len() {
            assert!(over_unix(&whole[..length]).await.0.is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for byte in [0, b' ', b'\r', b'\n', 0xff] {
                let mut changed = whole.clone();
                changed[at] = byte;
                let _ = over_unix(&changed).await;
            }
        }
    }
}
