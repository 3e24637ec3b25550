//! The principal type is [`Record`]: the fields that Unladen takes from the kernel's `struct taskstats`.

use super::netlink::{u16_at, u32_at, u64_at};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Record {
    pub(crate) tid: i32,
    pub(crate) pid: i32,
    pub(crate) ppid: i32,
    pub(crate) uid: u32,
    pub(crate) comm: String,
    pub(crate) cpu_ns: u64,
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) voluntary_switches: u64,
    pub(crate) involuntary_switches: u64,
}

/// Offsets of fields in `struct taskstats` (include/uapi/linux/taskstats.h).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Bytes before `cpu_run_virtual_total` beyond those of version 14.
    shift_accounting: usize,
    /// Bytes before `ac_tgid` beyond those of version 14.
    shift_tgid: usize,
}

/// The first version with `ac_tgid` (Linux 5.19): before it, a record does not tell a thread's end from a process's.
pub(crate) const FIRST_VERSION: u16 = 12;

impl Layout {
    /// Version 15 (Linux 6.14 and 6.15) put two new fields of 8 bytes behind each kind of delay; 16 moved them to the
    /// end, where they should have gone.
    fn of_version(version: u16) -> Option<Self> {
        match version {
            ..FIRST_VERSION => None,
            15 => Some(Self { shift_accounting: 3 * 16, shift_tgid: 6 * 16 }),
            _ => Some(Self { shift_accounting: 0, shift_tgid: 0 }),
        }
    }
}

impl Record {
    pub(crate) fn with_counts_of(&self, other: &Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_add(other.cpu_ns),
            user_ns: self.user_ns.saturating_add(other.user_ns),
            system_ns: self.system_ns.saturating_add(other.system_ns),
            minor_faults: self.minor_faults.saturating_add(other.minor_faults),
            major_faults: self.major_faults.saturating_add(other.major_faults),
            voluntary_switches: self.voluntary_switches.saturating_add(other.voluntary_switches),
            involuntary_switches: self.involuntary_switches.saturating_add(other.involuntary_switches),
            ..self.clone()
        }
    }

    /// `tid` is the enclosing message's id: `None` if the structure does not hold the same, as the layout is not this
    /// one.
    pub(crate) fn parse(tid: i32, bytes: &[u8]) -> Option<Self> {
        let layout = Layout::of_version(u16_at(bytes, 0)?)?;
        let at = |offset: usize| offset + layout.shift_accounting;
        let number = |offset: usize| u64_at(bytes, at(offset));
        let id = |offset: usize| u32_at(bytes, offset).and_then(|n| i32::try_from(n).ok());
        if id(at(128))? != tid {
            return None;
        }
        let comm = bytes.get(at(80)..at(80) + 32)?;
        let comm = &comm[..comm.iter().position(|&byte| byte == 0).unwrap_or(comm.len())];
        // In microseconds; together they are the scheduler's exact run time rounded down.
        let (user_us, system_us) = (number(152)?, number(160)?);
        let run_time_ns = number(72)?;
        Some(Self {
            tid,
            pid: id(368 + layout.shift_tgid)?,
            ppid: id(at(132))?,
            uid: u32_at(bytes, at(120))?,
            comm: String::from_utf8_lossy(comm).into_owned(),
            // Nanoseconds are there only if the kernel accounts for delays.
            cpu_ns: if run_time_ns > 0 { run_time_ns } else { user_us.saturating_add(system_us).saturating_mul(1_000) },
            user_ns: user_us.saturating_mul(1_000),
            system_ns: system_us.saturating_mul(1_000),
            minor_faults: number(168)?,
            major_faults: number(176)?,
            voluntary_switches: number(272)?,
            involuntary_switches: number(280)?,
        })
    }
}

#[cfg(test)]
mod tests;
