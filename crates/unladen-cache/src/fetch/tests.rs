//! Tests of answers that are on their way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::*;

mod model;
mod threads;

type InFlightFetches = super::InFlightFetches<&'static str>;
type FetchReader = super::FetchReader<&'static str>;
type FetchWriter = super::FetchWriter<&'static str>;

/// Counts how often it is woken.
#[derive(Debug, Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Woken {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn woken() -> (Arc<Woken>, Waker) {
    let woken = Arc::new(Woken::default());
    (Arc::clone(&woken), Waker::from(woken))
}

fn lead(fetches: &InFlightFetches, key: &str) -> (FetchWriter, FetchReader) {
    match fetches.join(key.as_bytes()) {
        Joined::Lead(fill, reader) => (fill, reader),
        Joined::Follow(_) => panic!("somebody leads already"),
    }
}

fn follow(fetches: &InFlightFetches, key: &str) -> FetchReader {
    match fetches.join(key.as_bytes()) {
        Joined::Lead(..) => panic!("nobody leads"),
        Joined::Follow(reader) => reader,
    }
}

fn cx() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

fn piece(reader: &mut FetchReader) -> Poll<Result<Option<Vec<u8>>, ()>> {
    reader.poll_piece(&mut cx()).map_ok(|piece| piece.map(|piece| piece.to_vec()))
}

fn push(fill: &mut FetchWriter, data: &[u8]) -> Poll<Result<usize, ()>> {
    fill.poll_push(&mut cx(), data)
}

fn some(data: &[u8]) -> Poll<Result<Option<Vec<u8>>, ()>> {
    Poll::Ready(Ok(Some(data.to_vec())))
}

#[test]
fn many_read_one_body() {
    let fetches = InFlightFetches::new();
    let (mut fill, mut first) = lead(&fetches, "a");
    let mut second = follow(&fetches, "a");
    assert!(first.is_leader() && !second.is_leader());
    assert_eq!(first.poll_head(&mut cx()), Poll::Pending);
    fill.tell("head", None);
    assert_eq!(first.poll_head(&mut cx()), Poll::Ready(Some("head")));
    assert_eq!(second.poll_head(&mut cx()), Poll::Ready(Some("head")));
    assert_eq!(piece(&mut first), Poll::Pending);
    assert_eq!(push(&mut fill, b"one "), Poll::Ready(Ok(4)));
    assert_eq!(piece(&mut first), some(b"one "));
    assert_eq!(push(&mut fill, b"two"), Poll::Ready(Ok(3)));
    assert_eq!(fetches.in_flight(), (1, 7));
    assert_eq!(piece(&mut first), some(b"two"));
    assert_eq!(piece(&mut second), some(b"one two"));
    let mut third = follow(&fetches, "a");
    assert_eq!(fill.end().unwrap(), "one two");
    assert_eq!(piece(&mut first), Poll::Ready(Ok(None)));
    assert_eq!(third.poll_head(&mut cx()), Poll::Ready(Some("head")));
    assert_eq!(piece(&mut third), some(b"one two"));
    assert_eq!(piece(&mut third), Poll::Ready(Ok(None)));
    assert_eq!(fetches.in_flight(), (0, 0));
    // It is whole: whoever comes leads.
    drop(lead(&fetches, "a"));
}

#[test]
fn pieces_are_long_and_the_whole_is_one() {
    let fetches = InFlightFetches::new();
    let (mut fill, mut reader) = lead(&fetches, "a");
    fill.tell("", None);
    let body: Vec<u8> = (0..200_000_u32).map(|n| ((n * 31) >> 3) as u8).collect();
    for part in body.chunks(7) {
        assert_eq!(push(&mut fill, part), Poll::Ready(Ok(part.len())));
    }
    let mut lengths = Vec::new();
    let mut read = Vec::new();
    while let Poll::Ready(Ok(Some(piece))) = piece(&mut reader) {
        lengths.push(piece.len());
        read.extend(piece);
    }
    assert_eq!(lengths, [65_536, 65_536, 65_536, 3392]);
    assert_eq!(read, body);
    let mut late = follow(&fetches, "a");
    assert_eq!(fill.end().unwrap(), body);
    assert_eq!(piece(&mut late), some(&body));
    assert_eq!(piece(&mut reader), Poll::Ready(Ok(None)));
}

#[test]
fn a_window_is_for_the_leader_alone() {
    let fetches = InFlightFetches::new();
    let (mut fill, mut first) = lead(&fetches, "a");
    let mut second = follow(&fetches, "a");
    fill.tell("head", Some((4, "ask yourself")));
    assert_eq!(first.poll_head(&mut cx()), Poll::Ready(Some("head")));
    assert_eq!(second.poll_head(&mut cx()), Poll::Ready(Some("ask yourself")));
    assert_eq!(second.poll_piece(&mut cx()), Poll::Ready(Err(())));
    // Nobody joins any more.
    let other = lead(&fetches, "a");

    let (woken, waker) = woken();
    let mut waiting = Context::from_waker(&waker);
    assert_eq!(fill.poll_push(&mut waiting, b"123456"), Poll::Ready(Ok(4)));
    assert_eq!(fill.poll_push(&mut waiting, b"56"), Poll::Pending);
    assert_eq!(fetches.in_flight(), (2, 4));
    assert_eq!(woken.count(), 0);
    assert_eq!(piece(&mut first), some(b"1234"));
    assert_eq!(woken.count(), 1);
    assert_eq!(fill.poll_push(&mut waiting, b"56"), Poll::Ready(Ok(2)));
    assert_eq!(fill.poll_push(&mut waiting, b"7890"), Poll::Ready(Ok(2)));
    assert_eq!(fill.poll_push(&mut waiting, b"90"), Poll::Pending);
    // Others who go change nothing; the leader does.
    drop(second);
    assert!(fill.has_readers());
    assert_eq!(woken.count(), 1);
    drop(first);
    assert_eq!(woken.count(), 2);
    assert!(!fill.has_readers());
    assert_eq!(fill.poll_push(&mut waiting, b"90"), Poll::Ready(Err(())));
    assert_eq!(fill.poll_abandoned(&mut waiting), Poll::Ready(()));
    assert_eq!(fill.end(), None);
    drop(other);
    assert_eq!(fetches.in_flight(), (0, 0));
    assert!(fetches.shared.by_key().is_empty());
}

#[test]
fn the_end_of_a_window_comes_after_what_waits() {
    let fetches = InFlightFetches::new();
    let (mut fill, mut reader) = lead(&fetches, "a");
    assert_eq!(fill.poll_abandoned(&mut cx()), Poll::Pending);
    fill.tell("head", Some((100, "")));
    assert_eq!(push(&mut fill, b"abc"), Poll::Ready(Ok(3)));
    assert_eq!(fill.end(), None);
    assert_eq!(piece(&mut reader), some(b"abc"));
    assert_eq!(piece(&mut reader), Poll::Ready(Ok(None)));
}

#[test]
fn a_fetcher_that_goes_breaks_it_off() {
    let fetches = InFlightFetches::new();
    let (fill, mut reader) = lead(&fetches, "a");
    let (woken, waker) = woken();
    assert_eq!(reader.poll_head(&mut Context::from_waker(&waker)), Poll::Pending);
    drop(fill);
    assert_eq!(woken.count(), 1);
    assert_eq!(reader.poll_head(&mut cx()), Poll::Ready(None));
    assert_eq!(piece(&mut reader), Poll::Ready(Err(())));

    for window in [None, Some((100, ""))] {
        let (mut fill, mut reader) = lead(&fetches, "a");
        fill.tell("head", window);
        assert_eq!(push(&mut fill, b"abc"), Poll::Ready(Ok(3)));
        drop(fill);
        assert_eq!(reader.poll_head(&mut cx()), Poll::Ready(Some("head")));
        assert_eq!(piece(&mut reader), some(b"abc"));
        assert_eq!(piece(&mut reader), Poll::Ready(Err(())));
        drop(reader);
        assert_eq!(fetches.in_flight(), (0, 0));
    }
}

#[test]
fn without_readers_it_goes_on_if_it_is_kept() {
    let fetches = InFlightFetches::new();
    let (mut fill, reader) = lead(&fetches, "a");
    fill.tell("head", None);
    drop(reader);
    assert!(!fill.has_readers());
    assert_eq!(push(&mut fill, b"abc"), Poll::Ready(Ok(3)));
    // And can be joined.
    let mut reader = follow(&fetches, "a");
    assert!(fill.has_readers() && !reader.is_leader());
    assert_eq!(piece(&mut reader), some(b"abc"));
    assert_eq!(fill.end().unwrap(), "abc");
}

#[test]
fn readers_that_go_leave_no_waker() {
    let fetches = InFlightFetches::new();
    let (fill, mut first) = lead(&fetches, "a");
    let fetch = Arc::clone(&fetches.shared.by_key()[&b"a"[..]]);
    let (woken, waker) = woken();
    assert_eq!(first.poll_head(&mut Context::from_waker(&waker)), Poll::Pending);
    for _ in 0..1000 {
        let mut reader = follow(&fetches, "a");
        assert_eq!(reader.poll_head(&mut Context::from_waker(&waker)), Poll::Pending);
        assert_eq!(reader.poll_head(&mut Context::from_waker(&waker)), Poll::Pending);
        assert_eq!(fetch.state().waiting(), 2);
    }
    drop(first);
    // The test's own, and that of `waker`.
    assert_eq!(Arc::strong_count(&woken), 2);
    drop(fill);
    assert_eq!(woken.count(), 0);
}

#[test]
fn from_a_purge_on_whoever_comes_asks_anew() {
    let fetches = InFlightFetches::new();
    let (old, mut waiting) = lead(&fetches, "a");
    let (other, _reader) = lead(&fetches, "b");
    fetches.part(|key| key == b"a");
    let (new, _leader) = lead(&fetches, "a");
    drop(follow(&fetches, "b"));
    // The old one's end takes the new one off no map.
    old.tell("old", None);
    drop(old.end());
    assert_eq!(waiting.poll_head(&mut cx()), Poll::Ready(Some("old")));
    drop(follow(&fetches, "a"));
    drop((new, other));
    assert!(fetches.shared.by_key().is_empty());
}

#[test]
fn while_it_is_stored_it_can_be_joined() {
    let fetches = InFlightFetches::new();
    let (mut fill, _reader) = lead(&fetches, "a");
    fill.tell("head", None);
    assert_eq!(push(&mut fill, b"abc"), Poll::Ready(Ok(3)));
    let mut stored = None;
    fill.end_with(|body| {
        let mut reader = follow(&fetches, "a");
        assert_eq!(piece(&mut reader), some(b"abc"));
        // Nobody hears of the end before whoever asks next would find it stored.
        assert!(piece(&mut reader).is_pending());
        stored = Some((body, reader));
    });
    let (body, mut reader) = stored.unwrap();
    assert_eq!(body, "abc");
    assert_eq!(piece(&mut reader), Poll::Ready(Ok(None)));
    drop(lead(&fetches, "a"));
}

#[test]
fn alone_is_not_joined() {
    let fetches = InFlightFetches::new();
    let (fill, reader) = fetches.alone(b"a");
    assert!(reader.is_leader());
    let led = lead(&fetches, "a");
    drop(fill);
    drop(follow(&fetches, "a"));
    drop(led);
}

#[test]
fn a_body_that_is_too_long_is_kept_no_longer_than_it_takes_to_read() {
    const PIECE: usize = state::PIECE;
    let fetches = InFlightFetches::new();
    let (mut fill, mut first) = lead(&fetches, "a");
    let mut second = follow(&fetches, "a");
    fill.tell("head", None);
    assert_eq!(push(&mut fill, &vec![b'x'; 3 * PIECE]), Poll::Ready(Ok(3 * PIECE)));
    fill.stop_keeping(4 * PIECE);
    drop(lead(&fetches, "a"));
    assert_eq!(push(&mut fill, &vec![b'y'; 2 * PIECE]), Poll::Ready(Ok(PIECE)));
    assert!(push(&mut fill, b"z").is_pending());
    let read = |reader: &mut FetchReader, count: usize| {
        let mut all = Vec::new();
        while all.len() < count {
            match piece(reader) {
                Poll::Ready(Ok(Some(piece))) => all.extend(piece),
                other => panic!("{other:?} after {} bytes", all.len()),
            }
        }
        all
    };
    assert_eq!(read(&mut first, 4 * PIECE).len(), 4 * PIECE);
    // The other has not read.
    assert!(push(&mut fill, b"z").is_pending());
    assert_eq!(fetches.in_flight().1, 4 * PIECE as u64);
    assert_eq!(read(&mut second, PIECE).len(), PIECE);
    assert_eq!(fetches.in_flight().1, 3 * PIECE as u64);
    assert_eq!(push(&mut fill, b"zz"), Poll::Ready(Ok(2)));
    let rest = read(&mut second, 3 * PIECE + 2);
    assert!(rest.ends_with(b"yzz"));
    assert_eq!(read(&mut first, 2), b"zz");
    drop(first);
    assert_eq!(fill.end(), None);
    assert_eq!(piece(&mut second), Poll::Ready(Ok(None)));
}

#[test]
fn whoever_holds_a_long_body_up_and_leaves_has_the_fetcher_woken() {
    let fetches = InFlightFetches::new();
    let (mut fill, mut first) = lead(&fetches, "a");
    let slow = follow(&fetches, "a");
    fill.tell("head", None);
    fill.stop_keeping(1);
    assert_eq!(push(&mut fill, b"ab"), Poll::Ready(Ok(1)));
    assert_eq!(piece(&mut first), Poll::Ready(Ok(Some(b"a".to_vec()))));
    let (woken, waker) = woken();
    assert!(fill.poll_push(&mut Context::from_waker(&waker), b"b").is_pending());
    drop(slow);
    assert_eq!(woken.count(), 1);
    assert_eq!(push(&mut fill, b"b"), Poll::Ready(Ok(1)));
    drop(first);
    assert_eq!(push(&mut fill, b"c"), Poll::Ready(Err(())));
}
