//! Numbers in the kernel's small text files.

/// The number that follows `key` in a file of lines such as `rchar: 4711`.
///
/// ```
/// assert_eq!(unladen_machine::number_after(b"nr_periods 7\nnr_throttled 3\n", b"nr_throttled "), Some(3));
/// ```
pub fn number_after(content: &[u8], key: &[u8]) -> Option<u64> {
    content.split(|&byte| byte == b'\n').find_map(|line| decimal(line.strip_prefix(key)?))
}

/// The decimal number at the start of `bytes`, after blanks.
pub fn decimal(bytes: &[u8]) -> Option<u64> {
    let trimmed = bytes.trim_ascii_start();
    let digits = trimmed.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&trimmed[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
