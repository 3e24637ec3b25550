//! The principal type is [`OnPath`]: the groups that the requests of an experiment go through.

use std::collections::BTreeSet;

use unladen_load::{Cancel, DriverConfig};
use unladen_lockin::{Arm, Role};
use unladen_path::follow;
use unladen_probe::{GroupId, Instrument};

use crate::path::Path;

/// Most requests followed per arm: pages of one site go through much the same groups.
const MOST_URLS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct OnPath {
    groups: BTreeSet<GroupId>,
    /// Why some or all are unknown.
    pub(crate) unknown: Option<String>,
}

impl OnPath {
    pub(crate) fn unknown(why: &str) -> Self {
        Self { unknown: Some(why.to_owned()), ..Self::default() }
    }

    /// Adds the groups of a switched-on arm, by the first of these requests, and returns them with the processes at which
    /// these were seen.
    pub(crate) fn add(
        &mut self,
        config: &DriverConfig,
        requests: std::ops::Range<usize>,
        instrument: &mut Instrument,
        cancel: &Cancel,
    ) -> (Vec<GroupId>, Vec<u32>) {
        let (mut groups, mut took) = (BTreeSet::new(), Vec::new());
        for request in requests.take(MOST_URLS) {
            let path = match follow(config, request, cancel) {
                Ok(route) => Path::of(route, instrument),
                Err(error) => Path::unknown(error.to_string()),
            };
            groups.extend(path.groups);
            took.extend(path.pids);
            if self.unknown.is_none() {
                self.unknown = path.seen.unknown.map(|unknown| unknown.why);
            }
            if self.unknown.is_some() {
                break;
            }
        }
        self.groups.extend(&groups);
        (groups.into_iter().collect(), took)
    }

    /// Whether the requests go through a group; `None` for an unseen group if not all are known.
    pub(crate) fn holds(&self, group: GroupId) -> Option<bool> {
        match self.groups.contains(&group) {
            true => Some(true),
            false => self.unknown.is_none().then_some(false),
        }
    }
}

/// Arms that together ask everybody any arm asks: the baseline, and those whose changes no other arm includes.
pub(crate) fn telling(arms: &[Arm]) -> impl Iterator<Item = usize> {
    let is_part = |one: &Arm, other: &Arm| one.on != other.on && one.on.iter().zip(&other.on).all(|(a, b)| *b || !a);
    (0..arms.len()).filter(move |&arm| {
        let is_largest = !arms.iter().any(|other| is_part(&arms[arm], other));
        arms[arm].is(Role::Baseline) || (!arms[arm].is(Role::BaselineAgain) && is_largest)
    })
}

#[cfg(test)]
mod tests;
