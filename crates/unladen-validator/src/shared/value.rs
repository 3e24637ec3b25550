//! [`write`], [`read`]: an answer as stored in Valkey: `=RUN TIME vLABEL`, or `n` where there is no label.

use crate::Version;

/// Most bytes of a key or of an answer: longer ones are not shared.
pub(super) const LONGEST: usize = 1024;

/// `at`: the engine's time, with this run id, before the question was sent.
pub(super) fn write(run: &str, at: u64, version: &Version) -> Vec<u8> {
    let mut value = format!("={run} {at} ").into_bytes();
    match version {
        None => value.push(b'n'),
        Some(version) => {
            value.push(b'v');
            value.extend_from_slice(version);
        }
    }
    value
}

/// The time and the answer; `None` if it is invalid, or for another run of the engine.
pub(super) fn read(value: &[u8], run: &str) -> Option<(u64, Version)> {
    if value.len() > 2 * LONGEST {
        return None;
    }
    let rest = value.strip_prefix(b"=")?.strip_prefix(run.as_bytes())?.strip_prefix(b" ")?;
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let (at, rest) = (rest.get(..space)?, rest.get(space + 1..)?);
    if at.is_empty() || at.len() > 19 || !at.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let at = std::str::from_utf8(at).ok()?.parse().ok()?;
    match rest {
        b"n" => Some((at, None)),
        [b'v', version @ ..] => Some((at, Some(version.into()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
