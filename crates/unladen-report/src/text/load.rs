//! The result of `unladen load`: whether the figures are the server's, then the figures.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::{Capacity, Interval, LoadAgent, LoadDocument, Trial, statuses_text};
use unladen_quantity::{Kind, grouped, lasting, plain, short};

use super::agents::agents;
use super::figure::{interval, rate};
use super::prose::{
    answers, aside, clean, cookies, cut_short, dressed, files_unseen, fill, remarks, sentence, warnings,
};
use super::table::{Grid, strong, warn};
use crate::style::Style;

mod latency;

pub(super) fn load(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    head(result, style, out)?;
    unfit(result, style, out)?;
    if !style.details {
        return screen(result, style, out);
    }
    agents(&result.agents, style, out)?;
    if let Some(found) = &result.capacity {
        capacity(found, style, out)?;
    }
    latency::latency(result, style, out)?;
    latency::within(result, style, out)?;
    latency::distribution(result, style, out)?;
    latency::timeline(result, style, out)?;
    latency::steps(&result.steps, style, out)?;
    latency::requests(&result.by_request, style, out)?;
    sentence(&answered(result), style, out)?;
    errors(result, style, out)?;
    generator(result, style, out)?;
    files_unseen(style, out)?;
    warnings(&result.warnings, style, out)
}

/// Whether all were answered, then how fast; parts of the load where it has any.
fn screen(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if let Some(found) = &result.capacity {
        sentence(&(verdict(found) + &why_broken(found)), style, out)?;
    }
    let told = answered(result);
    if result.requests == result.planned {
        sentence(&told, style, out)?;
    } else {
        dressed(&told, |line| style.warn(line), style, out)?;
        writeln!(out)?;
    }
    errors(result, style, out)?;
    latency::latency(result, style, out)?;
    latency::steps(&result.steps, style, out)?;
    if result.steps.len() < 2 {
        latency::within(result, style, out)?;
    }
    latency::requests(&result.by_request, style, out)?;
    warnings(&result.warnings, style, out)?;
    aside("All quantiles, the distribution, the course over time and the generator's own cost: --details", style, out)
}

fn head(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let pace = match (result.rate, result.arrivals.as_deref()) {
        (Some(rate), Some(arrivals)) if result.steps.len() > 1 => format!(
            "{}/s on average in {} steps, {arrivals} arrivals, at most {} at once",
            short(Kind::Count, rate),
            result.steps.len(),
            result.concurrency
        ),
        (Some(rate), Some("constant")) => {
            format!("{}/s at even intervals, at most {} at once", short(Kind::Count, rate), result.concurrency)
        }
        (Some(rate), Some(arrivals)) => {
            format!("{}/s, {arrivals} arrivals, at most {} at once", short(Kind::Count, rate), result.concurrency)
        }
        (Some(rate), None) => format!("{}/s, at most {} at once", short(Kind::Count, rate), result.concurrency),
        (None, _) => format!("closed loop, always {} at once", result.concurrency),
    };
    let connections = if result.keep_alive { "kept alive" } else { "one a request" };
    let cookies = cookies(result.keep_cookies);
    writeln!(out, "{}", style.heading(&clean(&result.target)))?;
    answers(&result.answers, style, out)?;
    let line = format!(
        "{} requests in {}, {pace}, {}, connections {connections}{cookies}; seed {}",
        grouped(result.planned as f64, 0),
        lasting(Duration::from_nanos(result.elapsed_ns)),
        result.http,
        result.about.seed.unwrap_or_default()
    );
    aside(&line, style, out)?;
    result.access_log.iter().try_for_each(|log| aside(&format!("{log}."), style, out))?;
    cut_short(&result.ended, "a request failed", "requests", style, out)?;
    writeln!(out)
}

/// If the generator was the bottleneck, nothing below is worth reading before this.
fn unfit(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if result.unfit.is_empty() {
        return Ok(());
    }
    let verdict = if result.is_torn() {
        "UNFIT: an agent was lost. The figures below are for less than the planned load."
    } else if LoadAgent::lack_records_alone(&result.agents) {
        "UNFIT: records were lost. All requests are in the figures below, but some are missing from the tables by \
         request, step or time."
    } else {
        "UNFIT: the generator was the bottleneck. The figures below are its own, not the server's."
    };
    dressed(verdict, |line| style.warn(line), style, out)?;
    remarks(result.unfit.iter().map(|unfit| format!("{unfit}.")), style, out)
}

/// The search for the highest rate that holds a limit.
fn capacity(found: &Capacity, style: Style, out: &mut dyn Write) -> io::Result<()> {
    sentence(&(verdict(found) + &why_broken(found)), style, out)?;
    let quantile = found.limit.split(['<', '≤', '=']).next().unwrap_or_default().trim();
    let mut table = Grid::new(&["tried", "requests", quantile, "95 % interval", "failed", &found.limit])
        .left(5)
        .expendable(&[1, 4]);
    for trial in &found.trials {
        let ends = trial.low.zip(trial.high).map(|(low, high)| Interval { low, high });
        table.row([
            format!("{}/s", short(Kind::Count, trial.rate)),
            grouped(trial.planned as f64, 0),
            trial.quantile_ns.map_or(String::new(), |value| plain(Kind::Time, value as f64)),
            ends.map_or(String::new(), interval),
            grouped(trial.errors as f64, 0),
            outcome(trial),
        ]);
    }
    table.write(style, out)
}

/// `Held p95<100ms up to 212/s, broke it at 218/s.`
fn verdict(found: &Capacity) -> String {
    let limit = &found.limit;
    let rate = |rate| format!("{}/s", short(Kind::Count, rate));
    match (found.highest, found.lowest_broken) {
        (Some(highest), Some(broken)) => format!("Held {limit} up to {}, broke at {}.", rate(highest), rate(broken)),
        (Some(highest), None) => format!("Held {limit} up to {}, the highest rate tried.", rate(highest)),
        (None, Some(broken)) => format!("Broke {limit} already at {}, the lowest rate tried.", rate(broken)),
        (None, None) => format!("No trial showed whether {limit} holds: make trials longer (--time)."),
    }
}

/// ` At 218/s, 60 of 2,180 requests failed: …`: a rate may break a limit that its latencies are far below.
fn why_broken(found: &Capacity) -> String {
    let Some((trial, failure)) = found.broken_by_failures() else { return String::new() };
    let (errors, planned) = (grouped(trial.errors as f64, 0), grouped(trial.planned as f64, 0));
    let rate = short(Kind::Count, trial.rate);
    format!(" At {rate}/s, {errors} of {planned} requests failed, most of them with: {}.", clean(failure).trim_end())
}

fn outcome(trial: &Trial) -> String {
    match (trial.unfit, trial.held) {
        (true, _) => warn("generator unfit"),
        (false, Some(true)) => strong("held"),
        (false, Some(false)) => warn("broke"),
        (false, None) => "unclear".to_owned(),
    }
}

fn answered(result: &LoadDocument) -> String {
    let count = |n: u64| grouped(n as f64, 0);
    let all = if result.requests == result.planned {
        format!("All {} requests were answered as expected", count(result.planned))
    } else {
        format!("{} of {} requests were answered as expected", count(result.requests), count(result.planned))
    };
    let mut text = format!(
        "{all}, {}/s, over {}; {} of bodies.",
        rate(result.throughput),
        match result.connections {
            0 => "connections that were already open".to_owned(),
            1 => "1 new connection".to_owned(),
            several => format!("{} new connections", count(several)),
        },
        plain(Kind::Bytes, result.body_bytes as f64),
    );
    if result.statuses.iter().count() > 1 {
        text.push_str(&format!(" Statuses: {}.", statuses_text(&result.statuses)));
    }
    for (n, what) in [
        (result.unsent, "never sent (as many as allowed were running until the end)"),
        (result.abandoned, "still running when interrupted"),
        (result.missing, "missing: the agents that should have sent them were lost"),
        (result.cut_short, "not answered in time (counted in the latencies with the time waited)"),
        (result.changed, "answered with a body that differs from the first"),
    ] {
        if n > 0 {
            text.push_str(&format!(" {} {what}.", count(n)));
        }
    }
    text
}

fn errors(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if result.errors.is_empty() {
        return Ok(());
    }
    let mut table = Grid::new(&["failed", "", "first of them"]).left(2);
    // The message takes the rest of the line.
    let room = usize::from(style.width).saturating_sub(28).max(20);
    for (kind, count) in result.errors.iter() {
        let example = result.error_examples.get(kind).map_or("", String::as_str);
        let lines = fill(&clean(example), room, style);
        let first = lines.first().cloned().unwrap_or_default();
        table.row([warn(kind), warn(&grouped(*count as f64, 0)), first]);
        for line in lines.into_iter().skip(1) {
            table.row([String::new(), String::new(), line]);
        }
    }
    table.write(style, out)
}

/// The generator's own cost.
fn generator(result: &LoadDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let time = |ns: u64| plain(Kind::Time, ns as f64);
    let cpu = time(result.client_cpu_ns);
    let pacing = result.pacing.as_ref().map(|pacing| format!(", {} of it pacing", time(pacing.cpu_ns)));
    let lag = result.send_lag_ns.as_ref().map(|lag| {
        let [p50, p99, max] = ["p50", "p99", "max"].map(|name| time(lag.get(name).copied().unwrap_or_default()));
        format!("sent at most {p50} late in the median, {p99} for 99 %, {max} at worst; ")
    });
    let text = format!("The generator: {}{cpu} of CPU{}.", lag.unwrap_or_default(), pacing.unwrap_or_default());
    aside(&text, style, out)?;
    writeln!(out)
}

#[cfg(test)]
mod tests;
