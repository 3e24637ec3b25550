//! [`worse`]: what is worse than before, for gates.

use unladen_compare::{Comparison, FindingVerdict, Row, Unjudged, WhyUnjudged};
use unladen_publish::visible;
use unladen_quantity::{Kind, plain, with_sign};

use crate::exit::Failure;
use crate::say::say;

/// Metrics that are named; further ones are counted.
const TOLD: usize = 10;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance {
    /// How much worse is acceptable, as a share.
    pub(crate) share: f64,
    /// Whether figures that were not judged for want of earlier runs or of comparable machines fail it.
    pub(crate) requires_history: bool,
}

/// Fails if something is certainly worse by more than tolerated, or if nothing could be compared: what nobody looked at
/// is not fine. The error says what is worse; else, if that is required, what was not judged.
pub(crate) fn worse(comparison: &Comparison, tolerance: Tolerance) -> Result<(), Failure> {
    if !comparison.comparable.is_comparable() {
        let why = comparison.comparable.reasons().join("; ");
        return Err(Failure::Gate(format!("the two runs cannot be compared: {why}")));
    }
    if comparison.rows.is_empty() {
        return Err(Failure::Gate("the two runs could not be compared: they have no figure in common".to_owned()));
    }
    let rows = comparison.rows.iter().filter(|row| row.verdict.is_worse() && is_beyond(row, tolerance.share)).map(told);
    let is_new = |verdict: FindingVerdict| matches!(verdict, FindingVerdict::New | FindingVerdict::Heavier);
    let findings = comparison
        .findings
        .iter()
        .filter(|finding| is_new(finding.verdict))
        .map(|finding| format!("{}: {} ({}): {}", finding.url, finding.rule, finding.verdict, finding.summary));
    // Others choose the names of groups, statements and URLs, and this goes to a terminal.
    let all: Vec<String> = rows.chain(findings).map(|told| visible(&told)).collect();
    if !all.is_empty() {
        let before = comparison.before.id.as_deref().unwrap_or("before");
        return Err(Failure::Gate(format!("worse than run {before}:\n{}", some(&all, "\n"))));
    }
    unjudged(comparison, tolerance.requires_history)
}

/// Reports what was not judged, and fails if it had to be, or if nothing was. Figures that vary too much, or whose runs
/// are too short, do not count: no further run of the same kind would change that.
fn unjudged(comparison: &Comparison, requires_history: bool) -> Result<(), Failure> {
    let (judged, all) = (comparison.judged, &comparison.not_judged);
    let total = judged + all.len();
    let told = |which: &dyn Fn(WhyUnjudged) -> bool| -> Vec<(WhyUnjudged, String)> {
        let names = |why| {
            let names: Vec<String> = all.iter().filter(|unjudged| unjudged.why == why).map(name).collect();
            (!names.is_empty() && which(why)).then(|| (why, format!("{why}: {}", some(&names, ", "))))
        };
        WhyUnjudged::ALL.into_iter().filter_map(names).collect()
    };
    let lines =
        |told: &[(WhyUnjudged, String)]| told.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n");
    let lacking = told(&|why| judged == 0 || !matches!(why, WhyUnjudged::Varies | WhyUnjudged::Imprecise));
    if requires_history && !lacking.is_empty() {
        let mut helps: Vec<&str> = lacking.iter().map(|(why, _)| what_helps(*why)).collect();
        helps.dedup();
        let helps = helps.join("; ");
        return Err(Failure::CannotMeasure(format!(
            "nothing is certainly worse, but only {judged} of {total} figures could be judged, and --require-history \
             needs all: {helps}\n{}",
            lines(&lacking)
        )));
    }
    if !all.is_empty() {
        say!(
            "unladen: nothing is certainly worse; {judged} of {total} figures were judged, the others were not:\n{}",
            lines(&told(&|_| true))
        );
    }
    Ok(())
}

fn what_helps(why: WhyUnjudged) -> &'static str {
    match why {
        WhyUnjudged::NoHistory => "keep more runs of this target on this machine",
        WhyUnjudged::Varies | WhyUnjudged::Imprecise => "measure longer",
        WhyUnjudged::NotComparable => "compare with a run of this machine, or with reference work",
        WhyUnjudged::RecordsLost => "measure again when the machine is quieter",
        WhyUnjudged::LeftOut => "measure fewer pages or exporters at a time",
    }
}

fn name(unjudged: &Unjudged) -> String {
    let of = |text: &str| if text.is_empty() { String::new() } else { format!(" of {text}") };
    visible(&format!("{}{}", unjudged.name(), of(&unjudged.url)))
}

fn some(all: &[String], between: &str) -> String {
    let mut said = all[..all.len().min(TOLD)].join(between);
    if all.len() > TOLD {
        said.push_str(&format!("{between}and {} more", all.len() - TOLD));
    }
    said
}

/// Whether the interval's least change is more than tolerated. A change from nothing has no share.
fn is_beyond(row: &Row, tolerated: f64) -> bool {
    row.ratio.is_none_or(|ratio| {
        let least = if ratio.value >= 1.0 { ratio.low - 1.0 } else { 1.0 - ratio.high };
        least > tolerated
    })
}

fn told(row: &Row) -> String {
    let change = match (row.ratio, row.difference) {
        (Some(ratio), _) => {
            let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(|ratio| with_sign(ratio - 1.0));
            format!(", {value} % ({low} to {high})")
        }
        (None, Some(difference)) => {
            let kind = Kind::of_unit(&row.unit);
            let [value, low, high] =
                [difference.value, difference.low, difference.high].map(|value| plain(kind, value));
            format!(", {value} ({low} to {high})")
        }
        (None, None) => String::new(),
    };
    let url = if row.url.is_empty() { String::new() } else { format!("{}: ", row.url) };
    format!("{url}{}: {}{change}", row.name(), row.verdict)
}

#[cfg(test)]
mod tests;
