//! The principal type is [`Draft`]: one metric of two runs, with the earlier runs' figures, as a [`Judge`] has them.

use crate::between::{Between, Point, Prior};
use crate::effect::{Context, Effect};
use crate::key::{Clock, Key};
use crate::measured::Measured;
use crate::row::{Kind, WhyUnjudged};
use crate::run::Run;
use crate::series::{Look, Origin};
use crate::speed::{Clocks, level};

/// What two runs are judged with.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    pub(crate) before: &'a Run,
    pub(crate) after: &'a Run,
    /// Earlier runs that measured the same, earliest first.
    pub(crate) past: &'a [&'a Run],
    pub(crate) is_same_machine: bool,
    /// Whether the kinds of reference work disagree.
    pub(crate) disagrees: bool,
    /// The machine's speed in both runs, if both have reference work that agrees.
    pub(crate) clocks: Option<Clocks>,
}

impl Judge<'_> {
    /// How much longer times of the later run may be because of more steal, as a logarithm: with a share s less of a
    /// processor, work takes 1 / (1 − s) of the time.
    pub(crate) fn stolen(&self) -> f64 {
        let left = |run: &Run| (1.0 - run.stolen_share).ln();
        left(self.before) - left(self.after)
    }
}

/// Standard deviation, as a share, of a program's speed between two machines beyond what reference work shows: caches
/// and compilers suit programs differently.
const BETWEEN_MACHINES: f64 = 0.03;

/// With this many runs of the later run's machine, those of other machines are not needed.
const ENOUGH: usize = 6;

#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) key: &'a Key,
    pub(crate) before: Option<Measured>,
    pub(crate) after: Option<Measured>,
    pub(crate) is_ratio: bool,
    pub(crate) is_headline: bool,
    /// Reference work that times are divided by.
    pub(crate) reference: Option<Origin<'a>>,
    /// Variation between the earlier runs.
    pub(crate) own: Option<Between>,
    points: Option<(Point, Point)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotJudged(pub(crate) WhyUnjudged);

impl<'a> Draft<'a> {
    /// `None` if one of the runs did not look.
    pub(crate) fn of(judge: &'a Judge<'a>, key: &'a Key) -> Option<Self> {
        let unseen = |run: &Run| run.figures.get(key).and_then(|measured| unseen(key, measured));
        let noise_floor = unseen(judge.before).or(unseen(judge.after));
        let before = judge.before.figure(key, noise_floor)?;
        let after = judge.after.figure(key, noise_floor)?;
        let is_ratio = !key.is_share() && before.is_positive() && after.is_positive();
        let reference = reference(judge, key);
        let look = Look { key, is_ratio, reference, noise_floor };
        let points = look.point(judge.before).zip(look.point(judge.after));
        let past = relevant(judge, key, reference.is_some());
        Some(Self {
            key,
            before: Some(before),
            after: Some(after),
            is_ratio,
            is_headline: before.headline || after.headline,
            reference,
            own: look.between(&past),
            points,
        })
    }

    pub(crate) fn effect(&self, judge: &Judge<'_>, prior: Prior) -> Result<(Effect, Between), NotJudged> {
        // The earlier runs have no points either.
        if self.before.into_iter().chain(self.after).any(|measured| measured.invalid) {
            return Err(NotJudged(WhyUnjudged::RecordsLost));
        }
        let not_comparable = NotJudged(WhyUnjudged::NotComparable);
        let (before, after) = self.points.ok_or(not_comparable)?;
        let clock = self.key.clock();
        let is_of_a_machine = match clock {
            Clock::None => false,
            // Without reference work, times of one machine are compared as they are.
            _ if judge.clocks.is_none() => judge.disagrees || !judge.is_same_machine,
            _ => false,
        };
        if is_of_a_machine {
            return Err(not_comparable);
        }
        let between = prior.with(self.own);
        let machines = if judge.is_same_machine || clock == Clock::None { 0.0 } else { BETWEEN_MACHINES };
        let mixture = match &judge.clocks {
            Some(clocks) if self.reference.is_some() => clocks.mixture,
            _ => 0.0,
        };
        // On the logarithmic scale, or else in the unit.
        let scale = if self.is_ratio || self.key.is_share() { 1.0 } else { self.size() };
        let context = Context {
            between,
            open: (machines * machines + mixture) * scale * scale,
            speed: self.speed(judge) * scale,
        };
        let degrees = |measured: Option<Measured>| measured.map_or(1.0, |measured| measured.degrees);
        let effect = Effect::of((before, degrees(self.before)), (after, degrees(self.after)), context);
        if effect.is_finite() { Ok((effect, between)) } else { Err(not_comparable) }
    }

    /// What the machine's own speed may have added to the logarithm, by its reference work and by its steal: nothing to
    /// counters, nor to times on a processor if the reference work, which steal lengthens alike, corrects them.
    pub(crate) fn speed(&self, judge: &Judge<'_>) -> f64 {
        let slower = match (&judge.clocks, self.key.clock()) {
            _ if self.key.is_share() => 0.0,
            (Some(clocks), Clock::Elapsed) => clocks.ratio + judge.stolen(),
            (None, Clock::Elapsed | Clock::Cpu) => judge.stolen(),
            (Some(_), Clock::Cpu) | (_, Clock::None) => 0.0,
        };
        // A slow machine does less in the same time.
        if self.key.kind == Kind::Rate { -slower } else { slower }
    }

    /// The larger of the two figures.
    pub(crate) fn size(&self) -> f64 {
        self.before.into_iter().chain(self.after).map(|measured| measured.figure.value.abs()).fold(0.0, f64::max)
    }
}

/// How much a similar run may have had without showing it. Weights are always shown. Counts are shown if they are
/// certain: one that is not shown was less than its own margin, give or take as much.
fn unseen(key: &Key, measured: &Measured) -> Option<f64> {
    let floor = measured.figure.noise_floor;
    if key.kind != Kind::Count {
        return floor;
    }
    let margin = measured.figure.low.map_or(0.0, |low| measured.figure.value - low);
    Some(floor.unwrap_or(0.0).max(2.0 * margin))
}

/// The reference work for times on a processor.
fn reference<'a>(judge: &'a Judge<'a>, key: &Key) -> Option<Origin<'a>> {
    let clocks = judge.clocks.as_ref().filter(|_| key.clock() == Clock::Cpu)?;
    let level = level(&judge.before.references, &clocks.names)?;
    Some(Origin { names: &clocks.names, level: level.y })
}

/// Earlier runs that show how this metric varies: for times, those of the later run's machine; if they are few, also
/// those of other machines if the machine's speed is divided out or does not matter.
fn relevant<'a>(judge: &Judge<'a>, key: &Key, has_reference: bool) -> Vec<&'a Run> {
    let here: Vec<&Run> = judge.past.iter().copied().filter(|run| run.machine.is_same(&judge.after.machine)).collect();
    let matters = key.clock() != Clock::None && !has_reference;
    if matters || here.len() >= ENOUGH { here } else { judge.past.to_vec() }
}
