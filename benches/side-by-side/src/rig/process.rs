//! The principal type is [`Processes`]: those of one proxy, and what they have cost so far.

use std::fs;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use crate::Result;

#[derive(Debug, Clone)]
pub(crate) struct Processes(Vec<u32>);

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

    /// This one alone.
    pub(crate) fn only(pid: u32) -> Self {
        Self(vec![pid])
    }

    pub(crate) fn pids(&self) -> &[u32] {
        &self.0
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
