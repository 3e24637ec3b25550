//! Latencies as a table. The principal function is [`table`].

use unladen_document::{Latencies, LatencyIntervals};
use unladen_quantity::{Kind, plain};

use super::table::{Bar, Cell, Table};
use super::words::Words;
use crate::figures;

pub(super) fn table(caption: impl Into<Words>, latencies: &Latencies, intervals: &LatencyIntervals) -> Table {
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
            None => "not carried by so few requests".to_owned(),
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
