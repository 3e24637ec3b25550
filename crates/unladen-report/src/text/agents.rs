//! The hosts that sent a load; [`program_of`]: what results say of a command.

use std::io::{self, Write};

use unladen_document::LoadAgent;
use unladen_quantity::{Kind, grouped, plain};

use crate::style::Style;
use crate::text::table::{Grid, warn};

pub(super) fn agents(agents: &[LoadAgent], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if agents.is_empty() {
        return Ok(());
    }
    let headings =
        ["sent from", "by", "requests", "send lag p50", "p99", "CPU", "start", "round trip", "stolen", "fit"];
    let mut table = Grid::new(&headings).left(1).left(9).expendable(&[8, 7, 1, 5, 6]);
    let time = |ns: u64| plain(Kind::Time, ns as f64);
    for agent in agents {
        let lag = |of: &str| {
            agent.send_lag_ns.as_ref().and_then(|lags| lags.get(of)).map_or("—".to_owned(), |ns| time(*ns))
        };
        table.row([
            agent.name.clone(),
            program_of(&agent.command),
            grouped(agent.requests as f64, 0),
            lag("p50"),
            lag("p99"),
            agent.cpu_ns.map_or("—".to_owned(), time),
            format!("±{}", time(agent.start_uncertainty_ns)),
            time(agent.round_trip_ns),
            agent.stolen_share.map_or("—".to_owned(), |share| format!("{:.1} %", share * 100.0)),
            fit(agent),
        ]);
    }
    table.write(style, out)
}

fn fit(agent: &LoadAgent) -> String {
    match &agent.lost {
        Some(lost) => warn(&format!("lost after {}", plain(Kind::Time, lost.at_ns as f64))),
        None if agent.unfit.is_empty() => "yes".to_owned(),
        None => warn("no"),
    }
}

/// A command as it may be told: its program, and that there is more. Arguments, and variables before it, may be secrets.
pub fn program_of(command: &str) -> String {
    match command.trim().split_once(char::is_whitespace) {
        _ if command.split_whitespace().next().is_some_and(|first| first.contains('=')) => "…".to_owned(),
        Some((program, _)) => format!("{program} …"),
        None => command.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests;
