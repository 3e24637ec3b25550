//! What the probes take of a core while `unladen weigh` runs as a user runs it.

use std::process::Command;

use crate::crowd::{Crowd, Size};
use crate::figures::{Series, print};
use crate::program::unladen;
use crate::subject::Subject;
use crate::{Bench, Options, Result, children};

pub(crate) const BENCH: Bench =
    Bench { name: "share", about: "the probes' share of a core during `unladen weigh`", run };

/// The usual phases, and the shortest run that they make up an interval in.
const WEIGH: [&str; 8] = ["weigh", "--no-findings", "--json", "--quiet", "--phase", "500ms", "--time", "12s"];

const CROWDS: [(&str, Size); 3] = [
    ("nothing else", Size { idle: 0, active: 0, new_per_second: 0 }),
    ("2,000 idle processes", Size { idle: 2_000, active: 0, new_per_second: 0 }),
    ("2,000 idle, 50 active, 500 new a second", Size { idle: 2_000, active: 50, new_per_second: 500 }),
];

fn run(options: &Options) -> Result<()> {
    let unladen = unladen()?;
    let subject = Subject::up("faults")?;
    let mut shares = vec![Series::default(); CROWDS.len()];
    for _ in 0..options.rounds_or(5) {
        for ((_, size), shares) in CROWDS.iter().zip(&mut shares) {
            let _crowd = Crowd::start(*size)?;
            let ran = children::run(Command::new(&unladen).args(WEIGH).arg(&subject.url))?;
            let document: serde_json::Value = serde_json::from_str(&ran.stdout)?;
            let share = document["probe_share_of_core"].as_f64().ok_or("the result has no probe_share_of_core")?;
            shares.push(share * 100.0);
        }
    }
    let rows: Vec<_> = CROWDS
        .iter()
        .zip(&shares)
        .map(|((what, _), series)| vec![(*what).to_owned(), series.to_string(), series.over(&shares[0]).to_string()])
        .collect();
    print(&["beside", "% of a core", "ratio"], &rows);
    Ok(())
}
