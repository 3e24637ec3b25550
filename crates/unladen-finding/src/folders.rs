//! Paths grouped by their most significant folders ([`folders`]), the folders around them ([`around`]), and an
//! application's file, such as its settings, that a fix names ([`named_file`]).

use std::collections::{BTreeMap, BTreeSet};

use unladen_trace::{Counted, Evidence, FileSeen};

/// A folder with this part of all counts or more gets its own line; smaller ones are counted with their parent.
const PART: f64 = 0.1;

/// Counts by folder: one with a tenth of all stands by itself, the rest around such folders is `FOLDER, elsewhere`.
///
/// Walks down from the root into every folder that holds enough: the result is neither `/` nor a hundred leaves.
pub(crate) fn folders<'a>(paths: impl IntoIterator<Item = (&'a str, f64)>) -> Vec<(String, f64)> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for (path, count) in paths {
        *counts.entry(path).or_default() += count;
    }
    let all: Vec<(&str, f64)> = counts.into_iter().filter(|(_, count)| *count > 0.0).collect();
    let total: f64 = all.iter().map(|(_, count)| count).sum();
    let mut out = Vec::new();
    descend("", &all, total, &mut out);
    out
}

pub(crate) fn around<'a>(paths: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut folders = BTreeSet::new();
    for mut path in paths {
        while let Some((folder, _)) = path.rsplit_once('/') {
            if !folders.insert(folder) {
                break;
            }
            path = folder;
        }
    }
    folders
}

fn descend(folder: &str, paths: &[(&str, f64)], total: f64, out: &mut Vec<(String, f64)>) {
    let sum = |paths: &[(&str, f64)]| paths.iter().map(|(_, count)| count).sum::<f64>();
    let mut children: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for (path, count) in paths {
        // The child's folder ends before the next slash; a file in this folder has none.
        let from = if folder.is_empty() { usize::from(path.starts_with('/')) } else { folder.len() + 1 };
        if let Some(end) = path[from..].find('/') {
            children.entry(&path[..from + end]).or_default().push((path, *count));
        }
    }
    children.retain(|_, paths| sum(paths) >= PART * total);
    let told: f64 = children.values().map(|paths| sum(paths)).sum();
    for (child, paths) in &children {
        descend(child, paths, total, out);
    }
    let rest = sum(paths) - told;
    if rest > total * 1e-9 {
        let name = if folder.is_empty() { "/" } else { folder };
        let name = if children.is_empty() { name.to_owned() } else { format!("{name}, elsewhere") };
        out.push((name, rest));
    }
}

/// Calls that a request adds; `None` if they cannot be told from the group's other work.
///
/// Calls that never happen without requests belong to these, however rare: PHP rechecks a file only after seconds.
pub(crate) fn followed(evidence: &Evidence, calls: &Counted) -> Option<f64> {
    let mean = evidence.mean(&calls.count);
    let phases = evidence.phases.all().iter().enumerate();
    let is_theirs = phases.filter(|(_, phase)| !phase.on).all(|(index, _)| calls.count.in_phase(index) == 0);
    let is_known = || evidence.per_request(&calls.count).is_some_and(|interval| interval.low > 0.0);
    (mean > 0.0 && (is_theirs || is_known())).then_some(mean)
}

/// The matching file on which requests add most calls. Other sites may run under the same user, so calls that the group
/// also makes in phases without requests do not count.
pub(crate) fn named_file(evidence: &Evidence, group: usize, is_meant: impl Fn(&FileSeen) -> bool) -> Option<&FileSeen> {
    let files = evidence.files.iter().filter(|file| file.group == group && is_meant(file));
    files
        .filter_map(|file| Some((followed(evidence, &file.counted)?, file)))
        .reduce(|most, next| if next.0 > most.0 { next } else { most })
        .map(|(_, file)| file)
}

#[cfg(test)]
mod tests;
