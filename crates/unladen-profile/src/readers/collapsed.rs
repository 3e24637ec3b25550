//! The principal type is [`Collapsed`]: collapsed stacks.

mod austin;

use std::io::{BufRead, Read};

use crate::frame::Frame;
use crate::input::Input;
use crate::profile::{About, ClusterId, MAX_DECIMALS as DIGITS, Profile, Unit};
use crate::readers::{HEAD, MAX_DEPTH, ProfileReader, ReadError, Sum};
use crate::stack::StackId;
use crate::text::{ends_in_number, is_number, place, unescape};

/// Reads collapsed stacks.
///
/// Frames without a name are skipped: Excimer begins some lines with `;`, of the same stacks that it writes without. A
/// line may have no stack at all: py-spy writes one for what it saw outside all functions.
///
/// Weights may have fractions. Lines such as `# mode: wall`, written by Austin, describe the profile: its weights are
/// µs of the clock or of CPU, or bytes. Austin's frames, `/srv/app.py:handle:12`, are functions with a place.
///
/// Others pass over lines that are no stacks, so these are counted; a file that has no more stacks than them is refused.
pub(crate) struct Collapsed;

/// In bytes; a longer line is no stack.
const MAX_LINE: usize = 16 << 20;
/// Lines used to recognise the format.
const LOOKED_AT: usize = 64;

impl ProfileReader for Collapsed {
    fn name(&self) -> &'static str {
        "collapsed"
    }

    fn about(&self) -> &'static str {
        "stackcollapse, Austin, py-spy's raw format, Excimer's formatCollapsed: `a;b;c 12` in each line"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let mut lines: Vec<&[u8]> = head.split(|byte| *byte == b'\n').collect();
        if head.len() >= HEAD && lines.len() > 1 {
            // Probably truncated.
            lines.pop();
        }
        let lines = lines.into_iter().filter(|line| !is_empty(line) && metadata(line).is_none()).take(LOOKED_AT);
        let (mut has_stack, mut has_several_frames, mut good, mut bad) = (false, false, 0, 0);
        for line in lines {
            let is_text = std::str::from_utf8(line).is_ok()
                && !line.iter().any(|byte| *byte < b' ' && *byte != b'\t' && *byte != b'\r');
            match parse(line) {
                Ok((stack, _)) if is_text => {
                    has_stack |= !is_empty(stack);
                    has_several_frames |= stack.contains(&b';');
                    good += 1;
                }
                Err(NEGATIVE) if is_text => good += 1,
                _ => bad += 1,
            }
        }
        has_stack && (bad == 0 || (has_several_frames && good > bad))
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut profile = Profile::new(About { unit: Unit::Samples, ..About::default() });
        let cluster = profile.begin_request();
        let mut lines = Lines::default();
        let mut line = Vec::new();
        let mut weights = Weights::default();
        let (mut good, mut stacks, mut is_difference) = (0_u64, 0_u64, true);
        let (mut bad, mut first_bad) = (0_u64, None);
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
            if let Some((key, value)) = metadata(&line) {
                weights.take_metadata(key, value).map_err(fault)?;
                continue;
            }
            let (stack, weight) = match parse(&line) {
                Ok(parsed) => parsed,
                Err(NEGATIVE) if weights.is_memory() => {
                    weights.given_back += 1;
                    continue;
                }
                Err(what) => {
                    bad += 1;
                    first_bad.get_or_insert((number, what));
                    continue;
                }
            };
            good += 1;
            if !is_empty(stack) {
                stacks += 1;
                is_difference &= ends_in_number(stack);
            }
            let stack = lines.stack(stack, &mut profile).map_err(|what| fault(what.to_owned()))?;
            weights.add(stack, weight).map_err(fault)?;
        }
        if let Some((number, what)) = first_bad {
            if good <= bad {
                return Err(ReadError::at_line(self.name(), number, what));
            }
            profile.notes.push(format!(
                "no stack, and left out: {bad} of {} lines, the first of them line {number}: {what}",
                good + bad
            ));
        }
        let fault = |what: &str| ReadError::at_line(self.name(), 1, what);
        if is_difference && stacks > 0 {
            return Err(fault(
                "all stacks have two numbers, as in a difference of two profiles (difffolded.pl, \
                 inferno-diff-folded): `unladen profile diff` compares the two original files",
            ));
        }
        let is_austin = weights.is_austin;
        if is_austin || austin::is_written_by(&profile) {
            let stacks = austin::with_places(&mut profile);
            weights.weights.iter_mut().for_each(|(stack, _)| *stack = stacks[stack.index()]);
            if !is_austin {
                profile.notes.push("its frames are read as Austin's, `file:function:line`".to_owned());
            }
        }
        weights.finish(&mut profile, cluster).map_err(|what| fault(&what))?;
        Ok(profile)
    }
}

/// Whole units, parts of 10^-[`DIGITS`], and whether there are digits beyond them.
type Weight = (u64, u32, bool);

const NO_NUMBER: &str = "expected a number after the last space";
const NEGATIVE: &str = "expected a number that is not negative after the last space";

fn parse(line: &[u8]) -> Result<(&[u8], Weight), &'static str> {
    let line = line.trim_ascii_end();
    let space = memchr::memrchr2(b' ', b'\t', line).ok_or("expected a stack, a space and a number")?;
    let number = std::str::from_utf8(&line[space + 1..]).map_err(|_| NO_NUMBER)?;
    let number = austin::time_of(number).unwrap_or(number);
    if number.strip_prefix('-').is_some_and(|number| is_number(number.as_bytes())) {
        return Err(NEGATIVE);
    }
    // Some write 12.0, or 12.
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(NO_NUMBER);
    }
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(DIGITS as usize);
    let parts = digits.fold(0, |parts, digit| 10 * parts + u32::from(digit - b'0'));
    let is_cut = fraction.bytes().skip(DIGITS as usize).any(|digit| digit != b'0');
    Ok((&line[..space], (whole.parse().map_err(|_| "the number is beyond 64 bits")?, parts, is_cut)))
}

/// `# mode: wall`, which is no stack.
fn metadata(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_prefix(b"# ")?;
    let (key, value) = line.split_at(memchr::memchr(b':', line)?);
    let is_key = !key.is_empty() && key.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    let value = value.strip_prefix(b": ")?;
    is_key.then(|| (key, value.trim_ascii()))
}

/// The weights of a file, before it is known whether any has a fraction.
#[derive(Default)]
struct Weights {
    weights: Vec<(StackId, (u64, u32))>,
    sum: Sum,
    is_cut: bool,
    /// All fractions are multiples of 10^-digits.
    digits: u32,
    is_austin: bool,
    /// What Austin measured.
    mode: Option<Vec<u8>>,
    /// Samples of memory that was given back.
    given_back: u64,
}

impl Weights {
    /// Fails where another file of another measure begins.
    fn take_metadata(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        match key {
            b"austin" if !self.is_austin && !self.weights.is_empty() => {
                Err("a file of Austin begins behind other stacks: their sum would mean nothing".to_owned())
            }
            b"austin" => {
                self.is_austin = true;
                Ok(())
            }
            b"mode" => match &self.mode {
                Some(mode) if self.is_austin && mode != value => {
                    let [before, now] = [mode, value].map(String::from_utf8_lossy);
                    Err(format!("the mode is `{now}`, and was `{before}` before: their sum would mean nothing"))
                }
                _ => {
                    self.mode = Some(value.to_owned());
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }

    /// For Austin's: µs.
    fn time(&self) -> Option<Unit> {
        match self.mode.as_deref() {
            Some(b"wall" | b"full") => Some(Unit::Nanoseconds),
            Some(b"cpu") => Some(Unit::CpuNanoseconds),
            _ => None,
        }
    }

    fn is_memory(&self) -> bool {
        self.is_austin && self.mode.as_deref() == Some(b"memory")
    }

    fn add(&mut self, stack: StackId, (whole, parts, is_cut): Weight) -> Result<(), String> {
        self.sum.add(whole)?;
        self.is_cut |= is_cut;
        while !parts.is_multiple_of(10_u32.pow(DIGITS - self.digits)) {
            self.digits += 1;
        }
        self.weights.push((stack, (whole, parts)));
        Ok(())
    }

    fn finish(self, profile: &mut Profile, cluster: ClusterId) -> Result<(), String> {
        let mut of_one = 10_u64.pow(self.digits);
        if self.is_austin {
            profile.about.profiler = "austin".to_owned();
            let other = if self.is_memory() { Unit::Bytes } else { Unit::Count };
            profile.about.unit = self.time().unwrap_or(other);
        }
        if self.given_back > 0 {
            profile.notes.push(format!("{} samples of memory that was given back are left out", self.given_back));
        }
        if self.is_austin && self.time().is_some() {
            // With three digits a µs is whole ns; more are rounded.
            of_one = 1000;
        } else {
            profile.about.decimals = self.digits;
            if self.is_cut {
                profile
                    .notes
                    .push(format!("weights have more than {DIGITS} decimals, of which the others are cut off"));
            }
        }
        let mut sum = Sum::default();
        for (stack, (whole, parts)) in self.weights {
            let parts = (u64::from(parts) * of_one).div_euclid(10_u64.pow(DIGITS));
            let weight = whole.checked_mul(of_one).and_then(|weight| weight.checked_add(parts));
            let weight = weight.ok_or("the weights, as parts of 1, add up to more than 64 bits can hold")?;
            profile.add(cluster, stack, sum.add(weight)?);
        }
        Ok(())
    }
}

fn is_empty(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// The previous line, which mostly shares its beginning with the next.
#[derive(Default)]
struct Lines {
    before: Vec<u8>,
    /// Where each frame ends, and the stack up to there.
    frames: Vec<(usize, StackId)>,
}

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
