//! `fleet`: what purges of 10, 1,000 and 10,000 nodes cost, and the tables behind docs/concepts/fleet.md.

use std::path::Path;

use unladen_accuracy::Table;
use unladen_accuracy::document::{DocumentError, put};
use unladen_accuracy::fleet::{Costs, Fleet};

/// The engine is to be busy no more than this: queues grow beyond.
const BUSY: f64 = 0.7;
/// One seed: the tables are the same each time.
const SEED: u64 = 21;
/// Nodes, their lease in seconds, purges a second, and how many of them are simulated.
const SIZES: [(usize, f64, f64, usize); 4] =
    [(10, 2.0, 1.0, 100), (1_000, 2.0, 1.0, 40), (1_000, 10.0, 1.0, 40), (10_000, 10.0, 0.1, 10)];

/// Writes the tables.
pub(crate) fn write(document: &Path) -> Result<bool, DocumentError> {
    for (name, table) in tables() {
        eprintln!("{name}\n{table}");
        put(document, name, &table.to_string())?;
    }
    Ok(true)
}

fn tables() -> [(&'static str, Table); 2] {
    [("steps", steps()), ("sizes", sizes())]
}

fn steps() -> Table {
    let mut table =
        Table::new(["µs of a core", "write a purge", "each node of a purge", "a beat", "a look", "each node in it"]);
    for costs in Costs::ALL {
        let steps = [costs.publish, costs.each, costs.beat, costs.look, costs.listed];
        table.row([costs.name.to_owned()].into_iter().chain(steps.map(|step| plain(step * 1e6))));
    }
    table
}

fn sizes() -> Table {
    let mut table = Table::new([
        "engine",
        "nodes",
        "lease",
        "busy with beats",
        "a purge, waited for: median",
        "slowest",
        "looks",
        "purges/s until it is busy for 70 %",
    ]);
    for costs in Costs::ALL {
        for (nodes, lease, rate, purges) in SIZES {
            let fleet = Fleet { nodes, lease, rate, costs };
            let idle = fleet.idle_load();
            let mut row = vec![
                costs.name.to_owned(),
                grouped(nodes),
                format!("{lease:.0} s"),
                if idle >= 1.0 { "more than all".to_owned() } else { format!("{} %", plain(idle * 100.0)) },
            ];
            let most = fleet.rate_at(BUSY);
            if most < fleet.rate {
                row.extend(["–", "–", "–"].map(str::to_owned));
            } else {
                let told = fleet.run(purges, SEED);
                let at = |index: usize| time(told.delays[index]);
                row.extend([at(purges / 2), at(purges - 1), plain(told.looks)]);
            }
            row.push(if most == 0.0 { "it ends before".to_owned() } else { plain(most) });
            table.row(row);
        }
    }
    table
}

/// To two digits.
fn plain(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let digits = number.abs().log10().floor() as i32;
    let unit = 10_f64.powi(digits - 1);
    let rounded = (number / unit).round() * unit;
    format!("{rounded:.*}", usize::try_from(1 - digits).unwrap_or(0))
}

fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{} ms", plain(seconds * 1e3)) } else { format!("{} s", plain(seconds)) }
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    match digits.len() {
        4.. => format!("{},{}", &digits[..digits.len() - 3], &digits[digits.len() - 3..]),
        _ => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_digits() {
        assert_eq!([0.0, 0.0123, 1.26, 14.4, 999.0, 1234.0].map(plain), ["0", "0.012", "1.3", "14", "1000", "1200"]);
        assert_eq!([time(0.0123), time(1.26)], ["12 ms", "1.3 s"]);
        assert_eq!([10, 1_000, 10_000].map(grouped), ["10", "1,000", "10,000"]);
    }

    /// The file is what the simulation gives, which is the same everywhere: `unladen-accuracy fleet` writes it.
    #[test]
    fn the_file_has_what_is_simulated() {
        let page = std::fs::read_to_string(unladen_accuracy::document::default_path()).unwrap();
        for (name, table) in tables() {
            assert!(
                page.contains(&table.to_string()),
                "{name} is to be written again: unladen-accuracy fleet\n{table}"
            );
        }
    }
}
