//! [`warnings`]: limits of a comparison, in sentences.

use unladen_document::{About, Document};

use crate::comparison::Comparison;
use crate::draft::Judge;
use crate::key::Key;
use crate::run::{FEW_RUNS, Run};

/// Difference in stolen processor time from which it is mentioned.
const STOLEN: f64 = 0.05;

pub(crate) fn warnings(judge: &Judge<'_>, comparison: &Comparison, documents: [&Document; 2]) -> Vec<String> {
    let abouts = documents.map(Document::about);
    let mut all = Vec::new();
    let here = comparison.history.of_this_machine;
    if here < FEW_RUNS {
        let of = match here {
            0 => "no other runs of this target and machine show".to_owned(),
            1 => "only 1 other run of this target and machine shows".to_owned(),
            many => format!("only {many} other runs of this target and machine show"),
        };
        all.push(format!("{of} how much runs vary; a general figure is used instead, so small changes stay hidden"));
    }
    all.extend(
        comparison
            .speed
            .as_ref()
            .and_then(|speed| speed.disagreement.clone())
            .map(|why| format!("{why}; times are not compared")),
    );
    if comparison.speed.is_none() {
        let so = if judge.is_same_machine { "times are compared without adjustment" } else { "times are not compared" };
        all.push(format!("a run has no reference work, so its machine's speed is not known: {so}"));
    }
    if judge.before.machine.host.is_none() || judge.after.machine.host.is_none() {
        all.push("a run does not say on which machine it was measured; the same machine is assumed".to_owned());
    }
    for (run, document) in [(judge.before, documents[0]), (judge.after, documents[1])] {
        let when = if std::ptr::eq(run, judge.before) { "earlier" } else { "later" };
        if !run.is_fit {
            all.push(format!(
                "the {when} run's latencies describe the generator, not the server: they are not compared"
            ));
        }
        if ended(document) == "interrupted" {
            all.push(format!("the {when} run was interrupted"));
        }
    }
    all.extend(not_counted(judge));
    all.extend(environment(abouts));
    all.extend(stolen(judge));
    all
}

fn ended(document: &Document) -> &str {
    match document {
        Document::Weigh(document) => &document.ended,
        Document::Load(document) => &document.ended,
        Document::Prove(document) => &document.ended,
        Document::Profile(document) => document.setup.as_ref().map_or("", |setup| &setup.ended),
        Document::Bill(document) => &document.ended,
        Document::ProfileDiff(_) | Document::ClassmapCheck(_) => "",
    }
}

/// Counters that one of the runs did not read.
fn not_counted(judge: &Judge<'_>) -> Vec<String> {
    let lacking = |run: &Run, other: &Run, when: &str| {
        let lacks = |key: &&Key| !key.is_finding() && other.figures[*key].shown && run.figure(key, None).is_none();
        let mut names: Vec<&str> =
            other.order.iter().filter(lacks).map(|key| key.counter.as_deref().unwrap_or(&key.metric)).collect();
        names.sort_unstable();
        names.dedup();
        let (some, more) = names.split_at(names.len().min(4));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        (!some.is_empty()).then(|| format!("the {when} run did not count {}{more}: not compared", some.join(", ")))
    };
    let earlier = lacking(judge.before, judge.after, "earlier");
    earlier.into_iter().chain(lacking(judge.after, judge.before, "later")).collect()
}

/// Other changes between the two runs.
fn environment([before, after]: [&About; 2]) -> Vec<String> {
    let mut all = Vec::new();
    let mut told = |what: &str, before: Option<&str>, after: Option<&str>| {
        if let (Some(before), Some(after)) = (before, after)
            && before != after
        {
            all.push(format!("{what} changed between the runs: {before}, then {after}"));
        }
    };
    told("Unladen itself", before.version.as_deref(), after.version.as_deref());
    if let (Some(before), Some(after)) = (&before.environment, &after.environment) {
        told("the kernel", before.kernel.as_deref(), after.kernel.as_deref());
        for software in &before.software {
            let now = after.software.iter().find(|other| other.name == software.name);
            told(&software.name, Some(&software.version), now.map(|now| now.version.as_str()));
        }
    }
    all
}

fn stolen(judge: &Judge<'_>) -> Option<String> {
    let [before, after] = [judge.before, judge.after].map(|run| run.stolen_share);
    ((before - after).abs() > STOLEN).then(|| {
        format!(
            "the hypervisor took {:.0} % of the processors in the earlier run and {:.0} % in the later one: times may \
             differ for that reason alone",
            before * 100.0,
            after * 100.0
        )
    })
}
