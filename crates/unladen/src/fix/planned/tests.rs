use unladen_document::Saves;

use super::*;

/// Of a page with this median and interval (ms), weighed in so many requests; the fix saves at most this share.
fn planned(median: u64, margin: f64, requests: u64, bound: f64) -> Planned {
    let ms = |value: f64| (value * 1e6) as u64;
    let (low, high) = (ms(median as f64 - margin), ms(median as f64 + margin));
    let page = WeighedUrl {
        requests,
        latency_ns: [("p50".to_owned(), median * 1_000_000)].into(),
        latency_intervals_ns: [("p50".to_owned(), Interval { low, high })].into(),
        ..WeighedUrl::default()
    };
    let saves = Saves { of: Some("latency".into()), at_most: Some(bound), ..Saves::default() };
    Planned::of(&page, &Finding { saves, ..Finding::default() }).unwrap()
}

#[test]
fn a_slow_page_is_not_requested_four_hundred_times() {
    // A page of a second was to be proved in twenty minutes.
    assert_eq!(planned(1_000, 20.0, 30, 0.5).requests(), 24);
    assert_eq!(planned(24, 0.5, 460, 0.24).requests(), 625);
}

#[test]
fn a_small_saving_takes_more_requests_and_one_that_takes_too_long_is_said_before() {
    let small = planned(24, 0.5, 460, 0.03);
    assert_eq!(small.requests(), 1_250);
    let said = small.told(small.requests(), Duration::from_secs(200));
    assert!(!said.contains("saves at most"), "{said}");
    let tiny = planned(24, 0.5, 460, 0.005);
    assert_eq!(tiny.requests(), 1_250);
    let said = tiny.told(tiny.requests(), Duration::from_secs(200));
    assert!(said.contains("This fix saves at most 0.5 %, which takes about 69 min"), "{said}");
}

#[test]
fn nothing_is_planned_from_a_page_without_an_interval() {
    let page = WeighedUrl { latency_ns: [("p50".to_owned(), 1_000_000)].into(), ..WeighedUrl::default() };
    assert!(Planned::of(&page, &Finding::default()).is_none());
}
