use unladen_trace::{Counted, Series, SleepSeen};

use super::*;
use crate::judged::unjudged;
use crate::rules::tests::testing::{PYTHON, each, lean};

/// A page that sleeps once in each request, in all so long in each phase with requests: `long` in one of them, ns.
fn sleeping(each_ns: u64, long: u64) -> Evidence {
    let mut evidence = lean();
    let count = each(1);
    let mut is_first = true;
    let time_ns: Series = (0..evidence.phases.all().len())
        .map(|phase| {
            let time = count.in_phase(phase) * each_ns;
            if time > 0 && std::mem::take(&mut is_first) { time + long } else { time }
        })
        .collect();
    evidence.sleeps.push(SleepSeen { group: PYTHON, counted: Counted { count, time_ns, ..Counted::default() } });
    evidence
}

/// A page that slept 2 ms in each request was said to carry nothing, because one sleep took a second on a busy machine.
#[test]
fn silence_about_what_is_likely_was_taken_for_there_is_none() {
    let steady = sleeping(2_000_000, 0);
    assert!(look(&steady).iter().any(|finding| finding.rule == "sleep"));
    assert_eq!(uncertain(&steady), []);

    let uneven = sleeping(2_000_000, 5_000_000_000);
    assert!(look(&uneven).is_empty(), "its interval reaches down to nothing");
    let told = unjudged(&uneven);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].what.as_str(), &told[0].rules[..]), ("app python3.11", &["sleep"][..]));
    assert_eq!(told[0].bearing, Bearing::Uncertain);
    assert_eq!(told[0].why, "`sleep` is likely, but not certain: 1 sleep per request");
}

#[test]
fn noise_is_not_likely() {
    assert_eq!(uncertain(&sleeping(1_000, 0)), [], "the scheduler's business");
    assert_eq!(uncertain(&lean()), []);
}
