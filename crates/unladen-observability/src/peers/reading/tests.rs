use proptest::prelude::*;

use super::*;
use crate::families::families;
use crate::families::tests::busy;
use crate::prometheus::{self, Format as Written};

fn text(more: &str) -> String {
    format!(
        "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1000\n\
         # TYPE unladen_build_info gauge\nunladen_build_info{{version=\"1.2.3\"}} 1\n{more}"
    )
}

fn counted(fast: u32, slow: u32, hits: u32, misses: u32) -> String {
    let all = fast + slow;
    text(&format!(
        "http_server_request_duration_seconds_bucket{{upstream=\"a\",le=\"0.0001\"}} 0\n\
         http_server_request_duration_seconds_bucket{{upstream=\"a\",le=\"0.001\"}} {fast}\n\
         http_server_request_duration_seconds_bucket{{upstream=\"a\",le=\"0.005\"}} {all}\n\
         http_server_request_duration_seconds_bucket{{upstream=\"a\",le=\"+Inf\"}} {all}\n\
         http_server_request_duration_seconds_count{{upstream=\"a\"}} {all}\n\
         unladen_requests_total{{upstream=\"a\",end=\"answered\"}} {all}\n\
         unladen_requests_total{{upstream=\"a\",end=\"broken\",reason=\"x\"}} {slow}\n\
         unladen_site_requests_total{{site=\"a\",result=\"hit\"}} {hits}\n\
         unladen_site_requests_total{{site=\"a\",result=\"file\"}} 77\n\
         unladen_site_requests_total{{site=\"a\",result=\"miss\",reason=\"private\"}} {misses}\n\
         unladen_fleet_connected 0\nunladen_fleet_lag 5\nunladen_draining 1\n"
    ))
}

fn read(text: &str, taken: Instant) -> Reading {
    Reading::of(text.as_bytes(), taken).unwrap()
}

#[test]
fn rates_are_of_what_came_from_one_to_the_next() {
    let start = Instant::now();
    let before = read(&counted(1000, 0, 10, 10), start);
    let now = read(&counted(1980, 20, 40, 20), start + Duration::from_secs(10));
    let shown = now.since(Some(&before));
    assert_eq!((&shown["requests_per_second"], &shown["failed_per_second"]), (&json!(100.0), &json!(2.0)));
    assert_eq!((&shown["from_memory"], &shown["version"]), (&json!(0.75), &json!("1.2.3")));
    assert_eq!((&shown["connected"], &shown["lag"], &shown["draining"]), (&json!(false), &json!(5.0), &json!(true)));
    // Of 1,000, 980 took no more than 1 ms, and 20 no more than 5 ms: the 990th was said to be in the middle of those.
    assert_eq!((&shown["p99_over_ns"], &shown["p99_ns"]), (&json!(1_000_000), &json!(5_000_000)));
    // Nothing is said of what is not known.
    let first = before.since(None);
    assert!(
        ["requests_per_second", "from_memory", "p99_over_ns", "p99_ns"].iter().all(|key| first[key].is_null()),
        "{first}"
    );
}

#[test]
fn another_process_is_not_compared_with_the_one_before() {
    let start = Instant::now();
    let before = read(&counted(1000, 0, 10, 10), start);
    let other = counted(10, 0, 0, 0).replace("seconds 1000", "seconds 2000");
    let shown = read(&other, start + Duration::from_secs(2)).since(Some(&before));
    assert!(shown["requests_per_second"].is_null() && shown["version"] == "1.2.3", "{shown}");
}

#[test]
fn numbers_that_are_none_are_not_shown_and_versions_are_short() {
    let start = Instant::now();
    let version = "<script>".repeat(20);
    let wild = text(
        "unladen_fleet_lag NaN\nhttp_server_request_duration_seconds_count +Inf\n\
         http_server_request_duration_seconds_bucket{le=\"NaN\"} -Inf\n\
         http_server_request_duration_seconds_bucket{le=\"x\"} 1\n",
    );
    let wild = wild.replace("1.2.3", &version);
    let shown = read(&wild, start + Duration::from_secs(1)).since(Some(&read(&wild, start)));
    assert!(["lag", "requests_per_second", "p99_ns", "from_memory"].iter().all(|key| shown[key].is_null()), "{shown}");
    assert_eq!(shown["version"].as_str().unwrap().len(), VERSION);
    assert!(Reading::of(b"<html>", start).is_err());
}

#[test]
fn what_a_node_itself_tells_is_read() {
    let all = prometheus::write(&families(&busy().snapshot()), Written::Text);
    let reading = read(&all, Instant::now());
    assert_eq!((reading.requests, reading.failed), (11.0, 2.0));
    assert_eq!((reading.saved, reading.asked), (1.0, 3.0));
    assert_eq!(reading.below[BUCKETS - 1], reading.requests);
    assert!(reading.below.is_sorted() && reading.started > 1e9, "{reading:?}");
    assert_eq!((&*reading.version, reading.is_connected), (env!("CARGO_PKG_VERSION"), None));
}

proptest! {
    /// A peer's word is anything.
    #[test]
    fn whatever_is_answered_is_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Reading::of(&body, Instant::now());
    }

    #[test]
    fn whatever_numbers_come_are_shown_as_numbers_or_not_at_all(
        numbers in prop::collection::vec((any::<f64>(), any::<f64>()), 12)
    ) {
        let start = Instant::now();
        let of = |pick: fn(&(f64, f64)) -> f64| {
            let lines = numbers.iter().enumerate().map(|(i, pair)| {
                let n = pick(pair);
                format!("http_server_request_duration_seconds_bucket{{le=\"{}\"}} {n:e}\n\
                         http_server_request_duration_seconds_count{{n=\"{i}\"}} {n:e}\n", i as f64 * 0.01)
            });
            // One of a name stands once.
            text(&lines.collect::<String>())
        };
        let (before, now) = (read(&of(|pair| pair.0), start), read(&of(|pair| pair.1), start + Duration::from_secs(1)));
        let shown = now.since(Some(&before));
        for key in ["requests_per_second", "failed_per_second", "from_memory", "lag"] {
            prop_assert!(shown[key].is_null() || shown[key].as_f64().is_some_and(|x| x >= 0.0 && x.is_finite()));
        }
        prop_assert!(shown["p99_ns"].is_null() || shown["p99_ns"].as_u64() > shown["p99_over_ns"].as_u64());
    }
}
