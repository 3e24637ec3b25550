//! Whose a process is: [`effective_uid`].

/// The effective user id in /proc/PID/status: the second on its line.
pub(crate) fn effective_uid(status: &[u8]) -> Option<u32> {
    let line = status.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"Uid:"))?;
    std::str::from_utf8(line).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}
