//! The function is [`profile`]: builds the profile from a file's samples.

use std::ops::RangeInclusive;

use super::document::{Document, Samples, Thread};
use super::places::Places;
use crate::profile::{About, Profile, Unit};
use crate::readers::json::Number;
use crate::readers::left_out::LeftOut;
use crate::readers::sum::Sum;
use crate::stack::StackId;

/// Format versions with documented changes.
const VERSIONS: RangeInclusive<u64> = 41..=70;

pub(super) fn profile(document: Document) -> Result<Profile, String> {
    let version = document.meta.preprocessed_profile_version.ok_or(
        "this is as a browser records it: open it in https://profiler.firefox.com and save it there, then it can be read",
    )?;
    if !version.whole().is_some_and(|version| VERSIONS.contains(&version)) {
        let (first, last) = (VERSIONS.start(), VERSIONS.end());
        return Err(format!("version {version} of the format: {first} to {last} can be read"));
    }
    let ours = document.meta.unladen.clone().and_then(|about| serde_json::from_value::<About>(about).ok());
    let is_used = |thread: &&Thread| ours.is_some() || !thread.samples.stack.is_empty();
    let threads: Vec<&Thread> = document.threads.iter().filter(is_used).collect();
    let unit = threads.first().map_or(Ok(Unit::Samples), |thread| unit(&thread.samples))?;
    let about = match ours {
        Some(about) => about,
        None => About {
            unit,
            title: document.meta.product.clone().unwrap_or_default(),
            period_ns: period(&document).filter(|_| unit == Unit::Samples),
            ..About::default()
        },
    };
    let are_requests = about.are_requests;
    let mut profile = Profile::new(about);
    let mut sum = Sum::default();
    let shared = if document.shared.stack_table.is_some() {
        Some(Places::new(&document, None)?.stacks(&mut profile)?)
    } else {
        None
    };
    let mut left_out = LeftOut::default();
    for (index, thread) in threads.into_iter().enumerate() {
        let other = self::unit(&thread.samples)?;
        if other != unit {
            left_out.add(other);
            continue;
        }
        let wrong = |what| format!("threads[{index}]: {what}");
        let own;
        let stacks = match &shared {
            Some(shared) => shared,
            None => {
                own = Places::new(&document, Some(thread))
                    .and_then(|places| places.stacks(&mut profile))
                    .map_err(wrong)?;
                &own
            }
        };
        let samples = samples(&thread.samples, stacks, unit, &mut sum).map_err(wrong)?;
        if are_requests {
            add_requests(&mut profile, thread, &samples).map_err(wrong)?;
        } else {
            let cluster = profile.begin_request();
            samples.into_iter().flatten().for_each(|(stack, weight)| profile.add(cluster, stack, weight));
        }
    }
    profile.notes.extend(left_out.note("threads", unit));
    Ok(profile)
}

/// Adds a cluster for each request marker; only our own files have them.
fn add_requests(profile: &mut Profile, thread: &Thread, samples: &[Option<(StackId, u64)>]) -> Result<(), String> {
    let mut rest = samples;
    for marker in thread.markers.data.iter().flatten() {
        let Some(count) = marker.unladen_samples else { continue };
        let of_request = count.index().and_then(|count| rest.split_at_checked(count));
        let (of_request, after) =
            of_request.ok_or_else(|| format!("a request of {count} samples: {} are left", rest.len()))?;
        rest = after;
        let cluster = profile.begin_request();
        of_request.iter().flatten().for_each(|(stack, weight)| profile.add(cluster, *stack, *weight));
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("{} samples are of no request", rest.len())) }
}

fn samples(
    samples: &Samples,
    stacks: &[StackId],
    unit: Unit,
    sum: &mut Sum,
) -> Result<Vec<Option<(StackId, u64)>>, String> {
    if let Some(weights) = samples.weight.as_ref().filter(|weights| weights.len() != samples.stack.len()) {
        return Err(format!("{} samples and {} weights", samples.stack.len(), weights.len()));
    }
    let sample = |(index, stack): (usize, &Option<Number>)| {
        let Some(stack) = stack else { return Ok(None) };
        let wrong = |what: String| format!("samples, {index}: {what}");
        let found = stack.index().and_then(|stack| stacks.get(stack));
        let found = *found.ok_or_else(|| wrong(format!("stack {stack} of {}", stacks.len())))?;
        let weight =
            samples.weight.as_ref().and_then(|weights| weights.get(index)).copied().unwrap_or(Number::Whole(1));
        let whole = if unit == Unit::Nanoseconds { weight.times(1_000_000) } else { weight.whole() };
        let whole = whole.ok_or_else(|| wrong(format!("{weight} is no number of {}", unit.as_str())))?;
        Ok(Some((found, sum.add(whole).map_err(wrong)?)))
    };
    samples.stack.iter().enumerate().map(sample).collect()
}

fn unit(samples: &Samples) -> Result<Unit, String> {
    match samples.weight_type.as_deref() {
        None | Some("samples") => Ok(Unit::Samples),
        Some("tracing-ms") => Ok(Unit::Nanoseconds),
        Some("bytes") => Ok(Unit::Bytes),
        Some(other) => Err(format!("weightType `{other}` is none that is known")),
    }
}

fn period(document: &Document) -> Option<u64> {
    document.meta.interval.and_then(|interval| interval.times(1_000_000)).filter(|period| *period > 0)
}
