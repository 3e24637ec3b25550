//! Instructions of a request in user mode, as callgrind counts them, and its system calls, as strace does: what other
//! work on the machine does not change.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::contestant::{Contestant, Place};
use super::hit::{self, LARGE, SMALL};
use super::page::Page;
use super::standing::{MEMORY, Standing};
use super::world::World;
use crate::figures::{print, three};
use crate::rig::callers::{Amount, Callers, Calls, SETTLE};
use crate::rig::strace::counted;
use crate::{Result, peers};

const REQUESTS: u64 = 5_000;
const WARM_UP: u64 = 1_000;

pub(super) fn run(world: &World) -> Result<()> {
    let (has_valgrind, has_strace) = (peers::has("valgrind"), peers::has("strace"));
    for (what, page, is_conditional, connections) in [
        ("a hit, 476 bytes", SMALL, false, 64),
        ("a hit, 476 bytes, one connection", SMALL, false, 1),
        ("a hit, 20 KB", LARGE, false, 64),
        ("a 304", SMALL, true, 64),
    ] {
        println!("\n  {what}");
        let calls = Calls { connections, ..hit::calls(page, is_conditional) };
        let mut rows = Vec::new();
        for contestant in &world.contestants {
            let instructions = if has_valgrind { instructions(world, &**contestant, page, &calls)? } else { None };
            let mut counts = if has_strace { system_calls(world, &**contestant, page, &calls)? } else { Vec::new() };
            counts.sort_by(|a, b| b.1.total_cmp(&a.1));
            let all: f64 = counts.iter().map(|(_, count)| count).sum();
            let most = counts.iter().take(5).map(|(name, count)| format!("{name} {}", three(*count)));
            rows.push(vec![
                contestant.name(),
                instructions.map_or_else(|| "–".into(), |count| format!("{count:.0}")),
                three(all),
                most.collect::<Vec<_>>().join(", "),
            ]);
        }
        print(&["", "instructions", "system calls", "most of them"], &rows);
    }
    Ok(())
}

fn system_calls(world: &World, contestant: &dyn Contestant, page: Page, calls: &Calls) -> Result<Vec<(String, f64)>> {
    let standing = Standing::start(world, contestant, MEMORY)?;
    standing.fill(&[page])?;
    let mut callers = Callers::start(&standing.listen, calls)?;
    let mut call = |requests| {
        let called = callers.call(Amount::Requests(requests), calls.connections);
        called.map_err(|error| standing.named(&*error))
    };
    call(WARM_UP)?;
    let asked = world.origin.requests()?;
    let counts = counted(standing.processes().pids(), &world.scratch, || Ok(call(REQUESTS)?.requests))?;
    standing.is_from_memory(asked)?;
    Ok(counts)
}

/// None: it does not run as one process.
fn instructions(world: &World, contestant: &dyn Contestant, page: Page, calls: &Calls) -> Result<Option<f64>> {
    let listen = world.ports.borrow_mut().free()?;
    let place = Place { listen, origin: world.origin.port, memory: MEMORY, tls: None, more: String::new() };
    let folder = world.scratch.path("callgrind");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder)?;
    let Some(command) = contestant.single(&place, &folder)? else { return Ok(None) };
    let out = folder.join("out");
    let traced = |_: &Path| {
        let mut traced = Command::new("valgrind");
        traced.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}.%p", out.display()));
        Ok(std::mem::replace(traced.arg(command.get_program()).args(command.get_args()), Command::new("true")))
    };
    let standing = Standing::run(world, contestant.name(), listen, traced)?;
    standing.fill(&[page])?;
    let mut callers = Callers::start(&standing.listen, calls)?;
    let mut call = |requests| {
        let called = callers.call(Amount::Requests(requests), calls.connections);
        called.map_err(|error| standing.named(&*error))
    };
    call(WARM_UP)?;
    std::thread::sleep(SETTLE);
    let asked = world.origin.requests()?;
    let pids = standing.processes();
    // Each dump has what was counted since the one before.
    dump(pids.pids())?;
    let before = sums(&folder)?;
    let requests = call(REQUESTS)?.requests;
    std::thread::sleep(SETTLE);
    dump(pids.pids())?;
    let counted = sums(&folder)? - before;
    standing.is_from_memory(asked)?;
    Ok(Some(counted as f64 / requests as f64))
}

fn dump(pids: &[u32]) -> Result<()> {
    for pid in pids {
        let mut command = Command::new("callgrind_control");
        let output = command.arg("--dump").arg(pid.to_string()).output()?;
        if !output.status.success() {
            return Err(format!("callgrind_control: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
        }
    }
    Ok(())
}

/// Of all that has been dumped.
fn sums(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)?.flatten() {
        if !entry.file_name().to_string_lossy().starts_with("out.") {
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        let totals = text.lines().filter_map(|line| line.strip_prefix("totals:"));
        sum += totals.filter_map(|count| count.trim().parse::<u64>().ok()).sum::<u64>();
    }
    Ok(sum)
}
