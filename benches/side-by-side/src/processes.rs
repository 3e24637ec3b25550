//! The principal type is [`Processes`]: those of one program, what they have cost so far, and their system calls.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use crate::{Result, children};

/// How long strace may take to attach to all threads.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Default)]
pub(crate) struct Processes(pub(crate) Vec<u32>);

impl Processes {
    /// This one, and its children and theirs.
    pub(crate) fn of(pid: u32) -> Self {
        let mut all = vec![pid];
        let mut next = 0;
        while let Some(pid) = all.get(next).copied() {
            next += 1;
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
        Self(all)
    }

    /// Their CPU time, by each process's own clock: the scheduler's exact account, all threads.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let mut sum = Duration::ZERO;
        for pid in &self.0 {
            let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(i32::try_from(*pid)?))?;
            sum += Duration::from(clock_gettime(clock)?);
        }
        Ok(sum)
    }

    /// Their resident memory in MiB. What two of them share counts twice.
    pub(crate) fn resident_mib(&self) -> Result<f64> {
        self.sum_of("VmRSS:")
    }

    /// The most of it since [`Self::forget_peak`], the sum of each one's.
    pub(crate) fn peak_mib(&self) -> Result<f64> {
        self.sum_of("VmHWM:")
    }

    pub(crate) fn forget_peak(&self) -> Result<()> {
        for pid in &self.0 {
            // proc(5): 5 sets the peak to what is resident now.
            fs::write(format!("/proc/{pid}/clear_refs"), "5")?;
        }
        Ok(())
    }

    fn sum_of(&self, key: &str) -> Result<f64> {
        let mut sum = 0.0;
        for pid in &self.0 {
            let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            let kib = line.and_then(|line| line.split_whitespace().next()).ok_or("a process without memory")?;
            sum += kib.parse::<f64>()? / 1024.0;
        }
        Ok(sum)
    }

    /// What strace, with these options, writes of them into a file while something is done; and what came of that.
    pub(crate) fn traced<T>(
        &self,
        options: &[&str],
        log: &Path,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<(String, T)> {
        let mut command: Command = children::tied("strace");
        command.args(options).args(["-f", "-o"]).arg(log);
        for pid in &self.0 {
            command.args(["-p", &pid.to_string()]);
        }
        let mut strace = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let done = self.wait_for(&mut strace).and_then(|()| work());
        // It lets go of the processes, and ends.
        kill(Pid::from_raw(i32::try_from(strace.id())?), Signal::SIGINT)?;
        strace.wait()?;
        Ok((fs::read_to_string(log)?, done?))
    }

    /// Until every thread of theirs is traced.
    fn wait_for(&self, strace: &mut Child) -> Result<()> {
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
            if self.0.iter().all(traced) {
                return Ok(());
            }
            if strace.try_wait()?.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("strace cannot attach (it takes root, and a kernel that permits ptrace)".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_costs_of_this_process_are_read() {
        let own = Processes::of(std::process::id());
        let before = own.cpu().unwrap();
        let block = vec![1_u8; 64 << 20];
        own.forget_peak().unwrap();
        let with = own.resident_mib().unwrap();
        drop(std::hint::black_box(block));
        assert!(own.cpu().unwrap() > before);
        assert!(with > 64.0, "{with}");
        // What was freed is in the peak still, give or take what the kernel counts by the batch, and no more so once it
        // is forgotten.
        assert!(own.peak_mib().unwrap() >= with - 2.0);
        own.forget_peak().unwrap();
        assert!(own.peak_mib().unwrap() < with - 32.0);
    }
}
