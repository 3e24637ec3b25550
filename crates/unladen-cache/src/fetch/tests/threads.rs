//! Many threads: no wake-up is lost, and everyone reads the same.

use std::future::poll_fn;
use std::pin::pin;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::*;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread, which sleeps until it is woken: a wake-up that is lost is found by the time it takes.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    let start = Instant::now();
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut cx) {
            return done;
        }
        thread::park_timeout(Duration::from_secs(20));
        assert!(start.elapsed() < Duration::from_secs(20), "a wake-up was lost");
    }
}

async fn read(mut reader: FetchReader) -> Result<(Option<&'static str>, Vec<u8>), Vec<u8>> {
    let head = poll_fn(|cx| reader.poll_head(cx)).await;
    let mut body = Vec::new();
    loop {
        match poll_fn(|cx| reader.poll_piece(cx)).await {
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => return Ok((head, body)),
            Err(()) => return Err(body),
        }
    }
}

async fn push_all(fill: &mut FetchWriter, data: &[u8]) -> Result<(), ()> {
    let mut rest = data;
    while !rest.is_empty() {
        let count = poll_fn(|cx| fill.poll_push(cx, rest)).await?;
        rest = &rest[count..];
    }
    Ok(())
}

fn body(seed: usize) -> Vec<u8> {
    (0..seed * 1117 % 150_000).map(|n| (n * seed) as u8).collect()
}

#[test]
fn everyone_reads_the_same_and_nobody_sleeps_for_ever() {
    let fetches = InFlightFetches::new();
    let (led, followed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for reader in 0..6 {
            let (fetches, led, followed) = (&fetches, &led, &followed);
            scope.spawn(move || {
                for round in 0..300_usize {
                    let key = (round / 3).to_le_bytes();
                    let expected = body(round / 3);
                    match fetches.join(&key) {
                        Joined::Lead(mut fill, reader) => {
                            led.fetch_add(1, Ordering::Relaxed);
                            let data = expected.clone();
                            let fetcher = scope.spawn(move || {
                                block_on(async {
                                    fill.tell("head", None);
                                    for part in data.chunks(1 + round * 13 % 9000) {
                                        push_all(&mut fill, part).await.unwrap();
                                    }
                                    fill.end().unwrap()
                                })
                            });
                            // Some leaders go at once.
                            if round % 5 == 0 {
                                drop(reader);
                            } else {
                                assert_eq!(block_on(read(reader)), Ok((Some("head"), expected.clone())));
                            }
                            assert_eq!(fetcher.join().unwrap(), expected);
                        }
                        Joined::Follow(reading) => {
                            followed.fetch_add(1, Ordering::Relaxed);
                            if (round + reader) % 7 != 0 {
                                assert_eq!(block_on(read(reading)), Ok((Some("head"), expected)));
                            }
                        }
                    }
                }
            });
        }
    });
    assert_eq!(fetches.in_flight(), (0, 0));
    assert!(fetches.shared.by_key().is_empty());
    assert!(led.into_inner() >= 100 && followed.into_inner() > 0);
}

#[test]
fn a_window_wakes_both_sides() {
    let fetches = InFlightFetches::new();
    for round in 1..200_usize {
        let data = body(round);
        let (mut fill, reader) = lead(&fetches, "a");
        let breaks = round % 3 == 0;
        let read = thread::scope(|scope| {
            let reading = scope.spawn(|| block_on(read(reader)));
            block_on(async {
                fill.tell("head", Some((1 + round * 97 % 5000, "others")));
                push_all(&mut fill, &data).await.unwrap();
            });
            if breaks {
                drop(fill);
            } else {
                assert_eq!(fill.end(), None);
            }
            reading.join().unwrap()
        });
        assert_eq!(read, if breaks { Err(data) } else { Ok((Some("head"), data)) });
    }
    assert_eq!(fetches.in_flight(), (0, 0));
}

#[test]
fn a_leader_that_goes_wakes_the_fetcher() {
    let fetches = InFlightFetches::new();
    for round in 0..200 {
        let (mut fill, mut reader) = lead(&fetches, "a");
        thread::scope(|scope| {
            scope.spawn(move || {
                block_on(async {
                    for _ in 0..round % 4 {
                        let _ = poll_fn(|cx| reader.poll_piece(cx)).await;
                    }
                });
            });
            block_on(async {
                fill.tell("head", Some((100, "others")));
                assert_eq!(push_all(&mut fill, &[0; 10_000]).await, Err(()));
                poll_fn(|cx| fill.poll_abandoned(cx)).await;
            });
        });
    }
}
