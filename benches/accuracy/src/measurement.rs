//! `real`: real runs, and the tables that tell of them.

mod proving;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use unladen_accuracy::Table;
use unladen_accuracy::document::put;
use unladen_accuracy::real::{Binaries, Neighbour, Setting, Weighed, can_make_units};

use crate::interrupt::go_on;

/// Every weight is to be this near to the truth, also beside bursts that take half of the machine.
const NEAR: f64 = 0.02;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs beside bursts on half of the processors, half as many beside other things; 0 for none
    #[arg(long, value_name = "N", default_value_t = 10)]
    runs: u64,
    /// Experiments whose arms are equal, of ten seconds; 0 for none
    #[arg(long, value_name = "N", default_value_t = 200)]
    aa: u64,
    /// Experiments whose candidate is 2 % slower, of five minutes; 0 for none
    #[arg(long, value_name = "N", default_value_t = 5)]
    slow: u64,
    /// How long each measures
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "30s")]
    time: Duration,
}

/// Whether what is promised is held.
pub(crate) fn prove(args: &Args, document: &Path) -> Result<bool, Box<dyn Error>> {
    let binaries = Binaries::build()?;
    let weighed = args.runs == 0 || weigh(args, &binaries, document)?;
    let equals = args.aa == 0 || proving::equals(args.aa, &binaries, document)?;
    let slower = args.slow == 0 || proving::slower(args.slow, &binaries, document)?;
    Ok(weighed && equals && slower)
}

fn weigh(args: &Args, binaries: &Binaries, document: &Path) -> Result<bool, Box<dyn Error>> {
    let half = args.runs.div_ceil(2);
    let mut settings = vec![
        ("nothing", Neighbour::Nothing, false, half),
        ("bursts on half of the processors", Neighbour::HalfTheProcessors, false, args.runs),
        ("bursts on all processors", Neighbour::AllProcessors, false, half),
        ("other clients of the same server", Neighbour::OtherClients, false, half),
    ];
    if can_make_units() {
        settings.push(("bursts on half of the processors", Neighbour::HalfTheProcessors, true, half));
    } else {
        eprintln!("no control group can be made here: that part is left out");
    }

    let mut table = Table::new([
        "beside",
        "group",
        "runs",
        "truth",
        "mean error",
        "largest error",
        "within 2 %",
        "covers",
        "mean ±",
    ]);
    let mut held = true;
    for (name, beside, in_unit, runs) in settings {
        let mut all: Vec<Weighed> = Vec::new();
        for seed in 1..=runs {
            go_on()?;
            let setting = Setting { in_unit, time: args.time, ..Setting::beside(beside, seed) };
            for weighed in setting.run(binaries)? {
                eprintln!(
                    "{name}, run {seed}: {} {:.3} ms [{:.3}, {:.3}], truth {:.3} ms, {:+.2} %",
                    weighed.group,
                    weighed.value / 1e6,
                    weighed.low / 1e6,
                    weighed.high / 1e6,
                    weighed.truth / 1e6,
                    weighed.error() * 100.0
                );
                // Beside others' requests in the same group half a minute cannot be that exact, and says so.
                held &= beside == Neighbour::OtherClients || weighed.error().abs() <= NEAR;
                all.push(weighed);
            }
        }
        let mut groups: Vec<&str> = all.iter().map(|weighed| weighed.group).collect();
        groups.sort_unstable();
        groups.dedup();
        for group in groups {
            let of: Vec<&Weighed> = all.iter().filter(|weighed| weighed.group == group).collect();
            table.row(row(name, group, &of));
        }
    }
    eprintln!("{table}");
    put(document, "real", &table.to_string())?;
    Ok(held)
}

fn row(name: &str, group: &str, of: &[&Weighed]) -> Vec<String> {
    let mean = |value: &dyn Fn(&Weighed) -> f64| of.iter().map(|weighed| value(weighed)).sum::<f64>() / of.len() as f64;
    let count = |is: &dyn Fn(&Weighed) -> bool| of.iter().filter(|weighed| is(weighed)).count().to_string();
    let largest = of.iter().map(|weighed| weighed.error()).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
    vec![
        name.to_owned(),
        format!("`{group}`"),
        of.len().to_string(),
        format!("{:.3} ms", mean(&|weighed| weighed.truth) / 1e6),
        format!("{:+.2} %", mean(&Weighed::error) * 100.0),
        format!("{:+.2} %", largest * 100.0),
        count(&|weighed| weighed.error().abs() <= NEAR),
        count(&Weighed::covers),
        format!("{:.2} %", mean(&Weighed::half_width) * 100.0),
    ]
}
