//! The principal type is [`PerfClock`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig};
use unladen_probe::{GroupId, TraceError, monotonic_ns};
use unladen_profile::{Frame, FrameId, FrameKind, Profile, StackId, Unit};

use super::PerfClockOptions;
use super::following::{Follower, Following};
use super::notes::{Shortcomings, general, left_out};
use super::places::{Places, StackIndex};
use super::symbols::Symbols;
use super::watcher::{Known, Watcher};
use crate::profiler::{Answered, Profiler, ProfilerError};

/// Sends requests, and samples the stacks of all processes that follow them.
#[derive(Debug)]
pub struct PerfClock {
    driver: Driver,
    watcher: Option<Watcher>,
    frequency: u64,
    stretches: Stretches,
    following: Following,
    /// For each request, samples of each stack of each group.
    requests: Vec<BTreeMap<(GroupId, StackIndex), u64>>,
    lost: u64,
    notes: Vec<String>,
}

// === impl PerfClock ===

impl PerfClock {
    /// Starts a client and the kernel's clock. Fails if the configuration is wrong, or this process may not sample: the
    /// error says what that takes.
    pub fn open(driver: DriverConfig, options: PerfClockOptions) -> Result<Self, ProfilerError> {
        let watcher = Watcher::start(options.frequency)?;
        Ok(Self {
            driver: Driver::start(driver)?,
            watcher: Some(watcher),
            frequency: options.frequency.max(1),
            stretches: Stretches::new(fastrand::Rng::new()),
            following: Following::default(),
            requests: Vec::new(),
            lost: 0,
            notes: Vec::new(),
        })
    }

    fn watcher(&self) -> Result<&Watcher, ProfilerError> {
        let ended = || TraceError::Failed { doing: "sampling", why: "it is finished".into() };
        Ok(self.watcher.as_ref().ok_or_else(ended)?)
    }

    fn send(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        Ok(Answered::of(&self.driver.sample(0, cancel)?))
    }

    fn with(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        self.watcher()?.keep(true)?;
        let begun = monotonic_ns();
        let answered = self.send(cancel)?;
        wait(Stretches::settle(answered.took), cancel)?;
        let seen = self.seen(true, begun)?;
        self.requests.push(seen);
        Ok(answered)
    }

    fn without(&mut self, cancel: &Cancel) -> Result<(), ProfilerError> {
        let (gap, length) = self.stretches.without();
        wait(gap, cancel)?;
        self.watcher()?.keep(true)?;
        let begun = monotonic_ns();
        wait(length, cancel)?;
        self.seen(false, begun)?;
        Ok(())
    }

    fn seen(&mut self, is_on: bool, begun: u64) -> Result<BTreeMap<(GroupId, StackIndex), u64>, ProfilerError> {
        let ended = monotonic_ns();
        let kept = self.watcher()?.keep(false)?;
        self.lost += kept.lost;
        let within = || kept.seen.iter().filter(|seen| (begun..ended).contains(&seen.at_ns));
        let length = ended.saturating_sub(begun);
        if is_on {
            self.stretches.learn(Duration::from_nanos(length));
        }
        self.following.add(is_on, length, within().map(|seen| seen.group));
        let mut stacks = BTreeMap::new();
        for seen in within() {
            *stacks.entry((seen.group, seen.stack)).or_default() += 1;
        }
        Ok(stacks)
    }

    fn write(&mut self, known: &Known, into: &mut Profile) {
        let (busy, followers): (Vec<_>, Vec<_>) =
            self.following.followers().into_iter().partition(Follower::is_mostly_background);
        self.notes = general(&self.following, !followers.is_empty() || !busy.is_empty(), self.lost);
        self.notes.extend(busy.iter().map(|busy| left_out(&known.groups.group(busy.group).name, busy)));
        let period = 1_000_000_000 / self.frequency;
        into.about.unit = Unit::CpuNanoseconds;
        into.about.period_ns = Some(period);
        into.about.are_requests = true;

        let names: HashMap<GroupId, String> = followers
            .iter()
            .map(|follower| (follower.group, known.groups.group(follower.group).name.clone()))
            .collect();
        let stacks = |request: &BTreeMap<(GroupId, StackIndex), u64>| -> Vec<(GroupId, StackIndex, u64)> {
            let follow = request.iter().filter(|((group, _), _)| names.contains_key(group));
            follow.map(|((group, stack), samples)| (*group, *stack, *samples)).collect()
        };
        let used: BTreeSet<u32> = self
            .requests
            .iter()
            .flat_map(stacks)
            .flat_map(|(_, stack, _)| known.places.places_of(stack))
            .copied()
            .collect();
        let symbols = Symbols::look_up(&used, &known.places, into);
        let mut shortcomings: HashMap<GroupId, Shortcomings> = HashMap::new();
        let mut written: HashMap<(GroupId, StackIndex), StackId> = HashMap::new();
        for request in &self.requests {
            let cluster = into.begin_request();
            for (group, stack, samples) in stacks(request) {
                shortcomings.entry(group).or_default().add(stack, samples, &known.places, &symbols);
                let id = *written.entry((group, stack)).or_insert_with(|| {
                    push(into, names.get(&group).map_or("", |name| name), stack, &known.places, &symbols)
                });
                into.add(cluster, id, samples.saturating_mul(period));
            }
        }
        for follower in &followers {
            if let (Some(name), Some(shortcomings)) = (names.get(&follower.group), shortcomings.get(&follower.group)) {
                self.notes.extend(shortcomings.notes(name, follower, &known.places));
            }
        }
    }
}

fn push(into: &mut Profile, group: &str, stack: StackIndex, places: &Places, symbols: &Symbols) -> StackId {
    let group = into.frames.intern(Frame { name: group, file: "", line: 0, kind: FrameKind::Group });
    let mut top = into.stacks.push(into.stacks.root(), group);
    let mut below: Option<FrameId> = None;
    for named in places.places_of(stack).iter().rev().filter_map(|place| symbols.get(*place)) {
        for frame in named.frames.iter().rev() {
            // Consecutive calls without a name count as one.
            if named.is_named || below != Some(*frame) {
                top = into.stacks.push(top, *frame);
            }
            below = Some(*frame);
        }
    }
    top
}

/// Fails if cancelled meanwhile.
fn wait(time: Duration, cancel: &Cancel) -> Result<(), ProfilerError> {
    if cancel.wait(time) { Err(ProfilerError::Cancelled) } else { Ok(()) }
}

impl Profiler for PerfClock {
    fn name(&self) -> &'static str {
        "perf"
    }

    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        self.watcher()?.pause(true)?;
        let answered = self.send(cancel);
        self.watcher()?.pause(false)?;
        if let Ok(answered) = &answered {
            self.stretches.learn(answered.took + Stretches::settle(answered.took));
        }
        answered
    }

    fn profile(&mut self, _: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        if !self.stretches.knows() {
            self.plain(cancel)?;
        }
        if self.stretches.is_request_first() {
            let answered = self.with(cancel)?;
            self.without(cancel)?;
            return Ok(answered);
        }
        self.without(cancel)?;
        self.with(cancel)
    }

    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError> {
        let Some(watcher) = self.watcher.take() else { return Ok(()) };
        let known = watcher.finish()?;
        self.write(&known, into);
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// Bounds on the wait after an answer for remaining work, which otherwise is as long as the answer took.
const SETTLE: std::ops::RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_millis(50);

/// Length of a stretch without a request relative to the request's own time: random, so that periodic work cannot keep
/// in step.
const PARTS: std::ops::Range<f64> = 0.5..1.5;

/// Longest pause before a stretch without a request, as a part of its length.
const MOST_GAP: f64 = 0.25;

/// Longest stretch without a request: enough to recognise what is always there.
const LONGEST: Duration = Duration::from_secs(2);

/// Two requests and two stretches without make a block, on-off-off-on or off-on-on-off by a coin toss, so that trends
/// affect both alike.
#[derive(Debug)]
pub(super) struct Stretches {
    random: fastrand::Rng,
    /// Whether the request comes first in the second half of a block, if that is next.
    next: Option<bool>,
    length: Option<Duration>,
}

impl Stretches {
    pub(super) fn new(random: fastrand::Rng) -> Self {
        Self { random, next: None, length: None }
    }

    /// Whether the next request comes before the stretch without.
    fn is_request_first(&mut self) -> bool {
        match self.next.take() {
            Some(is_first) => is_first,
            None => {
                let is_first = self.random.bool();
                self.next = Some(!is_first);
                is_first
            }
        }
    }

    pub(super) fn settle(took: Duration) -> Duration {
        took.clamp(*SETTLE.start(), *SETTLE.end())
    }

    fn learn(&mut self, length: Duration) {
        self.length = Some(length);
    }

    pub(super) fn knows(&self) -> bool {
        self.length.is_some()
    }

    /// Pause before a stretch, and its length.
    pub(super) fn without(&mut self) -> (Duration, Duration) {
        let length = self.length.unwrap_or(*SETTLE.end()).min(LONGEST);
        let part = PARTS.start + (PARTS.end - PARTS.start) * self.random.f64();
        (length.mul_f64(MOST_GAP * self.random.f64()), length.mul_f64(part))
    }
}

#[cfg(test)]
mod tests;
