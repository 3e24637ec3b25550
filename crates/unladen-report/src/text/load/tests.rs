use super::*;
use crate::tests::sample;

/// A rate "broke p95<100ms" with a p95 of 1.9 ms, and nothing said that some requests had been refused.
#[test]
fn what_broke_a_limit_that_latencies_held_is_said() {
    let mut found = sample::searched().capacity.unwrap();
    assert_eq!(why_broken(&found), "");
    let last = found.trials.last_mut().unwrap();
    (last.errors, last.failure) = (60, Some("GET /a was answered 429 Too Many Requests\n".to_owned()));
    let told = why_broken(&found);
    assert_eq!(
        told,
        " At 218/s, 60 of 2,180 requests failed, most of them with: GET /a was answered 429 Too Many Requests."
    );
    found.lowest_broken = None;
    assert_eq!(why_broken(&found), "");
}
