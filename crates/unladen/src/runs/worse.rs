//! What is worse than it was: [`worse`], for gates.

use unladen_compare::{Comparison, FindingVerdict, Row, Unjudged, WhyUnjudged};
use unladen_publish::visible;
use unladen_quantity::{Kind, plain, with_sign};

use crate::exit::Failure;
use crate::say::say;

/// Metrics that are told of one by one; of the others, how many.
const TOLD: usize = 10;

/// What a gate lets pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance {
    /// How much worse is fine, as a share.
    pub(crate) share: f64,
    /// Whether figures that were not judged for want of earlier runs, or of machines that compare, fail it.
    pub(crate) requires_history: bool,
}

/// Fails if something is worse for certain, by more than is tolerated, or if nothing could be compared: what nobody
/// looked at is not fine.
///
/// # Errors
/// What is worse; else, where that is asked for, what was not judged.
pub(crate) fn worse(comparison: &Comparison, tolerance: Tolerance) -> Result<(), Failure> {
    if !comparison.comparable.is_comparable() {
        let why = comparison.comparable.reasons().join("; ");
        return Err(Failure::Gate(format!("the two runs cannot be compared: {why}")));
    }
    if comparison.rows.is_empty() {
        return Err(Failure::Gate(
            "nothing of the two runs could be compared: they have no figure in common".to_owned(),
        ));
    }
    let rows = comparison.rows.iter().filter(|row| row.verdict.is_worse() && is_beyond(row, tolerance.share)).map(told);
    let is_new = |verdict: FindingVerdict| matches!(verdict, FindingVerdict::New | FindingVerdict::Heavier);
    let findings = comparison
        .findings
        .iter()
        .filter(|finding| is_new(finding.verdict))
        .map(|finding| format!("{}: {} ({}): {}", finding.url, finding.rule, finding.verdict, finding.summary));
    // Names of groups, statements and URLs are of others' making, and this goes to a terminal.
    let all: Vec<String> = rows.chain(findings).map(|told| visible(&told)).collect();
    if !all.is_empty() {
        let before = comparison.before.id.as_deref().unwrap_or("before");
        return Err(Failure::Gate(format!("worse than run {before}:\n{}", some(&all, "\n"))));
    }
    unjudged(comparison, tolerance.requires_history)
}

/// Tells what was not judged, and fails if it had to be, or if nothing was. Figures that vary too much, or that the runs
/// are too short for, are none of those: no further run of the same kind would change that.
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
        return Err(Failure::NotJudged(format!(
            "nothing is worse for certain, but only {judged} of {total} figures could be judged, and --require-history asks \
             for all: {helps}\n{}",
            lines(&lacking)
        )));
    }
    if !all.is_empty() {
        say!(
            "unladen: nothing is worse for certain; {judged} of {total} figures were judged, the others were not:\n{}",
            lines(&told(&|_| true))
        );
    }
    Ok(())
}

fn what_helps(why: WhyUnjudged) -> &'static str {
    match why {
        WhyUnjudged::NoHistory => "keep more runs of this target on this machine",
        WhyUnjudged::Varies | WhyUnjudged::Imprecise => "measure for longer",
        WhyUnjudged::NotComparable => "compare with a run of this machine, or with reference work",
        WhyUnjudged::RecordsLost => "measure again, with less else going on",
        WhyUnjudged::LeftOut => "measure fewer pages or exporters at a time",
    }
}

fn name(unjudged: &Unjudged) -> String {
    let of = |text: &str| if text.is_empty() { String::new() } else { format!(" of {text}") };
    visible(&format!("{}{}", unjudged.name(), of(&unjudged.url)))
}

/// The first of them, and how many more there are.
fn some(all: &[String], between: &str) -> String {
    let mut said = all[..all.len().min(TOLD)].join(between);
    if all.len() > TOLD {
        said.push_str(&format!("{between}and {} more", all.len() - TOLD));
    }
    said
}

/// Whether the least change that its interval has is more than is tolerated. One from nothing has no share.
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
mod tests {
    use super::*;
    use crate::exit::Code;
    use unladen_compare::{History, compare};
    use unladen_document::Document;

    const NOTHING: Tolerance = Tolerance { share: 0.0, requires_history: false };
    const ALL_JUDGED: Tolerance = Tolerance { requires_history: true, ..NOTHING };

    /// A gate that had nothing to look at was open.
    #[test]
    fn runs_without_a_common_figure_do_not_pass() {
        let run = || Document::read(br#"{"schema": "unladen.load/1", "target": "http://a/"}"#).unwrap();
        let compared = compare(&run(), &run(), &History::new());
        assert!(compared.rows.is_empty(), "{compared:?}");
        assert!(matches!(worse(&compared, NOTHING), Err(Failure::Gate(_))));
    }

    fn load(p50: u64, p90: u64) -> Document {
        let interval = |ns: u64| format!(r#"{{"low": {}, "high": {}}}"#, ns - ns / 400, ns + ns / 400);
        let text = format!(
            r#"{{"schema": "unladen.load/1", "target": "http://a/", "latency_ns": {{"p50": {p50}, "p90": {p90}}},
                "latency_intervals_ns": {{"p50": {}, "p90": {}}}}}"#,
            interval(p50),
            interval(p90)
        );
        Document::read(text.as_bytes()).unwrap()
    }

    /// A gate passed where a figure had no history, and only a person who read standard error learned of it.
    #[test]
    fn a_figure_without_a_history_passes_unless_it_is_required() {
        let compared = compare(&load(20_000_000, 30_000_000), &load(20_000_000, 60_000_000), &History::new());
        assert_eq!(compared.judged, 1, "{compared:?}");
        let not_judged: Vec<(&str, WhyUnjudged)> =
            compared.not_judged.iter().map(|unjudged| (unjudged.metric.as_str(), unjudged.why)).collect();
        assert_eq!(not_judged, [("latency.p90", WhyUnjudged::NoHistory)]);
        assert!(worse(&compared, NOTHING).is_ok());
        let failure = worse(&compared, ALL_JUDGED).unwrap_err();
        assert_eq!(failure.code(), Code::CannotMeasure);
        assert!(failure.to_string().contains("only 1 of 2 figures"), "{failure}");
        assert!(failure.to_string().contains("too few earlier runs: latency.p90"), "{failure}");
    }

    #[test]
    fn with_a_history_all_are_judged() {
        let spread = |index: u64| load(20_000_000 + index % 3 * 40_000, 30_000_000 + index % 3 * 60_000);
        let past: Vec<Document> = (0..12).map(spread).collect();
        let history: History = past.iter().collect();
        let compared = compare(&load(20_010_000, 30_010_000), &load(20_020_000, 30_020_000), &history);
        assert_eq!((compared.judged, compared.not_judged.len()), (2, 0), "{compared:?}");
        assert!(worse(&compared, ALL_JUDGED).is_ok());
    }

    /// A gate that asks for all passed where nothing at all was judged.
    #[test]
    fn figures_that_vary_too_much_do_not_pass_alone_where_a_history_is_required() {
        let spread = |index: u64| load(20_000_000 + index % 3 * 9_000_000, 30_000_000 + index % 3 * 9_000_000);
        let past: Vec<Document> = (0..12).map(spread).collect();
        let history: History = past.iter().collect();
        let compared = compare(&load(20_010_000, 30_010_000), &load(20_110_000, 30_110_000), &history);
        assert_eq!((compared.judged, compared.not_judged.len()), (0, 2), "{compared:?}");
        assert!(compared.not_judged.iter().all(|unjudged| unjudged.why == WhyUnjudged::Varies), "{compared:?}");
        assert!(worse(&compared, NOTHING).is_ok());
        let failure = worse(&compared, ALL_JUDGED).unwrap_err();
        assert_eq!(failure.code(), Code::CannotMeasure);
        assert!(failure.to_string().contains("measure for longer"), "{failure}");
    }

    /// What is worse is told before what is not known.
    #[test]
    fn what_is_worse_fails_as_before_where_a_history_is_required() {
        let compared = compare(&load(20_000_000, 30_000_000), &load(40_000_000, 60_000_000), &History::new());
        assert!(!compared.not_judged.is_empty());
        assert_eq!(worse(&compared, ALL_JUDGED).unwrap_err().code(), Code::Gate);
    }
}
