use serde_json::{Value, json};
use unladen_pool::{UpstreamSettings, UpstreamState};

use super::*;
use crate::Observability;
use crate::UpstreamView;
use crate::families::tests::busy;
use crate::observability::tests::{observability, record, upstream_settings};
use crate::{CacheResult, RequestAccount};

/// What is counted so many seconds after the start.
fn at(observability: &Observability, seconds: u64) -> CountsSnapshot {
    CountsSnapshot { uptime: Duration::from_secs(seconds), ..observability.counts() }
}

/// What `/history` says.
fn document(history: &History) -> Value {
    let turn = Arc::clone(&history.turn).try_acquire_owned().unwrap();
    serde_json::from_slice(&history.document(Wall::now(), turn)).unwrap()
}

#[test]
fn a_moment_has_what_came_within_it() {
    let observability = busy();
    let history = History::default();
    let mut first = at(&observability, 2);
    first.upstreams.clear();
    history.take(&first);
    assert_eq!(document(&history)["moments"], json!([]), "nothing is known of before");
    history.take(&at(&observability, 4));
    history.take(&at(&observability, 6));
    let document = document(&history);
    assert_eq!(document["schema"], "unladen.serve-history/1");
    let moments = document["moments"].as_array().unwrap();
    assert_eq!(moments.len(), 2);
    let search = &moments[0]["upstreams"]["search"];
    assert_eq!((&search["latency"][3], &search["retries"]), (&5.into(), &1.into()));
    assert_eq!(search["outcomes"], json!([0, 1, 0, 1, 1, 1, 0, 1]));
    assert_eq!(
        (&moments[0]["length_ns"], &moments[0]["uptime_ns"]),
        (&2_000_000_000_u64.into(), &4_000_000_000_u64.into())
    );
    let site = &moments[0]["upstreams"]["site"]["site"];
    assert_eq!(site["results"][0], json!({ "result": "hit", "reason": "", "requests": 1, "bytes": 476 }));
    assert_eq!((&site["whole"], &site["fetched"]), (&json!([1, 888_000]), &json!([1, 888_000])));
    // Nothing came: no upstream takes room.
    assert_eq!(moments[1]["upstreams"], json!({}));
}

#[test]
fn it_is_bounded_and_looks_no_more_often_than_it_should() {
    let observability = busy();
    let history = History::default();
    let snapshot = observability.counts();
    for second in 0..u64::try_from(MOMENTS).unwrap() * 4 {
        history.take(&CountsSnapshot { uptime: Duration::from_millis(second * 500), ..snapshot.clone() });
    }
    let ring = history.lock();
    assert!(ring.moments.len() <= MOMENTS, "{}", ring.moments.len());
    assert!(ring.moments.iter().all(|moment| moment.length >= EVERY / 2));
}

#[test]
fn the_names_are_those_of_stats() {
    let document = super::super::stats::document(&busy().snapshot());
    for upstream in document["upstreams"].as_array().unwrap() {
        for outcome in upstream["by_outcome"].as_object().unwrap().keys() {
            assert!(OUTCOMES.contains(&outcome.as_str()), "{outcome}");
        }
    }
}

/// The module's comment tells them.
#[test]
fn the_bytes_of_all_moments() {
    let row = size_of::<ResultCounts>();
    let upstream = size_of::<(Arc<str>, Counts)>() + size_of::<SiteCounts>();
    // With the rest of each result.
    let most = upstream + (REASONS + CacheResult::ALL.len()) * row;
    assert!((850_000..950_000).contains(&(MOMENTS * most)), "{}", MOMENTS * most);
    assert!((28_500_000..29_500_000).contains(&(MOMENTS * UPSTREAMS * most)), "{}", MOMENTS * UPSTREAMS * most);
    assert!(MOMENTS * (upstream + 5 * row) < 310_000, "{}", MOMENTS * (upstream + 5 * row));
}

/// It held threads up that carry requests, and walked all connections that wait.
#[test]
fn nothing_is_looked_at_that_takes_long() {
    struct Unasked(UpstreamSettings);
    impl UpstreamView for Unasked {
        fn settings(&self) -> &UpstreamSettings {
            &self.0
        }
        fn state(&self) -> UpstreamState {
            panic!("it is asked for all of its state")
        }
        fn counts(&self) -> unladen_pool::Counts {
            unladen_pool::Counts { connects: 7, ..unladen_pool::Counts::default() }
        }
    }
    let observability = observability(vec![Arc::new(Unasked(upstream_settings("site")))]);
    let site = observability.upstream("site");
    observability.thread(0).observe(&RequestAccount { cache: Some((CacheResult::Miss, "")), ..record() }, site);
    let counts = observability.counts();
    let upstream = counts.upstreams.iter().find(|upstream| &*upstream.name == "site").unwrap();
    assert_eq!(upstream.connects, 7);
    let totals = upstream.totals.site.as_ref().unwrap();
    assert_eq!((totals.results.len(), totals.misses.len()), (1, 0));
    let whole = &observability.totals()[site.0].1;
    assert_eq!(whole.site.as_ref().unwrap().misses.len(), 1);
}

/// What came while nobody looked was told as of one moment.
#[test]
fn what_came_while_nobody_looked_is_of_no_moment() {
    let observability = busy();
    let history = History::default();
    let mut first = at(&observability, 2);
    first.upstreams.clear();
    history.take(&first);
    history.take(&at(&observability, 60));
    assert_eq!(document(&history)["moments"], json!([]));
    observability.thread(0).observe(&record(), observability.upstream("search"));
    history.take(&at(&observability, 62));
    let document = document(&history);
    assert_eq!(document["moments"].as_array().unwrap().len(), 1);
    assert_eq!(document["moments"][0]["length_ns"], 2_000_000_000_u64);
    assert_eq!(document["moments"][0]["upstreams"]["search"]["outcomes"], json!([0, 1, 0, 0, 0, 0, 0, 0]));
}

/// They were the first by their order.
#[test]
fn the_upstreams_with_the_most_requests_are_told() {
    let of = |index: usize, requests| UpstreamCounts {
        name: format!("u{index:02}").into(),
        totals: {
            let observability = observability(vec![]);
            let thread = observability.thread(0);
            (0..requests).for_each(|_| thread.observe(&record(), observability.upstream("search")));
            observability.totals().swap_remove(0).1
        },
        connects: 0,
    };
    let none = CountsSnapshot { taken: Wall::now(), uptime: Duration::ZERO, upstreams: vec![] };
    let upstreams = (0..UPSTREAMS + 8).map(|index| of(index, index + 1)).collect();
    let history = History::default();
    history.take(&none);
    history.take(&CountsSnapshot { uptime: EVERY, upstreams, ..none });
    let told = document(&history);
    let told = told["moments"][0]["upstreams"].as_object().unwrap();
    assert_eq!(told.len(), UPSTREAMS);
    assert_eq!(told.keys().next().unwrap(), "u08");
}

/// The charts of a page that is just opened showed fewer requests than there were.
#[test]
fn reasons_that_are_left_out_are_in_the_sums() {
    let row = |result, index: u64| ResultCounts {
        result,
        reason: format!("reason-{index}").leak(),
        requests: index + 1,
        bytes: 10 * (index + 1),
    };
    let hit = ResultCounts { result: "hit", reason: "", requests: 1000, bytes: 10 };
    let own = ResultCounts { result: "miss", reason: OTHER, requests: 500, bytes: 20 };
    let misses = (0..30).map(|index| row("miss", index));
    let passes = (0..2).map(|index| row("pass", index));
    let all: Vec<_> = misses.chain(passes).chain([own, hit]).collect();
    let results = most(all.clone());
    assert_eq!(results.len(), REASONS + 1);
    assert_eq!(results[0], hit);
    for result in ["hit", "miss", "pass"] {
        let sums = |rows: &[ResultCounts]| {
            let rows = rows.iter().filter(|row| row.result == result);
            rows.fold((0, 0), |(requests, bytes), row| (requests + row.requests, bytes + row.bytes))
        };
        assert_eq!(sums(&results), sums(&all), "{result}");
    }
    let others = |result| results.iter().filter(|row| (row.result, row.reason) == (result, OTHER)).count();
    assert_eq!((others("hit"), others("miss"), others("pass")), (0, 1, 1));
    assert!(results.iter().any(|row| row.reason == "reason-29") && results.iter().all(|row| row.reason != "reason-0"));
    assert_eq!(*most(vec![hit, own]), [hit, own]);
}
