//! The principal type is [`Collapsed`]: collapsed stacks.

use std::io::{BufRead, Read};

use crate::frame::Frame;
use crate::input::Input;
use crate::profile::{About, Profile, Unit};
use crate::read_error::ReadError;
use crate::reader::{HEAD, MAX_DEPTH, ProfileReader};
use crate::stack::StackId;
use crate::text::{place, unescape};

/// Reads collapsed stacks.
///
/// Frames without a name are passed over: Excimer begins some lines with `;`, of the same stacks that it writes
/// without. A line may have no stack at all: py-spy writes such a one of what it saw outside all functions.
pub(crate) struct Collapsed;

/// A longer line is no stack, bytes.
const MAX_LINE: usize = 16 << 20;
/// So many lines tell the format.
const LOOKED_AT: usize = 64;

impl ProfileReader for Collapsed {
    fn name(&self) -> &'static str {
        "collapsed"
    }

    fn about(&self) -> &'static str {
        "stackcollapse, py-spy's raw format, Excimer's formatCollapsed: `a;b;c 12` in each line"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let mut lines: Vec<&[u8]> = head.split(|byte| *byte == b'\n').collect();
        if head.len() >= HEAD && lines.len() > 1 {
            // Cut off, most likely.
            lines.pop();
        }
        let mut lines = lines.into_iter().filter(|line| !is_empty(line)).take(LOOKED_AT);
        let mut has_stack = false;
        let is_stack = |line: &[u8]| {
            let is_text = std::str::from_utf8(line).is_ok()
                && !line.iter().any(|byte| *byte < b' ' && *byte != b'\t' && *byte != b'\r');
            let parsed = parse(line).ok().filter(|_| is_text);
            has_stack |= parsed.is_some_and(|(stack, _)| !is_empty(stack));
            parsed.is_some()
        };
        lines.all(is_stack) && has_stack
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut profile = Profile::new(About { unit: Unit::Samples, ..About::default() });
        let cluster = profile.begin_request();
        let mut lines = Lines::default();
        let mut line = Vec::new();
        for number in 1.. {
            let fault = |what: String| ReadError::at_line(self.name(), number, what);
            line.clear();
            let limit = MAX_LINE as u64 + 1;
            let read =
                input.by_ref().take(limit).read_until(b'\n', &mut line).map_err(|error| fault(error.to_string()))?;
            if read == 0 {
                break;
            }
            if line.len() > MAX_LINE {
                return Err(fault(format!("longer than {MAX_LINE} bytes")));
            }
            if is_empty(&line) {
                continue;
            }
            let (stack, weight) = parse(&line).map_err(|what| fault(what.to_owned()))?;
            let stack = lines.stack(stack, &mut profile).map_err(|what| fault(what.to_owned()))?;
            profile.add(cluster, stack, weight);
        }
        Ok(profile)
    }
}

/// A line as its stack and its weight.
fn parse(line: &[u8]) -> Result<(&[u8], u64), &'static str> {
    let line = line.trim_ascii_end();
    let space = memchr::memrchr2(b' ', b'\t', line).ok_or("expected a stack, a space and a whole number")?;
    let (stack, number) = (&line[..space], &line[space + 1..]);
    // Some write 12.0, or 12.
    let whole = match memchr::memchr(b'.', number) {
        Some(point) if number[point + 1..].iter().all(|digit| *digit == b'0') => &number[..point],
        _ => number,
    };
    if whole.is_empty() || !whole.iter().all(u8::is_ascii_digit) {
        return Err("expected a whole number after the last space");
    }
    let digits = std::str::from_utf8(whole).map_err(|_| "expected a whole number after the last space")?;
    Ok((stack, digits.parse().map_err(|_| "the number is beyond 64 bits")?))
}

fn is_empty(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// The line before, whose beginning the next mostly shares.
#[derive(Default)]
struct Lines {
    before: Vec<u8>,
    /// Where each frame of it ends, and the stack up to there.
    frames: Vec<(usize, StackId)>,
}

// === impl Lines ===

impl Lines {
    fn stack(&mut self, line: &[u8], profile: &mut Profile) -> Result<StackId, &'static str> {
        let common = self.before.iter().zip(line).take_while(|(a, b)| a == b).count();
        let ends_there = |end: usize| line.get(end).is_none_or(|byte| *byte == b';');
        let shared = self.frames.partition_point(|(end, _)| *end <= common);
        self.frames.truncate(shared);
        if self.frames.last().is_some_and(|(end, _)| !ends_there(*end)) {
            self.frames.pop();
        }
        let (mut from, mut stack) = match self.frames.last() {
            Some((end, stack)) => (end + 1, *stack),
            None => (0, profile.stacks.root()),
        };
        while from <= line.len() {
            let end = memchr::memchr(b';', &line[from..]).map_or(line.len(), |length| from + length);
            if end > from {
                let text = String::from_utf8_lossy(&line[from..end]);
                let (text, file, line) = place(&text).unwrap_or((&text, "", 0));
                let (name, kind) = unescape(text);
                let frame = profile.frames.intern(Frame { name: &name, file, line, kind });
                stack = profile.stacks.push(stack, frame);
            }
            self.frames.push((end, stack));
            if self.frames.len() > MAX_DEPTH {
                return Err("more frames than any stack has");
            }
            from = end + 1;
        }
        self.before.clear();
        self.before.extend_from_slice(line);
        Ok(stack)
    }
}

#[cfg(test)]
mod tests;
