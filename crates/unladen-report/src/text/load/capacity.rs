//! The search for the highest rate that holds a limit.

use std::io::{self, Write};

use unladen_quantity::{Kind, grouped, plain, short};

use crate::load::{FoundCapacity, Trial};
use crate::style::Style;
use crate::text::figure::interval;
use crate::text::prose::{clean, sentence};
use crate::text::table::{Grid, strong, warn};

pub(super) fn capacity(found: &FoundCapacity, style: Style, out: &mut dyn Write) -> io::Result<()> {
    sentence(&(verdict(found) + &why_broken(found)), style, out)?;
    let quantile = found.limit.split(['<', '≤', '=']).next().unwrap_or_default().trim();
    let mut table = Grid::new(&["tried", "requests", quantile, "95 % interval", "failed", &found.limit])
        .left(5)
        .expendable(&[1, 4]);
    for trial in &found.trials {
        let ends = trial.quantile.and_then(|(_, ends)| ends);
        table.row([
            format!("{}/s", short(Kind::Count, trial.rate)),
            grouped(trial.planned as f64, 0),
            trial.quantile.map_or(String::new(), |(value, _)| plain(Kind::Time, value as f64)),
            ends.map_or(String::new(), |(low, high)| interval(low as f64, high as f64)),
            grouped(trial.errors as f64, 0),
            outcome(trial),
        ]);
    }
    table.write(style, out)
}

/// `Held p95<100ms up to 212/s, broke it at 218/s.`
fn verdict(found: &FoundCapacity) -> String {
    let limit = &found.limit;
    let rate = |rate| format!("{}/s", short(Kind::Count, rate));
    match (found.highest, found.lowest_broken) {
        (Some(highest), Some(broken)) => format!("Held {limit} up to {}, broke at {}.", rate(highest), rate(broken)),
        (Some(highest), None) => format!("Held {limit} up to {}, the highest rate tried.", rate(highest)),
        (None, Some(broken)) => format!("Broke {limit} already at {}, the lowest rate tried.", rate(broken)),
        (None, None) => format!("No trial told whether {limit} holds: make trials longer (--time)."),
    }
}

/// ` At 218/s, 60 of 2,180 requests failed: …`: a rate may break a limit although its latencies are far below.
fn why_broken(found: &FoundCapacity) -> String {
    let broken = found.trials.iter().rev().find(|trial| Some(trial.rate) == found.lowest_broken);
    let Some((trial, failure)) = broken.and_then(|trial| Some((trial, trial.failure.as_ref()?))) else {
        return String::new();
    };
    let (errors, planned) = (grouped(trial.errors as f64, 0), grouped(trial.planned as f64, 0));
    let rate = short(Kind::Count, trial.rate);
    format!(" At {rate}/s, {errors} of {planned} requests failed, most of them so: {}.", clean(failure).trim_end())
}

fn outcome(trial: &Trial) -> String {
    match (trial.unfit, trial.held) {
        (true, _) => warn("generator unfit"),
        (false, Some(true)) => strong("held"),
        (false, Some(false)) => warn("broke"),
        (false, None) => "not told".to_owned(),
    }
}

#[cfg(test)]
mod tests;
