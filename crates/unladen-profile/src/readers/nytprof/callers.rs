//! The principal type is [`Callers`]: Devel::NYTProf's sums of who called whom, at the end of a file.

use std::collections::HashMap;

use super::subs::{Sub, Subs};
use super::tree::TooManyPaths;
use crate::profile::{CallCount, Profile};

const MAX_PLACES: usize = 2 << 20;

/// Callers outside any subroutine: a program's own code as it runs, and Perl as it compiles that.
const OUTSIDE: [&str; 2] = ["main::RUNTIME", "main::NULL"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) callee: Sub,
}

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
    pub(super) fn add(&mut self, caller: Sub, call: Call, calls: u32, seconds: f64) -> Result<(), TooManyPaths> {
        if self.callers.len() >= MAX_PLACES || self.sums.len() >= MAX_PLACES {
            return Err(TooManyPaths);
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
