//! The system calls of a request, as `strace -c` counts them: apart from what is timed, as a traced call takes many
//! times as long.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::World;
use super::callers::{Amount, Callers, Calls};
use super::peer::{Peer, Running};
use super::route::Upstream;
use super::service::SMALL;
use crate::figures::{print, three};
use crate::scratch::ScratchFolder;
use crate::{Result, children, peers};

const REQUESTS: u64 = 10_000;
const PATIENCE: Duration = Duration::from_secs(10);
/// So many kinds of calls are named.
const NAMED: usize = 6;

pub(super) fn run(world: &World) -> Result<()> {
    if !peers::has("strace") {
        return Ok(());
    }
    let ways = [
        ("64 kept connections, plain upstream", world.service.plain, 64, true),
        ("64 kept connections, TLS upstream", world.service.tls, 64, true),
        ("one kept connection, plain upstream", world.service.plain, 1, true),
        ("new connections, 16 at once, TLS upstream", world.service.tls, 16, false),
    ];
    for (what, upstream, at_once, keep) in ways {
        println!("\n  {what}");
        let mut rows = Vec::new();
        for peer in &world.peers {
            let mut calls = once(world, peer.as_ref(), upstream, at_once, keep)?;
            calls.sort_by(|a, b| b.1.total_cmp(&a.1));
            let all: f64 = calls.iter().map(|(_, count)| count).sum();
            let most = calls.iter().take(NAMED).map(|(name, count)| format!("{name} {}", three(*count)));
            rows.push(vec![peer.name(), three(all), most.collect::<Vec<_>>().join(", ")]);
        }
        print(&["", "calls a request", "most of them"], &rows);
    }
    Ok(())
}

fn once(world: &World, peer: &dyn Peer, upstream: Upstream, at_once: usize, keep: bool) -> Result<Vec<(String, f64)>> {
    let named = |error| format!("{}: {error}", peer.name());
    let route = world.route("one", upstream)?;
    let listen = route.listen.clone();
    let running = Running::start(peer, &world.plan(vec![route]), &world.scratch)?;
    let calls = Calls { path: SMALL.0, length: SMALL.1, connections: at_once, keep, ..Calls::default() };
    let mut callers = Callers::start(&listen, &calls)?;
    callers.call(Amount::Requests(1_000), at_once).map_err(named)?;

    counted(running.processes().pids(), &world.scratch, || {
        let called = callers.call(Amount::Requests(REQUESTS), at_once).map_err(named)?;
        Ok(called.requests)
    })
}

/// System calls of these processes by name, for each of the requests that this makes.
pub(crate) fn counted(
    pids: &[u32],
    scratch: &ScratchFolder,
    make: impl FnOnce() -> Result<u64>,
) -> Result<Vec<(String, f64)>> {
    let table = scratch.path("strace");
    let mut command = children::tied("strace");
    command.args(["-c", "-f", "-o"]).arg(&table);
    for pid in pids {
        command.args(["-p", &pid.to_string()]);
    }
    let mut strace = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let made = attached(&mut strace, pids).and_then(|()| make());
    // It lets go of the processes, and writes its table.
    kill(Pid::from_raw(i32::try_from(strace.id())?), Signal::SIGINT)?;
    strace.wait()?;
    let requests = made? as f64;
    let rows = counts(&fs::read_to_string(&table)?);
    Ok(rows.into_iter().map(|(name, count)| (name, count as f64 / requests)).collect())
}

/// Every thread of theirs is traced.
fn attached(strace: &mut Child, pids: &[u32]) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let traced = |pid: &u32| {
            let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
            tasks.flatten().all(|task| {
                fs::read_to_string(task.path().join("status")).is_ok_and(|status| {
                    status.lines().any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0"))
                })
            })
        };
        if pids.iter().all(traced) {
            return Ok(());
        }
        if strace.try_wait()?.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err("strace cannot attach (it takes root, and a kernel that permits ptrace)".into())
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
                     ------ ----------- ----------- --------- --------- ----------------\n\
                     100.00    0.162600           4     40001       120 total\n";
        assert_eq!(counts(table), [("writev".to_owned(), 20_000), ("read".to_owned(), 20_001)]);
    }
}
