//! An access log: what reading it and learning its kinds takes, beside what others make of it.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use crate::children;
use crate::figures::{Series, print, three};
use crate::program::{Origin, unladen};
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench = Bench { name: "log", about: "an access log of a million lines, read", run };

const LINES: u32 = 1_000_000;

const AGENTS: [&str; 3] = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
];

/// What operators do who have no tool for it.
const COUNTED: &str = "awk '{print $7}' \"$0\" | sort | uniq -c | sort -rn | head";

fn run(options: &Options) -> Result<()> {
    let folder = ScratchFolder::new()?;
    let log = folder.path("access.log");
    write(&log)?;
    let mut plan = children::tied(unladen()?);
    plan.args(["bill", "--plan", "http://127.0.0.1/", "--access-log"]).arg(&log);
    let mut readers = vec![("unladen bill --plan", plan)];
    if let Some(goaccess) = Origin::Package("goaccess".into()).path("goaccess", "goaccess") {
        let mut command = children::tied(goaccess);
        command.args(["--no-global-config", "--log-format=COMBINED", "--no-progress", "-o"]);
        command.arg(folder.path("report.json")).arg("-f").arg(&log);
        readers.push(("goaccess -o report.json", command));
    }
    let mut counted = children::tied("sh");
    counted.args(["-c", COUNTED]).arg(&log);
    readers.push(("awk | sort | uniq -c", counted));
    let mut series = vec![[Series::default(), Series::default()]; readers.len()];
    for _ in 0..options.rounds_or(5) {
        for ((_, command), [cpu, wall]) in readers.iter_mut().zip(&mut series) {
            let ran = children::run(command)?;
            cpu.push(ran.cpu.as_secs_f64());
            wall.push(ran.wall.as_secs_f64());
        }
    }
    let row = |(name, [cpu, wall]): (&str, &[Series; 2])| {
        let speed = format!("{} M", three(f64::from(LINES) / cpu.median() / 1e6));
        vec![name.to_owned(), cpu.to_string(), wall.to_string(), speed, cpu.over(&series[0][0]).to_string()]
    };
    let rows: Vec<_> = readers.iter().map(|(name, _)| *name).zip(&series).map(row).collect();
    print(&["reader", "CPU s", "wall s", "lines/s a core", "CPU, ratio to unladen"], &rows);
    Ok(())
}

/// A wiki's: titles of which the k-th is asked for 1/k as often.
fn write(log: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(log)?);
    let mut rng = fastrand::Rng::with_seed(1);
    for line in 0..LINES {
        let title = (rng.f64() * 100_000_f64.ln()).exp() as u64;
        let target = match rng.u8(0..10) {
            0..6 => format!("/wiki/Some_Title_{title}"),
            6 | 7 => format!("/w/index.php?title=Some_Title_{title}&diff={line}&oldid=5"),
            _ => format!("/w/load.php?modules=module.{}", title % 50),
        };
        let (a, b) = (rng.u8(..), rng.u8(..));
        let agent = AGENTS[usize::from(rng.u8(0..3))];
        let time = format!("10/Oct/2026:{:02}:{:02}:{:02} +0000", line / 41_667, line / 700 % 60, line / 12 % 60);
        writeln!(out, "203.0.{a}.{b} - - [{time}] \"GET {target} HTTP/1.1\" 200 5120 \"-\" \"{agent}\"")?;
    }
    Ok(out.flush()?)
}
