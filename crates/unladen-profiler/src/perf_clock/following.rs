//! Which groups follow the requests. The principal type is [`Following`].

use std::collections::{BTreeMap, HashMap};

use unladen_lockin::{FALSE_DISCOVERY_RATE, benjamini_hochberg, difference};
use unladen_probe::GroupId;

/// A group with a larger part of its samples also without requests is left out: its stacks mostly show something else,
/// and nothing else if it was named by chance.
const MOST_BACKGROUND: f64 = 0.5;

#[derive(Debug, Default)]
pub(super) struct Following {
    on: Stretches,
    off: Stretches,
}

#[derive(Debug, Default)]
struct Stretches {
    count: usize,
    seconds: f64,
    samples: HashMap<GroupId, u64>,
    /// For each stretch in which a group was seen, its samples a second.
    rates: HashMap<GroupId, Vec<f64>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Follower {
    pub(super) group: GroupId,
    /// Samples a second while requests are answered.
    pub(super) on: f64,
    /// Samples a second without.
    pub(super) off: f64,
}

impl Follower {
    /// Whether it does other things more than half of its time.
    pub(super) fn is_mostly_background(&self) -> bool {
        self.off > self.on * MOST_BACKGROUND
    }
}

impl Following {
    pub(super) fn add(&mut self, is_on: bool, length_ns: u64, groups: impl IntoIterator<Item = GroupId>) {
        let stretches = if is_on { &mut self.on } else { &mut self.off };
        let seconds = length_ns.max(1) as f64 / 1e9;
        stretches.count += 1;
        stretches.seconds += seconds;
        let mut counts: BTreeMap<usize, (GroupId, u64)> = BTreeMap::new();
        for group in groups {
            counts.entry(group.index()).or_insert((group, 0)).1 += 1;
        }
        for (group, count) in counts.into_values() {
            *stretches.samples.entry(group).or_default() += count;
            stretches.rates.entry(group).or_default().push(count as f64 / seconds);
        }
    }

    pub(super) fn requests(&self) -> usize {
        self.on.count
    }

    pub(super) fn samples(&self) -> u64 {
        self.on.samples.values().sum()
    }

    /// The groups that are on processors more often during requests, most samples first: on average, at most one in
    /// twenty of those returned is wrong.
    pub(super) fn followers(&self) -> Vec<Follower> {
        let mut groups: Vec<GroupId> = self.on.rates.keys().copied().collect();
        groups.sort_unstable();
        let tested: Vec<_> = groups
            .iter()
            .map(|group| {
                difference((self.off.count, self.off.rates_of(*group)), (self.on.count, self.on.rates_of(*group)))
            })
            .collect();
        let adjusted = benjamini_hochberg(&tested.iter().map(|tested| tested.p_value).collect::<Vec<_>>());
        let mut followers: Vec<Follower> = groups
            .iter()
            .zip(tested.iter().zip(adjusted))
            .filter(|(_, (tested, p_value))| tested.value > 0.0 && *p_value <= FALSE_DISCOVERY_RATE)
            .map(|(group, _)| Follower {
                group: *group,
                on: self.on.per_second(*group),
                off: self.off.per_second(*group),
            })
            .collect();
        followers.sort_by(|a, b| b.on.total_cmp(&a.on));
        followers
    }
}

impl Stretches {
    fn rates_of(&self, group: GroupId) -> &[f64] {
        self.rates.get(&group).map_or(&[], |rates| rates)
    }

    fn per_second(&self, group: GroupId) -> f64 {
        let samples = self.samples.get(&group).copied().unwrap_or_default();
        if self.seconds > 0.0 { samples as f64 / self.seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests;
