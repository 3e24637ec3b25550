//! Parts of several results: [`gates`], the [`agents`] that sent requests, and [`latencies`].

use unladen_document::{Gate, Latencies, LatencyIntervals, LoadAgent};
use unladen_quantity::{Kind, grouped, plain};

use crate::figures::{self, count};
use crate::page::table::{Bar, Cell, Table};
use crate::page::words::Words;
use crate::page::{Block, of_table};

/// Why a run ended before its time: `failed` did; what the figures are of then.
pub(super) fn ended(ended: &str, failed: &str, these: &str) -> Option<Block> {
    match ended {
        "interrupted" => Some(Block::Notice("warn", format!("The run was interrupted: {these} until then.").into())),
        "failed" => Some(Block::Notice("bad", format!("{failed} failed: {these} until then.").into())),
        _ => None,
    }
}

/// The outcome of all `--fail-on` conditions; `None` without conditions.
pub(super) fn verdict(gates: &[Gate]) -> Option<Block> {
    if gates.is_empty() {
        return None;
    }
    let broken: Vec<&Gate> = gates.iter().filter(|gate| gate.broken).collect();
    let untold = gates.iter().filter(|gate| gate.untold && !gate.broken).count() as u64;
    let conditions = count(gates.len() as u64, "failure condition");
    let (class, mut words) = match broken.first() {
        None if gates.len() == 1 => {
            ("good", Words::new().strong("Pass").plain(": the failure condition does not hold."))
        }
        None => ("good", Words::new().strong("Pass").plain(format!(": none of {conditions} holds."))),
        Some(first) => {
            let holds = if broken.len() == 1 { "holds" } else { "hold" };
            let words = Words::new().strong("Fail").plain(format!(": {} of {conditions} {holds}: ", broken.len()));
            ("bad", words.name(first.condition.clone()).plain(format!(" ({}).", first.found)))
        }
    };
    if untold > 0 {
        words = words.plain(format!(" {untold} of them unclear; measure longer."));
    }
    Some(Block::Notice(class, words))
}

/// Broken conditions first.
pub(super) fn gates(gates: &[Gate]) -> Vec<Block> {
    let mut sorted: Vec<&Gate> = gates.iter().collect();
    sorted.sort_by_key(|gate| (!gate.broken, !gate.untold));
    let mut table = Table::new("Failure conditions", &["condition fails if", "verdict", "of", "found"]);
    for gate in sorted {
        let word = match (gate.broken, gate.untold) {
            (true, _) => Words::new().mark("bad", "✗ fail"),
            (_, true) => Words::new().mark("even", "? unclear"),
            _ => Words::new().mark("good", "✓ pass"),
        };
        let of = if gate.arm.is_empty() { &gate.url } else { &gate.arm };
        let of = if of.is_empty() { Words::new() } else { Words::new().name(of.clone()) };
        table.row([
            Words::new().name(gate.condition.clone()).into(),
            word.into(),
            of.into(),
            Cell::new(gate.found.as_str()),
        ]);
    }
    of_table(table)
}

/// The hosts that sent a load or an experiment.
pub(super) fn agents(agents: &[LoadAgent]) -> Table {
    let mut table = Table::new(
        "The hosts that sent them",
        &["host", "by", "#requests", "#send lag p50", "#send lag p99", "#CPU", "#start", "#round trip", "fit"],
    );
    for agent in agents {
        let lag = |key: &str| time(agent.send_lag_ns.as_ref().and_then(|lag| lag.get(key)));
        let fit = match &agent.lost {
            Some(lost) => {
                let at = plain(Kind::Time, lost.at_ns as f64);
                Words::new().mark("bad", format!("lost after {at}")).plain(format!(": {}", lost.why))
            }
            None if agent.fit => Words::new().mark("good", "yes"),
            None => Words::new().mark("bad", "no"),
        };
        table.row([
            Words::new().name(agent.name.clone()).into(),
            Words::new().name(agent.command.clone()).into(),
            Cell::new(grouped(agent.requests as f64, 0)).by(agent.requests as f64),
            lag("p50"),
            lag("p99"),
            time(agent.cpu_ns.as_ref()),
            Cell::new(format!("±{}", plain(Kind::Time, agent.start_uncertainty_ns as f64))),
            time(Some(&agent.round_trip_ns)),
            fit.into(),
        ]);
    }
    table
}

/// A row for each quantile.
pub(super) fn latencies(caption: impl Into<Words>, latencies: &Latencies, intervals: &LatencyIntervals) -> Table {
    let mut table = Table::new(caption, &["quantile", "", "#latency", "#95 % interval"]);
    let most = latencies.iter().filter(|(name, _)| *name != "sd").map(|(_, ns)| *ns as f64).fold(0.0, f64::max);
    let rows = figures::QUANTILES.into_iter().chain([("max", "max seen")]);
    for (key, title) in rows {
        let Some(value) = figures::latency(latencies, key) else { continue };
        let ends = figures::latency_interval(intervals, key);
        let (low, high) = ends.unwrap_or((value, value));
        let said = match ends {
            Some((low, high)) => figures::interval(Kind::Time, low, high),
            // The maximum has none, whatever the number of requests.
            None if key == "max" => String::new(),
            None => "too few requests".to_owned(),
        };
        table.row([
            Cell::new(title),
            Cell::default().bar(Bar::of(value, low, high, most)),
            Cell::new(Words::new().strong(plain(Kind::Time, value))),
            Cell::new(Words::new().faint(said)),
        ]);
    }
    if let Some(spread) = figures::latency(latencies, "sd") {
        table.row([Cell::new("spread (sd)"), Cell::default(), Cell::new(plain(Kind::Time, spread)), Cell::default()]);
    }
    table
}

/// A time of a table; empty if there is none.
pub(super) fn time(ns: Option<&u64>) -> Cell {
    ns.map_or(Cell::default(), |ns| Cell::new(plain(Kind::Time, *ns as f64)).by(*ns as f64))
}
