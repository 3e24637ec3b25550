//! The hosts that sent a load.

use std::io::{self, Write};

use unladen_quantity::{Kind, grouped, plain};

use crate::load_agent::{LoadAgent, program_of};
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
    let of = |time: std::time::Duration| plain(Kind::Time, time.as_nanos() as f64);
    for agent in agents {
        let lag = |value: Option<u64>| value.map_or("—".to_owned(), time);
        table.row([
            agent.name.clone(),
            program_of(&agent.command),
            grouped(agent.requests as f64, 0),
            lag(agent.send_lag.map(|lag| lag.p50)),
            lag(agent.send_lag.map(|lag| lag.p99)),
            agent.cpu.map_or("—".to_owned(), of),
            format!("±{}", of(agent.start_uncertainty)),
            of(agent.round_trip),
            agent.stolen_share.map_or("—".to_owned(), |share| format!("{:.1} %", share * 100.0)),
            fit(agent),
        ]);
    }
    table.write(style, out)
}

fn fit(agent: &LoadAgent) -> String {
    match &agent.lost {
        Some(lost) => warn(&format!("lost after {}", plain(Kind::Time, lost.at.as_nanos() as f64))),
        None if agent.unfit.is_empty() => "yes".to_owned(),
        None => warn("no"),
    }
}
