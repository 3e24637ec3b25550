//! The principal type is [`PerfClock`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig, LoadError};
use unladen_probe::{GroupId, TraceError, monotonic_ns};
use unladen_profile::{Frame, FrameId, FrameKind, Profile, StackId, Unit};

use crate::error::ProfilerError;
use crate::profiler::{Answered, Profiler};

use super::PerfClockOptions;
use super::following::{Follower, Following};
use super::notes::{Shortcomings, general, left_out};
use super::places::{Places, StackIndex};
use super::stretches::Stretches;
use super::symbols::Symbols;
use super::watcher::{Known, Watcher};

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
        let sample = self.driver.sample(0, cancel).map_err(|error| match error {
            LoadError::Cancelled => ProfilerError::Cancelled,
            error => error.into(),
        })?;
        let exchange = sample.exchange;
        Ok(Answered {
            took: exchange.done.saturating_duration_since(exchange.sent),
            status: exchange.status,
            bytes: exchange.body_bytes,
        })
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
