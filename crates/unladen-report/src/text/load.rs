//! The result of `unladen load`: whether the figures are the server's, then the figures.

use std::io::{self, Write};

use unladen_document::LoadAgent;
use unladen_quantity::{Kind, grouped, lasting, short};

use super::agents::agents;
use super::prose::{answers, clean, cookies, files_unseen, fill, warnings, wrapped};
use crate::ended::Ended;
use crate::load::Load;
use crate::style::Style;

mod capacity;
mod latency;
mod outcome;
mod parts;
mod picture;

pub(super) fn load(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    head(result, style, out)?;
    unfit(result, style, out)?;
    agents(&result.agents, style, out)?;
    if let Some(found) = &result.capacity {
        capacity::capacity(found, style, out)?;
    }
    latency::latency(result, style, out)?;
    latency::within(result, style, out)?;
    picture::distribution(result, style, out)?;
    picture::timeline(result, style, out)?;
    parts::steps(&result.steps, style, out)?;
    parts::requests(&result.by_request, style, out)?;
    outcome::outcome(result, style, out)?;
    files_unseen(style, out)?;
    warnings(&result.warnings, style, out)
}

fn head(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let setup = &result.setup;
    let pace = match (setup.rate, setup.arrivals) {
        (Some(rate), Some(arrivals)) if result.steps.len() > 1 => format!(
            "{}/s on average in {} steps, {arrivals} arrivals, at most {} at once",
            short(Kind::Count, rate),
            result.steps.len(),
            setup.concurrency
        ),
        (Some(rate), Some("constant")) => {
            format!("{}/s at even intervals, at most {} at once", short(Kind::Count, rate), setup.concurrency)
        }
        (Some(rate), Some(arrivals)) => {
            format!("{}/s, {arrivals} arrivals, at most {} at once", short(Kind::Count, rate), setup.concurrency)
        }
        (Some(rate), None) => format!("{}/s, at most {} at once", short(Kind::Count, rate), setup.concurrency),
        (None, _) => format!("closed loop, always {} at once", setup.concurrency),
    };
    let connections = if setup.keep_alive { "kept alive" } else { "one a request" };
    let cookies = cookies(setup.keep_cookies);
    writeln!(out, "{}", style.heading(&clean(&setup.target)))?;
    answers(&result.answers, style, out)?;
    let line = format!(
        "{} requests in {}, {pace}, {}, connections {connections}{cookies}; seed {}",
        grouped(result.planned as f64, 0),
        lasting(result.elapsed),
        clean(&setup.http),
        setup.seed
    );
    for line in fill(&line, usize::from(style.width), style) {
        writeln!(out, "{}", style.faint(&line))?;
    }
    if let Some(log) = &result.access_log {
        for line in fill(&clean(&format!("{log}.")), usize::from(style.width), style) {
            writeln!(out, "{}", style.faint(&line))?;
        }
    }
    match result.ended {
        Ended::Complete => {}
        Ended::Interrupted => writeln!(out, "{}", style.warn("interrupted: these are the requests until then"))?,
        Ended::Failed => writeln!(out, "{}", style.warn("a request failed: these are the requests until then"))?,
    }
    writeln!(out)
}

/// If the generator was the bottleneck, nothing below is worth reading before this.
fn unfit(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if result.unfit.is_empty() {
        return Ok(());
    }
    let verdict = if result.is_torn() {
        "UNFIT: an agent was lost. The figures below are those of less than the planned load."
    } else if LoadAgent::lack_records_alone(&result.agents) {
        "UNFIT: records were lost. All requests are in the figures below, and some in no table by request, step or time."
    } else {
        "UNFIT: the generator was the bottleneck. The figures below are its own, not the server's."
    };
    for line in fill(verdict, usize::from(style.width), style) {
        writeln!(out, "{}", style.warn(&line))?;
    }
    for unfit in &result.unfit {
        wrapped(&format!("{unfit}."), style, out)?;
    }
    writeln!(out)
}
