//! The function is [`counted`]: system calls of what runs, as `strace -c` counts them.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::scratch::ScratchFolder;
use crate::{Result, children};

/// How long it may take to attach to all threads.
const PATIENCE: Duration = Duration::from_secs(10);

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
