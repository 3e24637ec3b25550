//! The principal function is [`merge`]: several profiles as one.

use std::collections::HashSet;

use crate::profile::{About, Profile, Unit};

/// Why profiles cannot be merged.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MergeError {
    #[error("`{one}` counts {one_unit}, `{other}` counts {other_unit}: their sum would mean nothing", one_unit = one_unit.into_str(), other_unit = other_unit.into_str())]
    Units { one: String, one_unit: Unit, other: String, other_unit: Unit },
    /// Samples of different lengths, one of them unknown.
    #[error("samples of `{one}` and of `{other}` stand for different or unknown times: their sum would mean nothing")]
    Periods { one: String, other: String },
    #[error("there is nothing to merge")]
    Nothing,
}

/// Further titles are counted.
const TITLES: usize = 8;

/// All clusters of all profiles. Samples of different known periods become ns, and weights have the decimals of the one
/// that has most. Fails if the profiles count different
/// things.
pub fn merge(profiles: &[Profile]) -> Result<Profile, MergeError> {
    join(&profiles.iter().collect::<Vec<_>>())
}

/// Like [`merge`]; the clusters of the first come first.
pub(crate) fn join(profiles: &[&Profile]) -> Result<Profile, MergeError> {
    let (first, others) = profiles.split_first().ok_or(MergeError::Nothing)?;
    let mut are_alike = true;
    for other in others {
        let titles = || (first.about.title.clone(), other.about.title.clone());
        if other.about.unit != first.about.unit {
            let (one, other_title) = titles();
            return Err(MergeError::Units {
                one,
                one_unit: first.about.unit,
                other: other_title,
                other_unit: other.about.unit,
            });
        }
        if first.about.unit == Unit::Samples && other.about.period_ns != first.about.period_ns {
            are_alike = false;
            if first.about.period_ns.is_none() || other.about.period_ns.is_none() {
                let (one, other) = titles();
                return Err(MergeError::Periods { one, other });
            }
        }
    }
    let mut merged = Profile::new(About {
        title: titles(profiles),
        profiler: distinct(profiles.iter().map(|profile| profile.about.profiler.as_str())).join(" + "),
        unit: if are_alike { first.about.unit } else { Unit::Nanoseconds },
        period_ns: first
            .about
            .period_ns
            .filter(|period| are_alike && profiles.iter().all(|profile| profile.about.period_ns == Some(*period))),
        requests: requests(profiles),
        are_requests: profiles.iter().all(|profile| profile.about.are_requests),
        decimals: profiles.iter().map(|profile| profile.about.decimals).max().unwrap_or(0),
    });
    for profile in profiles {
        let period = profile.about.period_ns.filter(|_| !are_alike).unwrap_or(1);
        let scale = period.saturating_mul(merged.about.of_one() / profile.about.of_one());
        merged.append(profile, &profile.clusters, scale);
        // That of the whole says it for all.
        let is_of_decimals =
            |note: &&String| profile.about.note().is_some_and(|of_decimals| note.ends_with(&of_decimals));
        merged.notes.extend(profile.notes.iter().filter(|note| !is_of_decimals(note)).cloned());
    }
    merged.notes.extend(merged.about.note().filter(|_| profiles.len() > 1));
    Ok(merged)
}

fn requests(profiles: &[&Profile]) -> Option<u64> {
    if profiles.iter().all(|profile| profile.about.are_requests && profile.about.requests.is_none()) {
        return None;
    }
    profiles.iter().try_fold(0_u64, |sum, profile| Some(sum.saturating_add(profile.requests()?)))
}

fn titles(profiles: &[&Profile]) -> String {
    let titles = distinct(profiles.iter().map(|profile| profile.about.title.as_str()));
    match titles.get(..TITLES) {
        Some(first) if titles.len() > TITLES => format!("{} + {} more", first.join(" + "), titles.len() - TITLES),
        _ => titles.join(" + "),
    }
}

fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    texts.filter(|text| !text.is_empty() && seen.insert(*text)).collect()
}

#[cfg(test)]
mod tests;
