//! The principal type is [`PlanError`].

use std::time::Duration;

use unladen_lockin::MIN_BLOCKS;

use crate::weigh::known::Known;
use crate::weigh::reason::{self, Reason, minutes, rough};

/// What was asked for cannot carry an interval.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum PlanError {
    #[error(
        "{} is too short: a request takes {} ms here and a reading of all counters {} ms of CPU, so a phase lasts {} ms \
         at least{}, and an interval needs {MIN_BLOCKS} blocks of four phases: {} s",
        humantime::format_duration(*.given), millis(known.latency), millis(known.read), millis(*.phase), way(known), needed.as_secs_f64().ceil()
    )]
    TooShort { given: Duration, needed: Duration, phase: Duration, known: Box<Known> },
    #[error(
        "this takes longer than the {} min that a run takes at most without --time: phases last {}, as {why}, and the {MIN_BLOCKS} \
         blocks of four phases that an interval needs take {}. Allow it by --time {}, which has twice as many, or --time {} at least",
        .most.as_secs() / 60, reason::time(*.phase), rough(*.needed), minutes(*.wanted), minutes(*.needed)
    )]
    TooLong { most: Duration, needed: Duration, wanted: Duration, phase: Duration, why: Reason },
    #[error(
        "{given} requests are too few: {needed} are needed for the {MIN_BLOCKS} blocks of phases that an interval takes"
    )]
    TooFew { given: u64, needed: u64 },
    #[error(
        "a settle gap of {} is too short: the way to other hosts, or the age of what exporters tell, needs {} ms (--settle; without it, as much is taken as is needed)",
        humantime::format_duration(*.given), millis(*.needed)
    )]
    ShortSettle { given: Duration, needed: Duration },
    #[error(
        "phases of {} are too short: the settle gap ({}) and a request ({:.0} ms here) need at least {:.0} ms (--phase, --settle)",
        humantime::format_duration(*.given), humantime::format_duration(*.settle), latency.as_secs_f64() * 1e3, needed.as_secs_f64() * 1e3
    )]
    ShortPhase { given: Duration, settle: Duration, needed: Duration, latency: Duration },
}

/// `, with 21 ms more for the answers of other hosts, and a settle gap of 1300 ms for what they tell late`
fn way(known: &Known) -> String {
    let mut way = match known.edge {
        Duration::ZERO => String::new(),
        edge => format!(", with {} ms more for the answers of other hosts", millis(edge)),
    };
    if known.settle > Duration::ZERO {
        way.push_str(&format!(
            ", and a settle gap of {} ms for what hosts and exporters tell late",
            millis(known.settle)
        ));
    }
    way
}

/// `20`, `0.3`
fn millis(duration: Duration) -> String {
    let millis = duration.as_secs_f64() * 1e3;
    if millis < 10.0 { format!("{millis:.1}") } else { format!("{millis:.0}") }
}
