use std::time::Duration;

use proptest::prelude::*;
use unladen_load::{ErrorKind, Mix, RecordBatch, RecordSummary, RequestRecord, Step};

use super::*;
use crate::load::account::{Account, Ledger};

#[test]
fn a_load_has_begun_from_its_moment_on() {
    let at = |started| Agreed {
        started,
        length: Duration::ZERO,
        grace: Duration::ZERO,
        forms: Vec::new(),
        parts: Vec::new(),
    };
    assert!(at(Instant::now()).has_begun());
    assert!(!at(Instant::now() + Duration::from_secs(3_600)).has_begun());
}

fn any_record() -> impl Strategy<Value = RequestRecord> {
    let error = prop_oneof![4 => Just(None), 1 => prop::sample::select(ErrorKind::ALL.to_vec()).prop_map(Some)];
    let times = (0_u64..9_000_000_000, prop::option::of(0_u64..1 << 30), 0_u64..1 << 36);
    (0_u32..3, times, prop::option::of(200_u16..210), any::<bool>(), error).prop_map(
        |(request, (planned_ns, lag_ns, latency_ns), status, reused, error)| RequestRecord {
            request,
            planned_ns,
            lag_ns,
            sent_ns: lag_ns,
            first_byte_ns: None,
            latency_ns,
            status,
            body_bytes: 17,
            reused,
            retried: false,
            changed: reused,
            error,
        },
    )
}

fn account() -> Account {
    let steps = [Step::steady(1.0, Duration::from_secs(4)), Step::steady(2.0, Duration::from_secs(5))];
    let mix = Mix::weighted((0..3).map(|index| (index, 1.0)));
    Account::new(&[Duration::from_millis(1), Duration::from_secs(1)], &mix, 3, &steps)
}

/// All that a result is made of.
fn shown(account: &Account) -> String {
    format!("{account:?}")
}

impl Ledger for Account {
    fn record(&mut self, record: &RequestRecord) -> Result<(), Failure> {
        Self::record(self, record);
        Ok(())
    }

    fn summarise(&mut self, summary: &RecordSummary) {
        Self::summarise(self, summary);
    }

    fn look(&mut self, _: Duration) -> Result<(), Failure> {
        Ok(())
    }
}

fn part() -> AgentPart {
    AgentPart::default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Bin by bin, slice by slice, request by request and step by step: whatever order batches come in.
    #[test]
    fn merged_is_what_the_records_one_after_the_other_are(
        of_agents in prop::collection::vec(prop::collection::vec(any_record(), 0..60), 1..4),
        batch in 1_usize..20,
        order in any::<u64>(),
    ) {
        let mut whole = account();
        of_agents.iter().flatten().for_each(|record| whole.record(record));

        let mut merged = account();
        let mut merge = Merge { parts: of_agents.iter().map(|_| part()).collect(), started: Instant::now() };
        let mut waiting: Vec<Vec<Vec<RequestRecord>>> =
            of_agents.iter().map(|records| records.chunks(batch).map(<[_]>::to_vec).collect()).collect();
        let mut rng = fastrand::Rng::with_seed(order);
        while waiting.iter().any(|batches| !batches.is_empty()) {
            let agent = rng.usize(..waiting.len());
            if waiting[agent].is_empty() {
                continue;
            }
            // As they come over the pipe.
            let mut sent = RecordBatch::default();
            waiting[agent].remove(0).iter().for_each(|record| sent.push(record));
            let told = Told::Records(sent.records().unwrap());
            prop_assert!(merge.take(agent, told, &mut merged).is_ok());
        }
        prop_assert_eq!(shown(&merged), shown(&whole));
        let (_, parts) = merge.end();
        for (part, records) in parts.iter().zip(&of_agents) {
            prop_assert_eq!(part.recorded, records.len() as u64);
            prop_assert_eq!(part.answered, records.iter().filter(|record| record.error.is_none()).count() as u64);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whichever records were lost: each count is exact, and each latency is in its bin.
    #[test]
    fn counted_is_what_recorded_is_but_for_the_times(
        records in prop::collection::vec((any_record(), any::<bool>()), 1..100),
    ) {
        let (mut whole, mut merged, mut summary) = (account(), account(), RecordSummary::default());
        for (record, is_lost) in &records {
            whole.record(record);
            if *is_lost { summary.add(record) } else { merged.record(record) }
        }
        let mut merge = Merge { parts: vec![part()], started: Instant::now() };
        merge.take(0, Told::Summary(Box::new(summary)), &mut merged).unwrap();
        let counts = |account: &Account| {
            let Account { recorded, answered, cut_short, changed, body_bytes, last_done_ns, .. } = *account;
            let maps = (account.errors.clone(), account.statuses.clone());
            (recorded, answered, cut_short, changed, body_bytes, last_done_ns, maps, account.lag.waited)
        };
        prop_assert_eq!(counts(&merged), counts(&whole));
        let slices = |account: &Account| [account.all.clone(), account.reused.clone(), account.new.clone()];
        for (merged, whole) in slices(&merged).iter().zip(&slices(&whole)) {
            prop_assert_eq!(merged.distribution(), whole.distribution());
        }
        // A bound may cut a bin.
        let near = |ns: u64| records.iter().any(|(record, _)| record.latency_ns.abs_diff(ns) <= ns / 1_000);
        if ![1_000_000, 1_000_000_000].into_iter().any(near) {
            prop_assert_eq!(&merged.buckets, &whole.buckets);
        }
        let lost = records.iter().filter(|(_, is_lost)| *is_lost).count() as u64;
        let (_, parts) = merge.end();
        prop_assert_eq!((parts[0].recorded, parts[0].unrecorded), (lost, lost));
    }
}

#[test]
fn one_that_is_lost_is_told_with_its_time_and_leaves_the_others_whole() {
    let started = Instant::now();
    let mut merge = Merge { parts: vec![part(), part()], started };
    let lost = Told::Lost(started + Duration::from_secs(3), "its pipe ended".into());
    merge.take(1, lost, &mut account()).unwrap();
    let (_, parts) = merge.end();
    assert_eq!(parts[0].lost, None);
    assert_eq!(parts[1].lost, Some(Lost { at_ns: 3_000_000_000, why: "its pipe ended".into() }));
}

#[test]
fn an_error_that_a_host_tells_moves_no_terminal() {
    let mut end = crate::load::hosts::bounds::tests::end(1, 0);
    end.first_errors.insert(ErrorKind::Closed, "reset\x1b[2J by \u{202e}peer".into());
    let together = together(&[&end]);
    assert_eq!(together.first_errors.into_values().collect::<Vec<_>>(), ["reset [2J by  peer"]);
}
