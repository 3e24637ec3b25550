//! Notes beside a profile. The principal type is [`Shortcomings`].

use std::collections::HashMap;

use super::following::{Follower, Following};
use super::places::{CodeLocation, Module, Places, StackIndex};
use super::symbols::Symbols;

/// A larger part of a group's program code without names is noted.
const UNNAMED: f64 = 0.2;

/// A larger ratio of a group's activity without requests to that with them is noted.
const BACKGROUND: f64 = 0.05;

/// A program's stack of up to this many frames is short: its position, and perhaps the caller.
const SHORT: usize = 2;

/// Groups with fewer samples are not judged.
const FEWEST: u64 = 20;

#[derive(Debug, Default)]
pub(super) struct Shortcomings {
    samples: u64,
    /// Taken in the program, or below the kernel.
    in_program: u64,
    short: u64,
    ended: u64,
    in_kernel: u64,
    kernel_unnamed: u64,
    unnamed: u64,
    /// By module, where the program's innermost frame has no name.
    unnamed_in: HashMap<u32, u64>,
    made_unnamed: u64,
}

impl Shortcomings {
    pub(super) fn add(&mut self, stack: StackIndex, samples: u64, places: &Places, symbols: &Symbols) {
        self.samples += samples;
        let all = places.places_of(stack);
        let kernel =
            all.iter().take_while(|place| matches!(places.place(**place), Some(CodeLocation::Kernel(_)))).count();
        let is_named = |place: &u32| symbols.get(*place).is_some_and(|named| named.is_named);
        let (kernel, program) = all.split_at(kernel);
        if let Some(leaf) = kernel.first() {
            self.in_kernel += samples;
            self.kernel_unnamed += if is_named(leaf) { 0 } else { samples };
        }
        let Some(leaf) = program.first() else { return };
        self.in_program += samples;
        let module = match places.place(*leaf) {
            Some(CodeLocation::Somewhere { module }) => match places.module_of(module) {
                Some((Module::Ended(_), _)) => {
                    self.ended += samples;
                    return;
                }
                _ => return,
            },
            Some(CodeLocation::Made { .. }) => None,
            Some(CodeLocation::File { module, .. }) => Some(module),
            Some(CodeLocation::Kernel(_)) | None => return,
        };
        self.short += if program.len() <= SHORT { samples } else { 0 };
        if !is_named(leaf) {
            self.unnamed += samples;
            match module {
                Some(module) => *self.unnamed_in.entry(module).or_default() += samples,
                None => self.made_unnamed += samples,
            }
        }
    }

    pub(super) fn notes(&self, group: &str, follower: &Follower, places: &Places) -> Vec<String> {
        let mut notes = Vec::new();
        if follower.off > follower.on * BACKGROUND {
            notes.push(format!(
                "{group}: {:.0} % of its samples also occur without requests ({:.1} per second; {:.1} with requests): \
                 they are not subtracted from any stack",
                share(follower.off, follower.on),
                follower.off,
                follower.on
            ));
        }
        if self.samples < FEWEST {
            return notes;
        }
        self.unnamed_notes(group, places, &mut notes);
        let looked_at = self.in_program.saturating_sub(self.ended);
        if looked_at >= FEWEST && self.short * 2 > looked_at {
            notes.push(format!(
                "{group}: {:.0} % of its stacks in the program have {SHORT} frames or fewer: it is built without \
                 frame pointers (-fno-omit-frame-pointer), so callers are mostly unknown; self shares are right",
                percent(self.short, looked_at)
            ));
        }
        if self.ended as f64 > self.samples as f64 * BACKGROUND {
            notes.push(format!(
                "{group}: {:.0} % of its samples are of processes that ended before their memory could be read: their \
                 functions are not known",
                percent(self.ended, self.samples)
            ));
        }
        if self.kernel_unnamed as f64 > self.in_kernel as f64 * UNNAMED {
            notes.push(format!(
                "{group}: the kernel hides the names of its functions: sysctl kernel.kptr_restrict=1, as root"
            ));
        }
        notes
    }

    fn unnamed_notes(&self, group: &str, places: &Places, notes: &mut Vec<String>) {
        if self.unnamed as f64 <= self.in_program as f64 * UNNAMED {
            return;
        }
        let most = self.unnamed_in.iter().max_by_key(|(module, samples)| (**samples, **module));
        match most.and_then(|(module, samples)| Some((places.module_of(*module)?.0, *samples))) {
            Some((Module::File { path, .. }, samples)) if samples >= self.made_unnamed => notes.push(format!(
                "{group}: {:.0} % of its samples in the program have no function's name, most of them in {path}: stripped symbols: \
                 install the package's -dbgsym",
                percent(self.unnamed, self.in_program)
            )),
            _ => notes.push(format!(
                "{group}: {:.0} % of its samples in the program are in code that it generated, without names: start \
                 it so that it writes /tmp/perf-PID.map (node --perf-basic-prof, python3 -X perf from 3.12)",
                percent(self.unnamed, self.in_program)
            )),
        }
    }
}

pub(super) fn general(following: &Following, follows: bool, lost: u64) -> Vec<String> {
    let mut notes = Vec::new();
    if !follows {
        notes.push(format!(
            "no process ran more often with requests than without, in {} requests and {} samples: send more requests",
            following.requests(),
            following.samples()
        ));
    }
    if lost > 0 {
        notes.push(format!("{lost} samples were lost: the machine was too busy to read them, so shares may be off"));
    }
    notes
}

/// For a group that is busy without requests too.
pub(super) fn left_out(group: &str, follower: &Follower) -> String {
    format!(
        "{group} is left out: it runs more often with requests, but {:.0} % of its samples also occur without them \
         ({:.1} samples per second of {:.1}): to see it, profile where nothing else uses it",
        share(follower.off, follower.on),
        follower.off,
        follower.on
    )
}

fn percent(part: u64, of: u64) -> f64 {
    share(part as f64, of as f64)
}

fn share(part: f64, of: f64) -> f64 {
    if of > 0.0 { 100.0 * part / of } else { 0.0 }
}

#[cfg(test)]
mod tests;
