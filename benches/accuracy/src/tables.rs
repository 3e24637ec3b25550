//! What the tables of `simulate` have in common: what makes them ([`Make`]), and what stands in their cells.

use std::ops::Range;
use std::thread;

use unladen_accuracy::{Limits, Merge, Table, Tally};

/// Makes a table of so many runs a row, and tells what is not as promised.
pub(crate) type Make = fn(u64, &mut Vec<String>) -> Table;

pub(crate) fn judge(tally: &Tally, limits: &Limits, what: &str, broken: &mut Vec<String>) {
    broken.extend(tally.shortfalls(limits).iter().map(|shortfall| format!("{what}: {shortfall}")));
}

pub(crate) fn cells(tally: &Tally) -> [String; 4] {
    let (low, high) = tally.coverage_interval();
    [
        percent(tally.coverage()),
        format!("{:.1} – {:.1}", low * 100.0, high * 100.0),
        bias(tally),
        percent(tally.half_width()),
    ]
}

pub(crate) fn bias(tally: &Tally) -> String {
    format!("{:+.2} ± {:.2} %", tally.bias() * 100.0, tally.bias_margin() * 100.0)
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// What comes of the runs 0 … `runs`, in as many parts as there are processors.
pub(crate) fn in_parallel<T: Merge + Send>(runs: u64, work: impl Fn(Range<u64>) -> T + Sync) -> T {
    let parts = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> =
            (0..parts).map(|part| scope.spawn(move || work(runs * part / parts..runs * (part + 1) / parts))).collect();
        let done = threads.into_iter().filter_map(|thread| thread.join().ok());
        done.reduce(Merge::and).unwrap_or_else(|| work(0..0))
    })
}
