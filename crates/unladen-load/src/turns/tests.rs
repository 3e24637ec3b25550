use super::*;

const HOUR: Duration = Duration::from_secs(3600);

fn past() -> (Instant, Instant) {
    let now = Instant::now();
    (now, now - HOUR)
}

#[tokio::test]
async fn late_turns_keep_their_planned_times() {
    let (now, start) = past();
    let turns = Turns::new(start, Some(4.0), Stop { until: now + HOUR, max_requests: Some(3) });
    for quarter in 0..3 {
        assert_eq!(turns.next().await, Some(start + Duration::from_millis(250) * quarter));
    }
    assert_eq!(turns.next().await, None);
    assert_eq!((turns.end(), turns.unsent(now), turns.sent()), (End::Requests, 0, 3));
}

#[tokio::test]
async fn counts_what_the_end_overtook() {
    let (_, start) = past();
    let until = start + Duration::from_secs(2);
    let turns = Turns::new(start, Some(10.0), Stop { until, max_requests: None });
    assert_eq!(turns.next().await, None, "the end has passed");
    assert_eq!((turns.end(), turns.unsent(Instant::now())), (End::Until, 20));
    let turns = Turns::new(start, Some(10.0), Stop { until, max_requests: Some(7) });
    assert_eq!(turns.unsent(Instant::now()), 7);
    assert_eq!(turns.unsent(start + Duration::from_millis(350)), 4, "planned at 0, 100, 200 and 300 ms");
}

#[tokio::test]
async fn back_to_back_until_the_end() {
    let (now, start) = past();
    let turns = Turns::new(start, None, Stop { until: now + HOUR, max_requests: None });
    assert!(turns.next().await.unwrap() >= now);
    let turns = Turns::new(start, None, Stop { until: now, max_requests: None });
    assert_eq!(turns.next().await, None);
    assert_eq!(turns.unsent(Instant::now()), 0);
}

#[tokio::test]
async fn the_slowest_rate_does_not_overflow_the_clock() {
    let (now, start) = past();
    let turns = Turns::new(start, Some(1e-3), Stop { until: now + HOUR, max_requests: None });
    turns.taken.set(u64::MAX - 1);
    assert_eq!(turns.next().await, None);
}
