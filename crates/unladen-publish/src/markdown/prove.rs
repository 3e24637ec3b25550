//! [`prove`]: what a change does.

use unladen_document::{Answer, Arm, Change, Comparison, Metric, ProveDocument};
use unladen_quantity::percent;

use super::agents::agents;
use super::inert::{code, code_html, listed, prose};
use super::sheet::{Sheet, Table};
use super::{about, gates};
use crate::figures::{count, counter};
use crate::verdict;

/// Figures of more arms than this are folded away.
const OPEN: usize = 2;

pub(super) fn prove(document: &ProveDocument, answers: &[(&str, &Answer)], sheet: &mut Sheet) {
    match (document.title.as_str(), document.target.as_str()) {
        ("", target) => sheet.part(&format!("## An experiment on {}", code(target))),
        (title, _) => sheet.part(&format!("## {}", prose(title))),
    }
    about::answers(answers, sheet);
    about::ended(&document.ended, sheet);
    // The baseline's difference from itself comes from no change.
    let is_control = |name: &str| {
        let roles = document.arms.iter().find(|arm| arm.name == name).map(|arm| arm.roles.as_slice());
        roles.is_some_and(|roles| roles.iter().any(|role| role == "baseline again"))
    };
    let (controls, arms): (Vec<_>, Vec<_>) = arms(document).into_iter().partition(|(arm, _)| is_control(arm));
    sheet.list(arms.iter().map(|(arm, comparisons)| in_words(arm, comparisons)));
    gates::gates(&document.gates, sheet);
    for (arm, comparisons) in &arms {
        if arms.len() <= OPEN {
            sheet.part(&format!("### {}", code(arm)));
            tables(comparisons, sheet);
        } else {
            sheet.details(&code_html(arm), |sheet| tables(comparisons, sheet));
        }
    }
    for (arm, comparisons) in &controls {
        sheet.details(&code_html(arm), |sheet| tables(comparisons, sheet));
    }
    failures(&document.arms, sheet);
    interactions(document, sheet);
    agents(&document.agents, sheet);
    sheet.part(&how(document));
    if !document.put_back.is_empty() {
        sheet.part("Put back:");
        sheet.list(document.put_back.iter().map(|what| prose(what)));
    }
}

/// Arms compared with the baseline, in the order of the experiment.
fn arms(document: &ProveDocument) -> Vec<(&str, Vec<&Comparison>)> {
    let mut arms: Vec<(&str, Vec<&Comparison>)> = Vec::new();
    for comparison in &document.comparisons {
        match arms.iter_mut().find(|(arm, _)| *arm == comparison.arm) {
            Some((_, comparisons)) => comparisons.push(comparison),
            None => arms.push((&comparison.arm, vec![comparison])),
        }
    }
    arms
}

fn in_words(arm: &str, comparisons: &[&Comparison]) -> String {
    let latency = comparisons.iter().filter(|comparison| comparison.kind() == Metric::Latency);
    let first: Vec<String> = latency
        .take(2)
        .map(|comparison| {
            format!("{} **{}**", prose(&verdict::title(&comparison.metric)), prose(&verdict::verdict(comparison)))
        })
        .collect();
    let weights = |way: Change| {
        let is_one = |c: &&&Comparison| c.kind() == Metric::Weight && c.change() == way && !verdict::is_beside(c);
        comparisons.iter().filter(is_one).count()
    };
    let mut parts = first;
    for (number, word) in [(weights(Change::Worse), "heavier"), (weights(Change::Better), "lighter")] {
        if number > 0 {
            parts.push(format!("{} {word}", count(number as u64, "weight")));
        }
    }
    if parts.is_empty() {
        parts.push("nothing could be compared".to_owned());
    }
    format!("{}: {}", code(arm), parts.join("; "))
}

fn tables(comparisons: &[&Comparison], sheet: &mut Sheet) {
    let (weights, others): (Vec<&Comparison>, Vec<&Comparison>) =
        comparisons.iter().copied().partition(|comparison| comparison.kind() == Metric::Weight);
    let mut table = Table::new(&["", "baseline", "with it", "verdict, 95 % interval ", "noise floor"]);
    others.iter().for_each(|comparison| table.row(row(prose(&verdict::title(&comparison.metric)), comparison)));
    sheet.table(&table);

    let (told, rest): (Vec<&Comparison>, Vec<&Comparison>) =
        weights.into_iter().partition(|one| one.change().is_told() && !verdict::is_beside(one));
    let mut table = Table::new(&["per request", "baseline", "with it", "verdict, 95 % interval ", "noise floor"]);
    told.iter().for_each(|comparison| table.row(row(weight(comparison), comparison)));
    sheet.table(&table);
    if rest.is_empty() {
        return;
    }
    let kinds = [
        (rest.iter().any(|one| one.change() == Change::Equal), "no measurable difference"),
        (rest.iter().any(|one| one.change() == Change::Unclear), "unclear"),
        (rest.iter().any(|one| verdict::is_beside(one)), "beside the request's path"),
    ];
    let kinds: Vec<&str> = kinds.into_iter().filter_map(|(is_there, words)| is_there.then_some(words)).collect();
    let title = format!("{}: {}", count(rest.len() as u64, "other weight"), kinds.join(", or "));
    let mut table = Table::new(&["per request", "baseline", "with it", "verdict, 95 % interval ", "noise floor"]);
    rest.iter().for_each(|comparison| table.row(row(weight(comparison), comparison)));
    sheet.details(&title, |sheet| sheet.table(&table));
}

fn weight(comparison: &Comparison) -> String {
    match (&comparison.group, &comparison.counter) {
        (Some(group), Some(name)) => format!("{} {}", code(group), prose(&counter(&comparison.title, name))),
        _ => code(&comparison.metric),
    }
}

fn row(name: String, comparison: &Comparison) -> Vec<String> {
    let is_told = comparison.change().is_told();
    let words = prose(&verdict::verdict(comparison));
    vec![
        name,
        verdict::value(comparison, comparison.baseline),
        verdict::value(comparison, comparison.candidate),
        if is_told { format!("**{words}**") } else { words },
        verdict::floor(comparison),
    ]
}

fn failures(arms: &[Arm], sheet: &mut Sheet) {
    sheet.list(arms.iter().filter(|arm| arm.errors > 0).map(|arm| {
        format!("{}: {} of {} failed", code(&arm.name), arm.errors, count(arm.requests + arm.errors, "request"))
    }));
}

fn interactions(document: &ProveDocument, sheet: &mut Sheet) {
    let mut table = Table::new(&["", "of ", "together", "if they were independent", " "]);
    for one in document.interactions.iter().filter(|one| one.told) {
        let change = |value: f64, low: f64, high: f64| {
            format!("{} % ({} to {})", percent(value - 1.0), percent(low - 1.0), percent(high - 1.0))
        };
        table.row(vec![
            prose(&verdict::title(&one.metric)),
            format!("{}: {}", prose(&one.kind), listed(&one.knobs, 4)),
            change(one.ratio, one.low, one.high),
            one.expected.map(|span| change(span.value, span.low, span.high)).unwrap_or_default(),
            prose(&one.verdict),
        ]);
    }
    if !table.is_empty() {
        sheet.details("What the changes do together", |sheet| sheet.table(&table));
    }
}

fn how(document: &ProveDocument) -> String {
    let requests: u64 = document.arms.iter().map(|arm| arm.requests).sum();
    let rate = match document.rate {
        Some(rate) => format!("at {rate}/s"),
        None => format!("{} at once", document.concurrency),
    };
    let mut text = format!(
        "{} of {} in {}, {}, {rate}, in {} in all.",
        count(requests, "request"),
        code(&document.target),
        count(document.arms.len() as u64, "arm"),
        count(document.blocks, "block"),
        unladen_quantity::lasting(std::time::Duration::from_nanos(document.elapsed_ns)),
    );
    if let Some(time) = document.time_for_one_percent_ns {
        let time = unladen_quantity::lasting(std::time::Duration::from_nanos(time));
        text.push_str(&format!(" To tell 1 % of the first quantile would take {time}."));
    }
    text
}
