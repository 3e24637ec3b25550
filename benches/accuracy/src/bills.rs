//! `bills`: real runs of `unladen bill` over kinds of known cost, and the table that tells of them.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use unladen_accuracy::document::put;
use unladen_accuracy::real::billed::{self, Said};
use unladen_accuracy::real::passive;
use unladen_accuracy::real::{Binaries, Neighbour};
use unladen_accuracy::{Limits, Table, Tally};

use crate::interrupt::go_on;
use crate::tables::{cells, judge, percent};

/// A request that is answered with nothing costs less.
const DEAR_NS: f64 = 200_000.0;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs beside each
    #[arg(long, value_name = "N", default_value_t = 50)]
    runs: u64,
    /// Of these, how many are repeated by regression of the server's CPU on its log
    #[arg(long, value_name = "N", default_value_t = 5)]
    passive: u64,
    /// How long each measures
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "2min")]
    time: Duration,
}

/// Whether what is promised is held.
pub(crate) fn prove(args: &Args, document: &Path) -> Result<bool, Box<dyn Error>> {
    let binaries = Binaries::build()?;
    let mut table = Table::new(["beside", "of", "intervals", "coverage", "its interval", "mean error", "mean ±"]);
    let mut sides =
        Table::new(["beside", "by", "costs of kinds", "within 10 %", "within a factor of 2", "for free kinds"]);
    let mut broken = Vec::new();
    for (name, beside) in
        [("nothing", Neighbour::Nothing), ("bursts on half of the processors", Neighbour::HalfTheProcessors)]
    {
        let [mut total, mut crawlers, mut kinds] = [Tally::default(); 3];
        let (mut billed, mut regressed) = (Vec::new(), Vec::new());
        for seed in 1..=args.runs {
            go_on()?;
            let run = billed::run(&binaries, beside, args.time, seed)?;
            let push = |tally: &mut Tally, said: &Said| tally.push(said.truth, said.value, said.low, said.high);
            push(&mut total, &run.total);
            push(&mut crawlers, &run.crawlers);
            run.kinds.iter().for_each(|kind| push(&mut kinds, kind));
            let held = run.kinds.iter().filter(|kind| kind.low <= kind.truth && kind.truth <= kind.high).count();
            let Said { truth, value, low, high } = run.total;
            eprintln!(
                "{name}, run {seed}: total {:.2} s [{:.2}, {:.2}], truth {:.2} s; {held} of {} kinds hold; {:.2} cores added",
                value / 1e9,
                low / 1e9,
                high / 1e9,
                truth / 1e9,
                run.kinds.len(),
                run.load.0,
            );
            if seed <= args.passive {
                billed.extend(run.kinds.iter().map(|kind| (kind.truth, kind.value)));
                regressed.extend(passive::run(&binaries, beside, args.time, seed)?);
            }
            if run.load.0 > run.load.1 {
                broken.push(format!("{name}, run {seed}: {:.2} cores added, at most {:.2}", run.load.0, run.load.1));
            }
        }
        for (by, costs) in [("`unladen bill`", &billed), ("regression", &regressed)] {
            let [within, twice, free] = side(costs);
            sides.row([name.to_owned(), by.to_owned(), costs.len().to_string(), within, twice, free]);
        }
        for (of, tally) in [("the total", total), ("the crawlers' share", crawlers), ("a kind", kinds)] {
            judge(&tally, &Limits::PROMISED, &format!("{of} beside {name}"), &mut broken);
            let [coverage, interval, bias, width] = cells(&tally);
            table.row([name.to_owned(), of.to_owned(), tally.runs().to_string(), coverage, interval, bias, width]);
        }
    }
    eprintln!("{table}");
    broken.iter().for_each(|what| eprintln!("{what}"));
    eprintln!("{sides}");
    put(document, "bills", &table.to_string())?;
    put(document, "passive", &sides.to_string())?;
    Ok(broken.is_empty())
}

/// Of costs, the truth and what was said: parts of those that cost something, and what is said of the others, on average.
fn side(costs: &[(f64, f64)]) -> [String; 3] {
    let (dear, free): (Vec<_>, Vec<_>) = costs.iter().partition(|(truth, _)| *truth > DEAR_NS);
    let part = |low: f64, high: f64| {
        let held = dear.iter().filter(|(truth, said)| (low..=high).contains(&(said / truth))).count();
        percent(held as f64 / dear.len().max(1) as f64)
    };
    let excess = free.iter().map(|(truth, said)| (said - truth) / 1e6).sum::<f64>() / free.len().max(1) as f64;
    [part(0.9, 1.1), part(0.5, 2.0), format!("{excess:+.2} ms")]
}
