//! The principal types are [`Stat`], the fields that Unladen takes from /proc/PID/stat (proc_pid_stat(5)), and [`Io`],
//! what a process read and wrote (proc_pid_io(5)).

use crate::procfs::number_after;

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

/// Totals of one process, ended threads included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Io {
    /// Bytes that read(2) and its kin returned, whether from disk, cache, pipe or socket.
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
    pub(crate) read_calls: u64,
    pub(crate) write_calls: u64,
    /// Bytes that the process made the storage layer fetch.
    pub(crate) disk_read_bytes: u64,
    /// Bytes that the process made dirty for the storage layer to write.
    pub(crate) disk_write_bytes: u64,
}

impl Io {
    pub(crate) fn parse(content: &[u8]) -> Option<Self> {
        Some(Self {
            read_bytes: number_after(content, b"rchar:")?,
            write_bytes: number_after(content, b"wchar:")?,
            read_calls: number_after(content, b"syscr:")?,
            write_calls: number_after(content, b"syscw:")?,
            disk_read_bytes: number_after(content, b"read_bytes:")?,
            disk_write_bytes: number_after(content, b"write_bytes:")?,
        })
    }

    pub(crate) fn since(&self, earlier: &Self) -> Self {
        self.combine(earlier, u64::saturating_sub)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    fn combine(&self, other: &Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            read_bytes: each(self.read_bytes, other.read_bytes),
            write_bytes: each(self.write_bytes, other.write_bytes),
            read_calls: each(self.read_calls, other.read_calls),
            write_calls: each(self.write_calls, other.write_calls),
            disk_read_bytes: each(self.disk_read_bytes, other.disk_read_bytes),
            disk_write_bytes: each(self.disk_write_bytes, other.disk_write_bytes),
        }
    }
}

#[cfg(test)]
mod tests;
