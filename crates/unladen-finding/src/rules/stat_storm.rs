//! Very many checks whether files exist.

mod check;
mod fix;

use unladen_trace::{Counted, Evidence, EvidenceSource, Interval, Series};

use crate::finding::{Figure, Finding, Item, Removes, Saves, Share};
use crate::folders::folders;
use crate::rule::Rule;
use crate::share::at_least;
use crate::stack::applications;
use crate::words::{count, plain};

use super::checks;
use check::Check;
use fix::Chosen;

/// Fewer checks (a request) are not worth a change: at 2.5 µs each (see [`checks::of_latency`]) they take 0.25 ms.
const LEAST_CHECKS: f64 = 100.0;

/// From this part on, a fix is said to remove all checks.
const NEARLY_ALL: f64 = 0.97;

pub(super) const RULE: Rule = Rule {
    name: "stat-storm",
    about: "a request checks hundreds of files, many of which do not exist",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/stat-storm.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    applications(evidence).filter_map(|group| of_group(evidence, group)).collect()
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    let checks = check::of_group(evidence, group);
    let all = at_least(evidence, &Series::sum(checks.iter().map(|check| &check.count)), LEAST_CHECKS)?;
    let (summary, figures) = told(evidence, &checks)?;
    let Chosen { fix, check_again, removes } = fix::fix(evidence, group, &checks);
    let takes = Share::of_latency(evidence, time(evidence, &checks));
    Some(Finding {
        rule: RULE.name,
        group: evidence.group(group).to_owned(),
        summary,
        figures,
        items: Item::largest(folders(checks.iter().map(|check| (check.file.path.as_str(), check.mean)))),
        saves: Saves::part_of(&takes, removes),
        removes: (removes < NEARLY_ALL).then_some(Removes {
            what: "checks",
            calls: all.value * removes,
            of: all.value,
        }),
        takes,
        fix,
        check_again,
    })
}

/// The counts, in the words of the table of counts: there a failed opening is no file check.
fn told(evidence: &Evidence, checks: &[Check<'_>]) -> Option<(String, Vec<Figure>)> {
    let sum = |of: &dyn Fn(&Check<'_>) -> bool| {
        evidence.per_request(&Series::sum(checks.iter().filter(|check| of(check)).map(|check| &check.count)))
    };
    let (checked, openings) = (sum(&|check| !check.is_opening())?, sum(&|check| check.is_opening())?);
    let missing = sum(&|check| !check.is_opening() && check.is_missing())?;
    let (mut said, mut figures) = (Vec::new(), Vec::new());
    if checked.low > 0.0 {
        said.push(format!("{} file checks", count(checked)));
        figures.push(Figure { name: "checks", unit: "1", value: checked });
    }
    if openings.low > 0.0 {
        said.push(format!("{} openings of files that do not exist", count(openings)));
        figures.push(Figure { name: "openings_missing", unit: "1", value: openings });
    }
    let mut summary = format!("{} per request", said.join(" and "));
    if missing.low > 0.0 {
        let of = if said.len() > 1 { "the checks" } else { "them" };
        summary += &format!(", {} of {of} for files that do not exist", plain(missing.value.round()));
        figures.push(Figure { name: "checks_missing", unit: "1", value: missing });
    }
    Some((summary, figures))
}

fn time(evidence: &Evidence, checked: &[Check<'_>]) -> Option<Interval> {
    let all = Counted::sum(checked.iter().map(|check| &check.file.counted));
    let part = evidence.mean(&Series::sum(checked.iter().map(|check| &check.count))) / evidence.mean(&all.count);
    let kernel = evidence.time_of(&all.count, &all.time_ns)?;
    Some(checks::of_latency(kernel.scaled(part)))
}

#[cfg(test)]
mod tests;
