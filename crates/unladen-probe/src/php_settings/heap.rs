//! [`find`] and [`words`]: texts in the heap of a process that has overwritten the originals.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A php-fpm master has some MiB; what is wanted was put there at its start.
const MAX_HEAP: u64 = 64 << 20;
const CHUNK: usize = 1 << 20;
/// Longest text returned: longer than any path.
const MAX_TEXT: usize = 64 << 10;
/// Alignment of allocations (malloc(3) of 64-bit systems).
const ALIGNED: usize = 16;
const MAX_WORD: usize = 4096;
const MOST_WORDS: usize = 200;

/// For each prefix, the rest of the first text in the heap that begins with it, up to the byte 0. `folder` is
/// /proc/PID.
pub(super) fn find(folder: &Path, beginnings: &[&[u8]]) -> io::Result<Vec<Option<Vec<u8>>>> {
    let mut found = vec![None; beginnings.len()];
    each_chunk(folder, |memory| {
        for (beginning, found) in beginnings.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = text(memory, beginning);
        }
    })?;
    Ok(found)
}

/// Wanted texts of printable characters, each at the start of an allocation; `folder` is /proc/PID.
pub(super) fn words(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    each_chunk(folder, |memory| {
        for at in (0..memory.len().min(CHUNK)).step_by(ALIGNED) {
            if found.len() < MOST_WORDS
                && let Some(word) = word(&memory[at..]).filter(|word| is_wanted(word))
            {
                found.push(word.to_owned());
            }
        }
    })?;
    Ok(found)
}

/// Passes the heap on piece by piece, each with the beginning of the next, so that no text is cut.
fn each_chunk(folder: &Path, mut see: impl FnMut(&[u8])) -> io::Result<()> {
    let maps = fs::read_to_string(folder.join("maps"))?;
    // The kernel lists it in pieces where one part was touched before a fork and another after.
    let pieces: Vec<(u64, u64)> = maps.lines().filter_map(heap).collect();
    if pieces.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it has no heap"));
    }
    let memory = File::open(folder.join("mem"))?;
    let mut buffer = vec![0; CHUNK + MAX_TEXT];
    let mut left = MAX_HEAP;
    for (start, end) in pieces {
        let end = end.min(start.saturating_add(left));
        left -= end.saturating_sub(start);
        let mut at = start;
        while at < end {
            let length = usize::try_from(end - at).unwrap_or(usize::MAX).min(buffer.len());
            let read = memory.read_at(&mut buffer[..length], at)?;
            if read == 0 {
                break;
            }
            see(&buffer[..read]);
            at += CHUNK as u64;
        }
    }
    Ok(())
}

fn word(memory: &[u8]) -> Option<&str> {
    let end = memory.iter().take(MAX_WORD).position(|byte| !byte.is_ascii_graphic() && *byte != b' ')?;
    (end > 0 && memory[end] == 0).then(|| std::str::from_utf8(&memory[..end]).ok()).flatten()
}

fn heap(line: &str) -> Option<(u64, u64)> {
    let (start, end) = line.strip_suffix("[heap]")?.split_whitespace().next()?.split_once('-')?;
    Some((u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?))
}

fn text(memory: &[u8], beginning: &[u8]) -> Option<Vec<u8>> {
    let (first, _) = beginning.split_first()?;
    let mut from = 0;
    while let Some(next) = memory[from..].iter().position(|byte| byte == first) {
        let at = from + next;
        // After a printable character, this is the end of another text.
        let begins = at.checked_sub(1).is_none_or(|before| !memory[before].is_ascii_graphic());
        if begins && memory[at..].starts_with(beginning) {
            let rest = &memory[at + beginning.len()..];
            let end = rest.iter().position(|byte| *byte == 0)?;
            return Some(rest[..end].to_vec());
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests;
