//! The principal type is [`Stat`]: the fields that Unladen takes from /proc/PID/stat (proc_pid_stat(5)).

/// `PF_KTHREAD` of include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// One reading of /proc/PID/stat. Times are in clock ticks (10 ms on all common kernels).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stat {
    pub(crate) comm: String,
    pub(crate) ppid: i32,
    pub(crate) kernel_thread: bool,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) user_ticks: u64,
    pub(crate) system_ticks: u64,
    /// User and system ticks of children that ended and were waited for.
    pub(crate) children_ticks: u64,
    pub(crate) threads: u64,
    /// Start in ticks since boot: with the pid, this identifies a process for good.
    pub(crate) start: u64,
}

impl Stat {
    /// `None` if the line differs from the documented format.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        // The name may itself contain blanks and parentheses; only the last one ends it.
        let open = line.iter().position(|&byte| byte == b'(')?;
        let close = line.iter().rposition(|&byte| byte == b')')?;
        let comm = String::from_utf8_lossy(line.get(open + 1..close)?).into_owned();
        let rest = std::str::from_utf8(line.get(close + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // proc_pid_stat(5) counts from 1, and `fields[0]`, the state, is its third.
        let number = |n: usize| fields.get(n - 3)?.parse::<u64>().ok();
        let signed = |n: usize| fields.get(n - 3)?.parse::<i64>().ok();
        let children = signed(16)?.max(0).saturating_add(signed(17)?.max(0));
        Some(Self {
            comm,
            ppid: i32::try_from(signed(4)?).ok()?,
            kernel_thread: number(9)? & KERNEL_THREAD != 0,
            minor_faults: number(10)?,
            major_faults: number(12)?,
            user_ticks: number(14)?,
            system_ticks: number(15)?,
            children_ticks: u64::try_from(children).ok()?,
            threads: number(20)?,
            start: number(22)?,
        })
    }
}

#[cfg(test)]
mod tests;
