use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::{End, Reuse, Version};

/// A request that went well.
pub(crate) fn record() -> Record<'static> {
    Record {
        upstream: "search",
        endpoint: None,
        method: b"GET",
        target: b"/index/_search?q=a",
        authority: b"127.0.0.1:6102",
        client_version: Version::Http11,
        upstream_version: Some(Version::Http11),
        status: 200,
        end: End::Answered,
        reuse: Reuse::Own,
        attempts: 1,
        began: Instant::now(),
        head: Duration::from_micros(10),
        connected: Some(Duration::from_micros(12)),
        first_byte: Some(Duration::from_micros(800)),
        total: Duration::from_micros(900),
        bytes_in: 0,
        bytes_out: 476,
        request_id: b"7f3c",
        trace: None,
    }
}

fn seeing() -> Arc<Seeing> {
    Arc::new(Seeing::default())
}

#[test]
fn an_upstream_keeps_its_place_and_its_counts() {
    let seeing = seeing();
    let (search, images) = (seeing.upstream("search"), seeing.upstream("images"));
    assert_ne!(search, images);
    let before = seeing.thread(0);
    before.observe(&record(), images);
    // A reload: the threads are made anew, the upstreams are in another order.
    assert_eq!(seeing.upstream("images"), images);
    let after = seeing.thread(0);
    after.observe(&record(), images);
    before.observe(&record(), images);
    let totals = seeing.totals();
    let counts: Vec<_> = totals.iter().map(|(name, totals)| (&**name, totals.requests().count())).collect();
    assert_eq!(counts, [("search", 0), ("images", 3)]);
}

#[test]
fn threads_count_apart_and_are_added_up() {
    let seeing = seeing();
    let upstream = seeing.upstream("search");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let seeing = &seeing;
            scope.spawn(move || {
                let own = seeing.thread(thread);
                for _ in 0..10_000 {
                    own.begin(upstream);
                    own.observe(&record(), upstream);
                    own.end(upstream);
                }
            });
        }
    });
    let totals = &seeing.totals()[0].1;
    assert_eq!((totals.requests().count(), totals.begun, totals.in_flight()), (40_000, 40_000, 0));
}
