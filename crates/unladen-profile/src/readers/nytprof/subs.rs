//! The principal type is [`Subs`]: the subroutines of a file and their definitions.

use std::borrow::Cow;
use std::collections::HashMap;

use indexmap::IndexSet;

use crate::frame::{Frame, FrameId, FrameKind, Frames};
use crate::profile::{CallCount, Profile};

/// Bytes of all names together.
const MAX_TEXT: usize = 64 << 20;

pub(super) type Sub = u32;

#[derive(Default)]
pub(super) struct Subs {
    names: IndexSet<Box<str>>,
    /// By the name in the file, which seldom differs from its final one.
    seen: HashMap<Box<[u8]>, Sub>,
    places: HashMap<Sub, Definition>,
    files: HashMap<u32, Box<str>>,
    text: usize,
}

#[derive(Clone, Copy)]
struct Definition {
    file: u32,
    line: u32,
}

/// A bound on what a file may have us store.
#[derive(Debug, thiserror::Error)]
pub(super) enum Limit {
    #[error("too many names")]
    Text,
    #[error("too many call paths")]
    Paths,
}

impl Subs {
    pub(super) fn intern(&mut self, bytes: &[u8]) -> Result<Sub, Limit> {
        if let Some(id) = self.seen.get(bytes) {
            return Ok(*id);
        }
        let text = String::from_utf8_lossy(bytes);
        let name = without_eval_numbers(&text);
        if !self.names.contains(&*name) {
            self.count(name.len())?;
        }
        let id = self.names.insert_full(name.into()).0 as Sub;
        self.count(bytes.len())?;
        self.seen.insert(bytes.into(), id);
        Ok(id)
    }

    pub(super) fn file(&mut self, file: u32, name: &[u8]) -> Result<(), Limit> {
        self.count(name.len())?;
        let text = String::from_utf8_lossy(name);
        self.files.insert(file, without_eval_numbers(&text).into());
        Ok(())
    }

    /// Where a subroutine is defined. If several evals define it, Devel::NYTProf takes the lowest number.
    pub(super) fn place(&mut self, sub: Sub, file: u32, line: u32) {
        let place = self.places.entry(sub).or_insert(Definition { file, line });
        if file <= place.file {
            *place = Definition { file, line };
        }
    }

    pub(super) fn name(&self, sub: Sub) -> &str {
        &self.names[sub as usize]
    }

    /// Its frame; available after the end of the file, where subroutines' places are.
    pub(super) fn frame(&self, sub: Sub, frames: &mut Frames) -> FrameId {
        let place = self.places.get(&sub);
        let file = place.and_then(|place| self.files.get(&place.file));
        frames.intern(Frame {
            name: self.name(sub),
            file: file.map_or("", |name| name),
            line: place.map_or(0, |place| place.line),
            kind: FrameKind::Function,
        })
    }

    fn count(&mut self, bytes: usize) -> Result<(), Limit> {
        // Table entries that a name takes besides its bytes.
        self.text += bytes + 64;
        if self.text > MAX_TEXT { Err(Limit::Text) } else { Ok(()) }
    }
}

/// `(eval 12)[file:3]` becomes `(eval 0)[file:3]`: code compiled again at a place is the same, as in nytprofcalls.
fn without_eval_numbers(name: &str) -> Cow<'_, str> {
    if !name.contains("eval ") {
        return Cow::Borrowed(name);
    }
    let mut clean = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(begin) = rest.find("eval ") {
        let (before, after) = rest.split_at(begin + "eval ".len());
        clean.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        rest = after;
        let word = before[..begin].trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        if digits > 0 && word.ends_with('(') && after[digits..].starts_with(")[") && has_line(&after[digits + 2..]) {
            clean.push('0');
            rest = &after[digits..];
        }
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// Whether a place follows: `file:3]`.
fn has_line(text: &str) -> bool {
    text.match_indices(']').any(|(end, _)| {
        let file = text[..end].trim_end_matches(|digit: char| digit.is_ascii_digit());
        file.len() < end && file.len() > 1 && file.ends_with(':')
    })
}

const MAX_PLACES: usize = 2 << 20;

/// Callers outside any subroutine: a program's own code as it runs, and Perl as it compiles that.
const OUTSIDE: [&str; 2] = ["main::RUNTIME", "main::NULL"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) callee: Sub,
}

/// Devel::NYTProf's sums of who called whom, at the end of a file.
#[derive(Default)]
pub(super) struct Callers {
    callers: HashMap<Call, Sub>,
    sums: HashMap<(Sub, Sub), Sum>,
}

#[derive(Default, Clone, Copy)]
struct Sum {
    calls: u64,
    seconds: f64,
}

impl Callers {
    /// Adds calls from a place; `seconds` exclude what the callee called in turn.
    pub(super) fn add(&mut self, caller: Sub, call: Call, calls: u32, seconds: f64) -> Result<(), Limit> {
        if self.callers.len() >= MAX_PLACES || self.sums.len() >= MAX_PLACES {
            return Err(Limit::Paths);
        }
        self.callers.insert(call, caller);
        let sum = self.sums.entry((caller, call.callee)).or_default();
        sum.calls += u64::from(calls);
        sum.seconds += seconds;
        Ok(())
    }

    pub(super) fn of(&self, call: Call) -> Option<Sub> {
        self.callers.get(&call).copied()
    }

    /// For a file without single calls: stacks of a caller and its callee, with the callee's own time on that caller's
    /// behalf. The caller's own callers are not in the file, so a function's total only includes its direct callees.
    pub(super) fn finish(self, subs: &Subs, profile: &mut Profile) {
        let cluster = profile.begin_request();
        let mut sums: Vec<((Sub, Sub), Sum)> = self.sums.into_iter().collect();
        sums.sort_unstable_by_key(|(pair, _)| *pair);
        for ((caller, callee), sum) in sums {
            let callee = subs.frame(callee, &mut profile.frames);
            let is_outside = OUTSIDE.contains(&subs.name(caller));
            let caller = (!is_outside).then(|| subs.frame(caller, &mut profile.frames));
            let stack = profile.stacks.intern(caller.into_iter().chain([callee]));
            // Subtracting the profiler's own cost may leave small negative times.
            let ns = (sum.seconds * 1e9).round().max(0.0) as u64;
            if ns > 0 {
                profile.add(cluster, stack, ns);
            }
            profile.add_calls(cluster, CallCount { caller, callee, calls: sum.calls });
        }
    }
}

#[cfg(test)]
mod tests;
