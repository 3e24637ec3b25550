//! The principal type is [`Io`]: what a process read and wrote (proc_pid_io(5)).

use crate::procfs::number_after;

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
