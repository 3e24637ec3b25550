//! The outcome of requests, and the generator's own cost.

use std::io::{self, Write};

use unladen_quantity::{Kind, grouped, plain};

use crate::load::Load;
use crate::style::Style;
use crate::text::figure::rate;
use crate::text::prose::{clean, fill, sentence};
use crate::text::table::{Grid, warn};

pub(super) fn outcome(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    sentence(&answered(result), style, out)?;
    errors(result, style, out)?;
    generator(result, style, out)
}

fn answered(result: &Load) -> String {
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
            0 => "connections that were open before".to_owned(),
            1 => "1 new connection".to_owned(),
            several => format!("{} new connections", count(several)),
        },
        plain(Kind::Bytes, result.body_bytes as f64),
    );
    if result.statuses.len() > 1 {
        text.push_str(&format!(" Statuses: {}.", result.statuses_text()));
    }
    for (n, what) in [
        (result.unsent, "never sent (as many as allowed were under way until the end)"),
        (result.abandoned, "still under way when interrupted"),
        (result.missing, "missing: the agents that were to send them were lost"),
        (result.cut_short, "not answered in time (in the latencies with the time waited)"),
        (result.changed, "answered with another body than the first"),
    ] {
        if n > 0 {
            text.push_str(&format!(" {} {what}.", count(n)));
        }
    }
    text
}

fn errors(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if result.errors.is_empty() {
        return Ok(());
    }
    let mut table = Grid::new(&["failed", "", "the first of them"]).left(2);
    // The message takes the rest of the line.
    let room = usize::from(style.width).saturating_sub(28).max(20);
    for error in &result.errors {
        let lines = fill(&clean(&error.first), room, style);
        let first = lines.first().cloned().unwrap_or_default();
        table.row([warn(error.kind), warn(&grouped(error.count as f64, 0)), first]);
        for line in lines.into_iter().skip(1) {
            table.row([String::new(), String::new(), line]);
        }
    }
    table.write(style, out)
}

fn generator(result: &Load, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let cpu = plain(Kind::Time, result.client_cpu.as_nanos() as f64);
    let pacing =
        result.pacing.map(|pacing| format!(", {} of it pacing", plain(Kind::Time, pacing.cpu.as_nanos() as f64)));
    let lag = result.send_lag.map(|lag| {
        let [p50, p99, max] = [lag.p50, lag.p99, lag.max].map(|ns| plain(Kind::Time, ns as f64));
        format!("sent at most {p50} late in the median, {p99} for 99 %, {max} at worst; ")
    });
    let text = format!("The generator: {}{cpu} of CPU{}.", lag.unwrap_or_default(), pacing.unwrap_or_default());
    for line in fill(&text, usize::from(style.width), style) {
        writeln!(out, "{}", style.faint(&line))?;
    }
    writeln!(out)
}
