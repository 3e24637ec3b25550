//! Bodies through a pump, between real sockets that take and give them in whatever pieces.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::Poll;

use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use unladen_http1::{Fault, Length};
use unladen_pool::{Buffer, Half, Socket, Transport};

use super::*;

mod relay;

/// As much as the system takes of a socket at least.
const SMALLEST: usize = 4608;

/// How a body is framed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Framing {
    Exact,
    Chunked,
    UntilClose,
}

/// How its bytes come and go.
#[derive(Clone, Debug)]
struct Manner {
    /// So many bytes at a time, over and over.
    written: Vec<usize>,
    read: Vec<usize>,
    chunks: Vec<usize>,
}

impl Framing {
    fn length(self, body: &[u8]) -> Length {
        match self {
            Self::Exact => Length::Exact(body.len() as u64),
            Self::Chunked => Length::Chunked,
            Self::UntilClose => Length::UntilClose,
        }
    }

    fn encode(self, body: &[u8], sizes: &[usize]) -> Vec<u8> {
        if self != Self::Chunked {
            return body.to_vec();
        }
        let mut bytes = Vec::new();
        let mut rest = body;
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, after) = rest.split_at((*size).min(rest.len()));
            bytes.extend_from_slice(format!("{:x};a=b\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
            rest = after;
        }
        bytes.extend_from_slice(b"0\r\nX-Sum: 6\r\n\r\n");
        bytes
    }

    /// The body and what follows it, by a reader apart.
    fn decode(self, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
        if self != Self::Chunked {
            return (bytes.to_vec(), Vec::new());
        }
        let (mut body, mut rest) = (Vec::new(), bytes);
        loop {
            let end = rest.windows(2).position(|two| two == b"\r\n").expect("a line");
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).expect("a size");
            rest = &rest[end + 2..];
            if size == 0 {
                return (body, rest.to_vec());
            }
            body.extend_from_slice(&rest[..size]);
            assert_eq!(&rest[size..size + 2], b"\r\n");
            rest = &rest[size + 2..];
        }
    }
}

fn run<F: Future>(test: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

/// Two ends, of which the first has as little room as there is.
fn pair() -> (RefCell<Transport>, UnixStream) {
    let (own, other) = UnixStream::pair().unwrap();
    for stream in [&own, &other] {
        socket2::SockRef::from(stream).set_send_buffer_size(SMALLEST).unwrap();
    }
    let own = unladen_pool::UnixStream::from_std(own.into_std().unwrap()).unwrap();
    (RefCell::new(Transport::Plain(Socket::Unix(own))), other)
}

/// A body that came byte by byte had its thread for seconds, as one read of it is up to millions of pieces.
#[test]
fn a_body_of_tiny_pieces_kept_all_others_waiting() {
    run(async {
        let (own, mut other) = UnixStream::pair().unwrap();
        other.write_all("1\r\nx\r\n".repeat(10_000).as_bytes()).await.unwrap();
        let own = unladen_pool::UnixStream::from_std(own.into_std().unwrap()).unwrap();
        let own = RefCell::new(Transport::Plain(Socket::Unix(own)));
        let mut buffer = Buffer::default();
        let mut source = BodySource::H1(H1Source::new(Half(&own), &mut buffer, Length::Chunked));
        let (mut pieces, mut most) = (0, 0);
        poll_fn(|cx| {
            let mut of_turn = 0;
            while pieces < 10_000 {
                match source.poll_fill(cx) {
                    Poll::Ready(more) => assert!(more.unwrap()),
                    Poll::Pending => return Poll::Pending,
                }
                source.consume(1);
                pieces += 1;
                of_turn += 1;
                most = most.max(of_turn);
            }
            Poll::Ready(())
        })
        .await;
        assert!(most <= 256, "{most} pieces in a turn");
    });
}

async fn write(mut to: UnixStream, bytes: Vec<u8>, pieces: Vec<usize>) {
    let mut rest = &bytes[..];
    for size in pieces.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*size).min(rest.len()));
        if to.write_all(piece).await.is_err() {
            // It has been given up.
            return;
        }
        tokio::task::yield_now().await;
        rest = after;
    }
}

async fn read(mut from: UnixStream, pieces: Vec<usize>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for size in pieces.iter().cycle() {
        let mut piece = vec![0; *size];
        match from.read(&mut piece).await.unwrap() {
            0 => break,
            count => bytes.extend_from_slice(&piece[..count]),
        }
        tokio::task::yield_now().await;
    }
    bytes
}

/// Through a pump: what comes out, with the head that goes before it.
async fn carried(body: &[u8], from: Framing, to: Framing, manner: &Manner, head: &[u8]) -> Vec<u8> {
    let (source_end, writer) = pair();
    let (sink_end, reader) = pair();
    let writing = tokio::spawn(write(writer, from.encode(body, &manner.chunks), manner.written.clone()));
    let reading = tokio::spawn(read(reader, manner.read.clone()));
    let mut buffer = Buffer::default();
    let mut source = BodySource::H1(H1Source::new(Half(&source_end), &mut buffer, from.length(body)));
    let mut out = head.to_vec();
    let mut sink = Sink::from(H1Sink::new(Half(&sink_end), &mut out, to.length(body)));
    let mut pump = Pump::keeping(1000);
    poll_fn(|cx| pump.poll(cx, &mut source, &mut sink, None)).await.unwrap();
    assert!(source.is_done() && sink.has_sent());
    assert_eq!(pump.bytes, body.len() as u64);
    assert_eq!(pump.is_kept(), body.len() <= 1000);
    drop(sink);
    drop(sink_end);
    writing.await.unwrap();
    reading.await.unwrap()
}

fn framing() -> impl Strategy<Value = Framing> {
    prop_oneof![Just(Framing::Exact), Just(Framing::Chunked), Just(Framing::UntilClose)]
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    let size = prop_oneof![1..20_usize, 1000..9000_usize, 15_000..70_000_usize];
    proptest::collection::vec(size, 1..6)
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![0..40_usize, 8180..8200_usize, 16_370..16_400_usize, 0..200_000_usize];
    (length, any::<u32>()).prop_map(|(length, seed)| {
        let numbers = (0..length as u32).map(|number| (number.wrapping_add(seed)).wrapping_mul(2_654_435_761));
        numbers.flat_map(u32::to_le_bytes).take(length).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_body_is_the_same_however_its_bytes_come_and_go(
        body in body(),
        from in framing(),
        to in framing(),
        written in sizes(),
        read in sizes(),
        chunks in sizes(),
        head in 0..40_000_usize,
    ) {
        let manner = Manner { written, read, chunks };
        let head = vec![b'h'; head];
        let bytes = run(carried(&body, from, to, &manner, &head));
        prop_assert!(bytes.starts_with(&head));
        let (carried, after) = to.decode(&bytes[head.len()..]);
        prop_assert!(carried == body, "{} bytes for {}", carried.len(), body.len());
        let trailers: &[u8] = match (from, to) {
            (Framing::Chunked, Framing::Chunked) => b"X-Sum: 6\r\n\r\n",
            (_, Framing::Chunked) => b"\r\n",
            _ => b"",
        };
        prop_assert_eq!(after, trailers);
    }

    #[test]
    fn what_was_kept_is_sent_again_from_its_start(
        body in body(),
        from in framing(),
        to in framing(),
        written in sizes(),
        chunks in sizes(),
        taken in 0..100_000_usize,
    ) {
        run(async {
            let (source_end, writer) = pair();
            let writing = tokio::spawn(write(writer, from.encode(&body, &chunks), written));
            let mut buffer = Buffer::default();
            let mut source = BodySource::H1(H1Source::new(Half(&source_end), &mut buffer, from.length(&body)));
            let mut pump = Pump::keeping(body.len());
            // The first takes some of it, and is gone.
            let (sink_end, mut reader) = pair();
            let mut out = Vec::new();
            let mut sink = Sink::from(H1Sink::new(Half(&sink_end), &mut out, to.length(&body)));
            let mut first = vec![0; taken.max(1)];
            tokio::select! {
                _ = reader.read_exact(&mut first) => (),
                _ = poll_fn(|cx| pump.poll(cx, &mut source, &mut sink, None)) => (),
            }
            drop(reader);
            assert!(pump.is_kept());
            pump.again(&mut source);
            let (sink_end, reader) = pair();
            let reading = tokio::spawn(read(reader, vec![50_000]));
            let mut out = Vec::new();
            let mut sink = Sink::from(H1Sink::new(Half(&sink_end), &mut out, to.length(&body)));
            poll_fn(|cx| pump.poll(cx, &mut source, &mut sink, None)).await.unwrap();
            drop(sink);
    drop(sink_end);
            writing.await.unwrap();
            assert!(to.decode(&reading.await.unwrap()).0 == body);
        });
    }
}

/// What becomes of a body of which no more than this comes.
fn broken(bytes: &[u8], length: Length, limit: Option<u64>) -> (Vec<u8>, PumpError) {
    run(async {
        let (source_end, writer) = pair();
        let (sink_end, reader) = pair();
        let mut buffer = Buffer::default();
        let mut source = BodySource::H1(H1Source::new(Half(&source_end), &mut buffer, length));
        let mut out = Vec::new();
        let mut sink = Sink::from(H1Sink::new(Half(&sink_end), &mut out, Length::Chunked));
        tokio::spawn(write(writer, bytes.to_vec(), vec![1, 2, 3]));
        let mut pump = Pump::default();
        let error = poll_fn(|cx| pump.poll(cx, &mut source, &mut sink, limit)).await.unwrap_err();
        drop(sink);
        drop(sink_end);
        (read(reader, vec![1000]).await, error)
    })
}

#[test]
fn a_body_that_breaks_off_has_no_end() {
    for (bytes, length) in [
        (&b""[..], Length::Exact(1)),
        (b"abc", Length::Exact(4)),
        (b"", Length::Chunked),
        (b"3\r\nab", Length::Chunked),
        (b"3\r\nabc\r\n", Length::Chunked),
        (b"3\r\nabc\r\n0\r\n", Length::Chunked),
        (b"3\r\nabc\r\n0\r\nX: 1\r\n", Length::Chunked),
    ] {
        let (sent, error) = broken(bytes, length, None);
        assert!(matches!(error, PumpError::Source(SourceError::Closed)), "{error:?}");
        assert!(!sent.windows(3).any(|three| three == b"0\r\n"), "{}", sent.escape_ascii());
    }
    for (bytes, fault) in [
        (&b"nonsense\r\n"[..], Fault::Chunk),
        (b"3\r\nabcd\r\n", Fault::Chunk),
        (b"3\r\nabc\r\n0\r\nContent-Length: 1\r\n\r\n", Fault::Trailers),
    ] {
        let (sent, error) = broken(bytes, Length::Chunked, None);
        assert!(matches!(error, PumpError::Source(SourceError::Malformed(own)) if own == fault), "{error:?}");
        assert!(!sent.windows(3).any(|three| three == b"0\r\n"), "{}", sent.escape_ascii());
    }
}

#[test]
fn a_body_over_the_limit_does_not_arrive() {
    for length in [Length::Chunked, Length::UntilClose] {
        let bytes = if length == Length::Chunked { b"6\r\nabcdef\r\n0\r\n\r\n".to_vec() } else { b"abcdef".to_vec() };
        let (sent, error) = broken(&bytes, length, Some(5));
        assert!(matches!(error, PumpError::TooLarge), "{error:?}");
        assert!(!sent.windows(3).any(|three| three == b"0\r\n"), "{}", sent.escape_ascii());
    }
}

#[test]
fn what_a_client_sends_ahead_is_kept_while_it_waits() {
    run(async {
        let (end, mut writer) = pair();
        let mut buffer = Buffer::default();
        let mut source = BodySource::H1(H1Source::new(Half(&end), &mut buffer, Length::None));
        let gone = async |source: &mut BodySource<'_>| poll_fn(|cx| Poll::Ready(source.poll_gone(cx))).await;
        assert!(!gone(&mut source).await);
        writer.write_all(b"GET /next HTTP/1.1\r\n").await.unwrap();
        tokio::task::yield_now().await;
        assert!(!gone(&mut source).await);
        drop(writer);
        // The runtime learns of it when it looks.
        poll_fn(|cx| if source.poll_gone(cx) { Poll::Ready(()) } else { Poll::Pending }).await;
        assert_eq!(buffer.bytes(), b"GET /next HTTP/1.1\r\n");
    });
}
