//! [`version`]: the version inside a server's file, as programs built from source have no package.

use std::io::Read as _;
use std::path::Path;

use memchr::memmem::Finder;

use crate::environment::software::known::{Mark, Program};
use crate::plain_file;

/// Bytes searched: MariaDB's file has 26 MB.
const LONGEST: u64 = 64 * 1024 * 1024;

const LONGEST_VERSION: usize = 32;

pub(crate) fn version(executable: &Path, program: &Program) -> Option<String> {
    if program.mark == Mark::None {
        return None;
    }
    let mut bytes = Vec::new();
    plain_file::open(executable).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    find(&bytes, program.mark)
}

fn find(bytes: &[u8], mark: Mark) -> Option<String> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let beside: Box<dyn Fn(usize) -> Vec<u8>> = match mark {
        Mark::None => return None,
        Mark::After(text) => Box::new(move |at| {
            bytes[at + text.len()..].iter().take(LONGEST_VERSION).copied().take_while(|byte| is_part(byte)).collect()
        }),
        Mark::Before(_) => Box::new(move |at| {
            let reversed = bytes[..at].iter().rev().take(LONGEST_VERSION).copied().take_while(|byte| is_part(byte));
            let mut version: Vec<u8> = reversed.collect();
            version.reverse();
            version
        }),
    };
    let (Mark::After(text) | Mark::Before(text)) = mark else { return None };
    Finder::new(text).find_iter(bytes).map(beside).filter_map(|version| String::from_utf8(version).ok()).find(
        |version| {
            // "2." is half of one, "8" may be anything.
            version.contains('.') && version.split('.').all(|number| !number.is_empty())
        },
    )
}

#[cfg(test)]
mod tests;
