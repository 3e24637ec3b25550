//! The hosts file: [`lookup`].

use std::io::{self, Read};
use std::net::IpAddr;
use std::path::Path;

/// Addresses of a name in this file (hosts(5)); empty if it cannot be read.
pub(super) fn lookup(file: &Path, name: &str) -> Vec<IpAddr> {
    read(file).map(|text| find(&String::from_utf8_lossy(&text), name)).unwrap_or_default()
}

fn find(text: &str, name: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or(line);
        let mut words = line.split_ascii_whitespace();
        let Some(address) = words.next() else { continue };
        if words.any(|word| word.strip_suffix('.').unwrap_or(word).eq_ignore_ascii_case(name)) {
            found.extend(address.parse::<IpAddr>());
        }
    }
    found
}

/// Maximum size; a longer file is an error.
const MAX: u64 = 16 << 20;

/// Reads a system file up to the maximum.
pub(super) fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    std::fs::File::open(file)?.take(MAX).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests;
