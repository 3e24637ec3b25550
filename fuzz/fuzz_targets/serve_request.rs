//! The way of requests through `unladen serve`, over sockets that lead to nobody: what arrives is read by a reader that
//! shares no code with the sender, and has to be what a client said, as many requests as it said, and nothing
//! besides.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};
use unladen_http1::{Decoder, HeadLimits, Length, Request, Step};
use unladen_serve::fuzzing::{MOST, Way, carry, downgrade};
use unladen_serve_config::{Forwarded, HostRule};

thread_local! {
    static RUNTIME: RefCell<Runtime> = RefCell::new(Builder::new_current_thread().enable_io().build().unwrap());
}

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (how, start, rest) = input;
    let way = Way {
        host: match how % 3 {
            0 => HostRule::Keep,
            1 => HostRule::Upstream,
            _ => HostRule::Fixed("fixed".into()),
        },
        forwarded: match how / 3 % 4 {
            0 => Forwarded::Pass,
            1 => Forwarded::XForwarded,
            2 => Forwarded::Forwarded,
            _ => Forwarded::Strip,
        },
        via: how & 0x20 != 0,
        upgrade: how & 0x40 != 0,
    };
    if how & 0x80 != 0 {
        from_http2(rest, start % 2 == 0, &way);
        return;
    }
    // Most of what there is to find comes after a first line that is one.
    let start: &[u8] = match start % 8 {
        0 => b"",
        1 => b"GET / HTTP/1.1\r\nHost: a\r\n",
        2 => b"POST http://b:1/?x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n",
        3 => b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        4 => b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        5 => b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, X\r\nUpgrade: x\r\nTE: trailers\r\n",
        6 => b"POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nxGET / HTTP/1.1\r\nHost: a\r\n",
        _ => b"OPTIONS * HTTP/1.1\r\nHost: a\r\nForwarded: for=\"\r\nX-Forwarded-For: b\r\n",
    };
    from_http1(&[start, rest].concat(), &way);
});

/// A request as it was meant.
#[derive(Debug)]
struct Meant {
    request: Request,
    body: Vec<u8>,
    is_whole: bool,
}

fn from_http1(bytes: &[u8], way: &Way) {
    let bytes = &bytes[..bytes.len().min(MOST)];
    let sent = RUNTIME.with_borrow(|runtime| runtime.block_on(carry(bytes, way))).unwrap();
    let meant = understand(bytes);
    assert_eq!(sent.len(), meant.len(), "as many as were said: {meant:?}");
    for ((sent, is_whole), meant) in sent.iter().zip(&meant) {
        assert_eq!(*is_whole, meant.is_whole);
        let read = read(sent);
        if !is_whole {
            assert!(read.is_none(), "a part is taken for a request: {}", sent.escape_ascii());
            continue;
        }
        let read = read.unwrap_or_else(|| panic!("it is not whole: {}", sent.escape_ascii()));
        assert_eq!(read.length, sent.len(), "something comes after it: {}", sent.escape_ascii());
        assert_eq!(read.body, meant.body);
        check(&read, &meant.request, way);
    }
}

/// What a client says, read from memory at once.
fn understand(bytes: &[u8]) -> Vec<Meant> {
    let (mut meant, mut at) = (Vec::new(), 0);
    loop {
        let mut request = Request::default();
        let Ok(Some(length)) = request.parse(&bytes[at..], &HeadLimits::default()) else { return meant };
        at += length;
        let mut decoder = Decoder::default();
        decoder.start(request.length);
        let (mut body, mut is_whole) = (Vec::new(), false);
        loop {
            match decoder.step(&bytes[at..]) {
                Ok(Step::Skip(count)) => at += count,
                Ok(Step::Data(count)) => {
                    body.extend_from_slice(&bytes[at..at + count]);
                    at += count;
                }
                Ok(Step::End(count)) => {
                    at += count;
                    is_whole = true;
                    break;
                }
                Ok(Step::More) | Err(_) => break,
            }
        }
        let is_last = !is_whole || !request.keeps_alive();
        meant.push(Meant { request, body, is_whole });
        if is_last {
            return meant;
        }
    }
}

/// A head of HTTP/2, a field a line, as the library would hand it over.
fn from_http2(bytes: &[u8], ends: bool, way: &Way) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let (method, path) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let authority = lines.next().unwrap_or_default();
    let mut parts = http::uri::Parts::default();
    parts.scheme = Some(http::uri::Scheme::HTTP);
    let (Ok(method), Ok(path)) = (http::Method::from_bytes(method), http::uri::PathAndQuery::try_from(path)) else {
        return;
    };
    parts.path_and_query = Some(path);
    let Ok(authority) = http::uri::Authority::try_from(authority) else { return };
    parts.authority = Some(authority);
    let Ok(uri) = http::Uri::from_parts(parts) else { return };
    let mut head = http::Request::builder().method(method).uri(uri).body(()).unwrap().into_parts().0;
    for line in lines {
        let at = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = (&line[..at], line.get(at + 1..).unwrap_or_default());
        let (Ok(name), Ok(value)) = (http::HeaderName::from_bytes(name), http::HeaderValue::from_bytes(value)) else {
            return;
        };
        head.headers.append(name, value);
    }
    let Some(sent) = downgrade(&head, ends, way) else { return };
    let mut request = Request::default();
    // Our own reader is the stricter one.
    assert_eq!(
        request.parse(&sent, &HeadLimits { bytes: usize::MAX, fields: usize::MAX }),
        Ok(Some(sent.len())),
        "{}",
        sent.escape_ascii()
    );
    assert_eq!(request.length == Length::None || request.length == Length::Exact(0), ends, "{}", sent.escape_ascii());
    assert_eq!(
        (&*request.method, head.uri.path_and_query().unwrap().as_str().as_bytes()),
        (head.method.as_str().as_bytes(), &*request.target)
    );
    // With a body as long as it says.
    let body = match request.length {
        Length::Exact(length) if length < 1000 => vec![b'x'; length as usize],
        Length::Exact(_) => return,
        Length::Chunked => b"0\r\n\r\n".to_vec(),
        Length::None | Length::UntilClose => Vec::new(),
    };
    let whole = [&*sent, &body].concat();
    let read = read(&whole).unwrap_or_else(|| panic!("it is not whole: {}", whole.escape_ascii()));
    assert_eq!(read.length, whole.len());
    check(&read, &request, way);
}

/// What must hold of what arrived.
fn check(read: &Read, meant: &Request, way: &Way) {
    assert_eq!((&read.method, &read.target), (&meant.method, &meant.target));
    let host: &[u8] = match &way.host {
        HostRule::Keep if meant.authority.is_empty() => b"upstream:80",
        HostRule::Keep => &meant.authority,
        HostRule::Upstream => b"upstream:80",
        HostRule::Fixed(host) => host.as_bytes(),
    };
    assert_eq!(read.values("host"), [host]);
    let count = |name: &str| read.values(name).len();
    for name in ["keep-alive", "proxy-connection", "http2-settings", "trailer"] {
        assert_eq!(count(name), 0, "{name}");
    }
    assert!(read.values("te").iter().all(|value| **value == *b"trailers") && count("te") <= 1);
    assert!(count("connection") <= 1 && (count("upgrade") == 0 || way.upgrade));
    match way.forwarded {
        Forwarded::Pass => {}
        Forwarded::XForwarded => {
            let last = [count("x-forwarded-for"), count("x-forwarded-host"), count("x-forwarded-proto")];
            assert_eq!(last, [1, 1, 1]);
            assert!(read.values("x-forwarded-for")[0].ends_with(b"unknown"));
        }
        Forwarded::Forwarded => assert_eq!(count("forwarded"), 1),
        Forwarded::Strip => {
            for name in ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"] {
                assert_eq!(count(name), 0, "{name}");
            }
        }
    }
}

/// A request as it arrived.
struct Read {
    method: Vec<u8>,
    target: Vec<u8>,
    /// Names in lower case, `_` as `-`: what CGI makes of them.
    fields: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    length: usize,
}

impl Read {
    fn values(&self, name: &str) -> Vec<&[u8]> {
        self.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| &**value).collect()
    }
}

/// Reads one request in the plainest way: none if it is not whole.
fn read(bytes: &[u8]) -> Option<Read> {
    let end = find(bytes, b"\r\n\r\n")?;
    let mut lines = bytes[..end].split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first: Vec<&[u8]> = lines.next()?.split(|byte| *byte == b' ').collect();
    assert!(first.len() == 3 && first[2] == b"HTTP/1.1", "{}", bytes.escape_ascii());
    let fields: Vec<(String, Vec<u8>)> = lines
        .map(|line| {
            let at = line.iter().position(|byte| *byte == b':').expect("a colon");
            let name = String::from_utf8(line[..at].to_ascii_lowercase()).expect("a name").replace('_', "-");
            assert!(!name.contains(char::is_whitespace) && !line[at..].contains(&b'\r') && !line[at..].contains(&0));
            (name, line[at + 1..].trim_ascii().to_vec())
        })
        .collect();
    let mut read = Read { method: first[0].into(), target: first[1].into(), fields, body: Vec::new(), length: end + 4 };
    let lengths: Vec<u64> = read
        .values("content-length")
        .iter()
        .map(|value| str::from_utf8(value).expect("digits").parse().expect("a number"))
        .collect();
    let codings = read.values("transfer-encoding").len();
    assert!(lengths.len() + codings <= 1, "two lengths: {}", bytes.escape_ascii());
    if let Some(length) = lengths.first() {
        let length = usize::try_from(*length).ok()?;
        read.body = bytes.get(read.length..read.length.checked_add(length)?)?.to_vec();
        read.length += length;
    } else if codings == 1 {
        assert_eq!(read.values("transfer-encoding"), [b"chunked"]);
        loop {
            let rest = &bytes[read.length..];
            let line = find(rest, b"\r\n")?;
            let size = usize::from_str_radix(str::from_utf8(&rest[..line]).expect("digits"), 16).expect("a size");
            read.length += line + 2;
            if size == 0 {
                let rest = &bytes[read.length..];
                read.length += if rest.starts_with(b"\r\n") { 2 } else { find(rest, b"\r\n\r\n")? + 4 };
                break;
            }
            let chunk = bytes.get(read.length..read.length + size + 2)?;
            assert!(chunk.ends_with(b"\r\n"), "a chunk that does not end: {}", bytes.escape_ascii());
            read.body.extend_from_slice(&chunk[..size]);
            read.length += size + 2;
        }
    }
    Some(read)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
