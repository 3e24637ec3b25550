//! Instructions of a request in user mode, as callgrind counts them, and its system calls, as strace does: what other
//! work on the machine does not change.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Map;

use crate::Result;
use crate::calls::{Amount, Ask, SETTLE};
use crate::comparison::Comparison;
use crate::contestant::Contestant;
use crate::figures::{print, three};
use crate::program::{finish, has};

const REQUESTS: u64 = 5_000;
const WARM_UP: u64 = 1_000;
/// So many kinds of calls are named.
const NAMED: usize = 6;

pub(crate) fn run(all: &Comparison, asks: &[Ask]) -> Result<()> {
    let (has_valgrind, has_strace) = (has("valgrind"), has("strace"));
    for ask in asks {
        println!("\n  {}", ask.what);
        let mut rows = Vec::new();
        for contestant in &all.contestants {
            let counted = has_valgrind && contestant.can_be_counted();
            let instructions = counted.then(|| instructions(all, contestant, ask)).transpose()?;
            let mut calls = if has_strace { system_calls(all, contestant, ask)? } else { Vec::new() };
            calls.sort_by(|a, b| b.1.total_cmp(&a.1));
            let sum: f64 = calls.iter().map(|(_, count)| count).sum();
            let most = calls.iter().take(NAMED).map(|(name, count)| format!("{name} {}", three(*count)));
            rows.push(vec![
                contestant.name.clone(),
                instructions.map_or_else(|| "–".into(), |count| format!("{count:.0}")),
                three(sum),
                most.collect::<Vec<_>>().join(", "),
            ]);
        }
        print(&["a request", "instructions", "system calls", "most of them"], &rows);
    }
    Ok(())
}

fn system_calls(all: &Comparison, contestant: &Contestant, ask: &Ask) -> Result<Vec<(String, f64)>> {
    let standing = all.start(contestant, ask)?;
    all.fill(&standing, ask)?;
    let mut calls = all.calls(&standing, ask)?;
    let mut call = |requests| calls.call(Amount::Requests(requests)).map_err(|error| standing.named(&*error));
    call(WARM_UP)?;
    let asked = all.application.requests()?;
    let processes = standing.running.processes();
    let (table, called) = processes.traced(&["-c"], &all.scratch.path("strace"), || call(REQUESTS))?;
    all.is_from_memory(&standing, asked)?;
    Ok(counts(&table).into_iter().map(|(name, count)| (name, count as f64 / called.requests())).collect())
}

fn instructions(all: &Comparison, contestant: &Contestant, ask: &Ask) -> Result<f64> {
    let standing = all.start_with(contestant, ask, Map::new(), true)?;
    all.fill(&standing, ask)?;
    let mut calls = all.calls(&standing, ask)?;
    let mut call = |requests| calls.call(Amount::Requests(requests)).map_err(|error| standing.named(&*error));
    call(WARM_UP)?;
    std::thread::sleep(SETTLE);
    let asked = all.application.requests()?;
    let (pids, folder) = (standing.running.processes().0, contestant.folder(&all.scratch));
    // Each dump has what was counted since the one before.
    let dump = || -> Result<u64> {
        for pid in &pids {
            finish(Command::new("callgrind_control").arg("--dump").arg(pid.to_string()))?;
        }
        sum(&folder)
    };
    let before = dump()?;
    let called = call(REQUESTS)?;
    std::thread::sleep(SETTLE);
    let counted = dump()? - before;
    all.is_from_memory(&standing, asked)?;
    Ok(counted as f64 / called.requests())
}

/// Of all that callgrind has dumped.
fn sum(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("out.") {
            let text = fs::read_to_string(entry.path())?;
            let totals = text.lines().filter_map(|line| line.strip_prefix("totals:"));
            sum += totals.filter_map(|count| count.trim().parse::<u64>().ok()).sum::<u64>();
        }
    }
    Ok(sum)
}

/// `% time  seconds  usecs/call  calls  [errors]  syscall`
fn counts(table: &str) -> Vec<(String, u64)> {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = *words.last()?;
        words.first()?.parse::<f64>().ok()?;
        (name != "total" && words.len() >= 5).then(|| Some((name.to_owned(), words[3].parse().ok()?)))?
    };
    table.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_strace_is_understood() {
        let table = "% time     seconds  usecs/call     calls    errors syscall\n\
                     ------ ----------- ----------- --------- --------- ----------------\n \
                     62.11    0.101000           5     20000           writev\n \
                     37.89    0.061600           3     20001       120 read\n\
                     100.00    0.162600           4     40001       120 total\n";
        assert_eq!(counts(table), [("writev".to_owned(), 20_000), ("read".to_owned(), 20_001)]);
    }
}
