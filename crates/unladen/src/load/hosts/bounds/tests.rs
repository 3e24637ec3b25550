use unladen_load::ErrorKind;

use super::*;

const BOUNDS: fn() -> Bounds = || Bounds {
    started: Instant::now(),
    length: Duration::from_secs(5),
    grace: Duration::ZERO,
    records: Some(3),
    timeout: Duration::from_secs(1),
    requests: 2,
};

fn record(request: u32, planned: Duration) -> RequestRecord {
    RequestRecord {
        request,
        planned_ns: u64::try_from(planned.as_nanos()).unwrap(),
        lag_ns: None,
        sent_ns: None,
        first_byte_ns: None,
        latency_ns: 1,
        status: None,
        body_bytes: 0,
        reused: false,
        retried: false,
        changed: false,
        error: None,
    }
}

#[test]
fn an_agent_that_tells_more_than_its_share_is_lost() {
    let (bounds, mut so_far) = (BOUNDS(), SoFar::default());
    let mut tell = |count| bounds.check(&vec![record(1, Duration::from_secs(4)); count], &mut so_far).is_ok();
    assert!(tell(2) && tell(1) && !tell(1));
}

#[test]
fn records_of_requests_that_were_not_planned_are_damaged() {
    let told = |record| BOUNDS().check(&[record], &mut SoFar::default()).is_ok();
    assert!(told(record(1, Duration::from_secs(5))));
    assert!(!told(record(2, Duration::ZERO)), "there are two requests");
    assert!(!told(record(0, Duration::from_secs(16))), "long after the end");
}

#[test]
fn a_summary_counts_as_its_requests_and_comes_once() {
    let mut summary = RecordSummary::default();
    summary.add(&record(0, Duration::ZERO));
    let mut so_far = SoFar::default();
    assert_eq!(BOUNDS().check_summary(&summary, &mut so_far), Ok(()));
    assert_eq!(so_far.requests, 1);
    assert!(BOUNDS().check_summary(&summary, &mut so_far).unwrap_err().contains("does not add up"));
    (0..3).for_each(|_| summary.add(&record(0, Duration::ZERO)));
    assert!(BOUNDS().check_summary(&summary, &mut SoFar::default()).unwrap_err().contains("more requests"));
    let endless = Bounds { records: None, ..BOUNDS() };
    let mut many = RecordSummary { recorded: 1_000_000_000, waited: 1_000_000_000, ..RecordSummary::default() };
    many.errors.insert(ErrorKind::Connect, 1_000_000_000);
    assert!(many.is_consistent());
    assert!(endless.check_summary(&many, &mut SoFar::default()).unwrap_err().contains("more than a host can send"));
    summary.answered += 1;
    assert!(BOUNDS().check_summary(&summary, &mut SoFar::default()).unwrap_err().contains("does not add up"));
}

/// What an agent tells last.
pub(in crate::load::hosts) fn end(sent: u64, abandoned: u64) -> LoadEnd {
    LoadEnd {
        ended: unladen_load::End::Until,
        sent,
        unsent: 5,
        abandoned,
        bytes_sent: 0,
        bytes_received: 0,
        connections_opened: 0,
        closed_by_server: 0,
        retries: 0,
        cpu: Duration::ZERO,
        worked: Duration::ZERO,
        paced: Duration::ZERO,
        first_errors: Default::default(),
    }
}

#[test]
fn an_agent_that_hides_or_doubles_requests_is_seen() {
    let so_far = SoFar { requests: 10, ..SoFar::default() };
    let bounds = Bounds { records: Some(17), ..BOUNDS() };
    let check = |end: &LoadEnd| bounds.check_end(&so_far, end);
    assert_eq!(check(&end(12, 2)), Ok(()));
    assert!(check(&end(11, 0)).unwrap_err().contains("it reported 10 requests, but says that 11 ended"));
    assert!(check(&end(9, 0)).is_err());
    // Its account was taken on trust: 18 446 744 073 709 551 615 requests were not answered.
    for (sent, abandoned, unsent) in [(u64::MAX, u64::MAX - 10, 0), (10, 0, u64::MAX), (13, 3, 5)] {
        let end = LoadEnd { unsent, ..end(sent, abandoned) };
        assert!(check(&end).unwrap_err().contains("at most 17 could be"), "{end:?}");
    }
}

#[test]
fn how_long_is_waited_for_the_last_follows_from_the_way() {
    let second = Duration::from_secs(1);
    let now = Instant::now();
    let bounds = Bounds { started: now - 60 * second, length: 30 * second, records: Some(30_000), ..BOUNDS() };
    let end = bounds.started + bounds.length + second;
    let wait = |requests, bytes| {
        let so_far = SoFar { requests, bytes, ..SoFar::default() };
        bounds.until(&so_far).unwrap().saturating_duration_since(end)
    };
    assert_eq!(wait(30_000, 600_000), DRAIN, "all is told");
    // A minute for two thirds: half a minute for the rest, twice.
    let third = wait(20_000, 400_000);
    assert!(third > 69 * second && third < 72 * second, "{third:?}");
    assert_eq!(wait(0, 0), DRAIN, "nothing is known of the way of one that is silent");
    assert_eq!(wait(1, 20), LONGEST_DRAIN);
}

/// One record of five centuries made the throughput of all hosts nothing, and hid that one of them was busy.
#[test]
fn a_time_that_cannot_be_is_damaged() {
    let mut long = record(1, Duration::from_secs(4));
    let last = Duration::from_secs(5 + 2) + SLACK;
    long.latency_ns = nanos(last - Duration::from_secs(4));
    assert!(BOUNDS().check(&[long], &mut SoFar::default()).is_ok());
    long.latency_ns += 1;
    assert!(BOUNDS().check(&[long], &mut SoFar::default()).unwrap_err().contains("took longer"));
    long.latency_ns = u64::MAX;
    assert!(BOUNDS().check(&[long], &mut SoFar::default()).is_err());

    let mut summary = RecordSummary::default();
    summary.add(&long);
    assert!(BOUNDS().check_summary(&summary, &mut SoFar::default()).unwrap_err().contains("beyond the load's end"));
}
