//! [`effective_uid`]: a process's owner.

/// The second id on the line `Uid:` of /proc/PID/status.
pub(crate) fn effective_uid(status: &[u8]) -> Option<u32> {
    let line = status.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"Uid:"))?;
    std::str::from_utf8(line).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}
