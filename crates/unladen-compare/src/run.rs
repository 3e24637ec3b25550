//! The principal type is [`Run`]: the parts of a document that comparisons need. A [`History`] has several.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use unladen_document::{Document, Reference};

use crate::extract::figures;
use crate::key::{Clock, FindingKey, Key, finding_key, findings};
use crate::measured::Measured;
use crate::row::Kind;
use crate::setting::Setting;
use crate::speed::references;

/// Identifies a run in a trend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunLabel {
    pub id: Option<String>,
    pub time: Option<String>,
    pub host: Option<String>,
    pub commit: Option<String>,
    pub dirty: Option<bool>,
}

/// Beyond this share of steal a machine does nothing; documents from elsewhere may contain any.
const MOST_STOLEN: f64 = 0.95;

#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) label: RunLabel,
    pub(crate) seed: Option<u64>,
    pub(crate) setting: Setting,
    pub(crate) machine: MachineName,
    pub(crate) references: Vec<Reference>,
    /// Share of the processors that the hypervisor took: 0 to [`MOST_STOLEN`], and 0 if unknown.
    pub(crate) stolen_share: f64,
    pub(crate) figures: BTreeMap<Key, Measured>,
    /// In the document's order.
    pub(crate) order: Vec<Key>,
    pub(crate) findings: BTreeSet<FindingKey>,
    /// Pages and rules that could not look.
    not_looked: BTreeSet<(String, String)>,
    /// Pages, rules and groups (all, without one) for which the run could not exclude findings.
    not_judged: BTreeSet<(String, String, Option<String>)>,
    /// Names of exporters, of whose series the document has only those that follow the requests.
    exporters: BTreeSet<String>,
    /// Whether its latencies describe the server.
    pub(crate) is_fit: bool,
    /// What was counted at all: groups without an entry here counted nothing.
    counted: BTreeSet<(String, Kind, Option<String>, Option<String>)>,
    traced: BTreeSet<Traced>,
}

/// Page, state and group.
type Traced = (String, Option<String>, Option<String>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MachineName {
    pub(crate) host: Option<String>,
    pub(crate) cpu: Option<String>,
    pub(crate) processors: Option<u64>,
}

impl MachineName {
    /// Whether nothing distinguishes the two.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.differences(other).is_empty()
    }

    pub(crate) fn differences(&self, after: &Self) -> Vec<String> {
        let processors = |of: &Self| of.processors.map(|processors| processors.to_string());
        [
            ("the machine", self.host.clone(), after.host.clone()),
            ("the processor", self.cpu.clone(), after.cpu.clone()),
            ("the number of processors", processors(self), processors(after)),
        ]
        .into_iter()
        .filter_map(|(what, before, after)| {
            let (before, after) = (before?, after?);
            (before != after).then(|| format!("{what} differs: {before} before, {after} after"))
        })
        .collect()
    }
}

impl Run {
    pub(crate) fn of(document: &Document) -> Self {
        let about = document.about();
        let revision = about.revision.as_ref();
        let environment = about.environment.as_ref();
        let stolen = about.machine.as_ref().and_then(|machine| machine.stolen_share);
        let mut by_key = BTreeMap::new();
        let mut order = Vec::new();
        for (key, measured) in figures(document) {
            // If a foreign document has two rows of one name, the first counts.
            by_key.entry(key).or_insert_with_key(|key| {
                order.push(key.clone());
                measured
            });
        }
        Self {
            label: RunLabel {
                id: None,
                time: about.time.clone(),
                host: about.host.clone(),
                commit: revision.and_then(|revision| revision.commit.clone()),
                dirty: revision.and_then(|revision| revision.dirty),
            },
            seed: about.seed,
            setting: Setting::of(document),
            machine: MachineName {
                host: about.host.clone(),
                cpu: environment.and_then(|environment| environment.cpu.clone()),
                processors: environment.and_then(|environment| environment.processors),
            },
            references: about.machine.as_ref().map(references).unwrap_or_default(),
            stolen_share: stolen.filter(|share| share.is_finite()).unwrap_or(0.0).clamp(0.0, MOST_STOLEN),
            counted: by_key.keys().map(counted).collect(),
            traced: by_key.keys().filter(|key| is_traced(key)).map(traced).collect(),
            figures: by_key,
            order,
            findings: findings(document).iter().map(finding_key).collect(),
            not_looked: not_looked(document),
            not_judged: not_judged(document),
            exporters: exporters(document),
            is_fit: !matches!(document, Document::Load(load) if !load.unfit.is_empty()),
        }
    }

    /// A metric's figure; zero if nothing was counted that the run did count elsewhere, and `None` if the run did not
    /// look.
    pub(crate) fn figure(&self, key: &Key, noise_floor: Option<f64>) -> Option<Measured> {
        if let Some(measured) = self.figures.get(key) {
            return Some(*measured);
        }
        let is_counted = matches!(key.kind, Kind::Weight | Kind::Count | Kind::Function);
        let has_zero = is_counted && key.group.is_some() && !key.is_finding();
        let looked = key.arm.is_none() && self.counted.contains(&counted(key)) && !self.is_of_an_exporter(key);
        // Nothing is known of a group that was not traced; its weights show if it costs more.
        let looked = looked && (!is_traced(key) || self.traced.contains(&traced(key)));
        (has_zero && looked).then(|| Measured::absent(noise_floor.unwrap_or(0.0).max(self.margin_of_all_calls(key))))
    }

    /// For calls of one kind: how uncertain the group's calls were altogether. Counts are shown if they are certain, so
    /// a missing one may be a part of that uncertainty.
    fn margin_of_all_calls(&self, key: &Key) -> f64 {
        if key.kind != Kind::Count || !key.counter.as_deref().is_some_and(|counter| counter.starts_with("syscall.")) {
            return 0.0;
        }
        let is_of_all = |all: &Key| {
            all.kind == Kind::Count
                && all.counter.as_deref() == Some("syscalls")
                && (&all.url, &all.group, &all.state) == (&key.url, &key.group, &key.state)
        };
        let all = self.figures.iter().find(|(key, _)| is_of_all(key)).map(|(_, measured)| measured.figure);
        all.and_then(|all| Some((all.value - all.low?).max(all.high? - all.value))).unwrap_or(0.0).max(0.0)
    }

    /// Whether its group is an exporter's, whose name the group's begins with.
    fn is_of_an_exporter(&self, key: &Key) -> bool {
        let group = key.group.as_deref().unwrap_or_default();
        self.exporters.iter().any(|name| group.strip_prefix(&**name).is_some_and(|rest| rest.starts_with('/')))
    }

    pub(crate) fn looked_for(&self, finding: &FindingKey) -> bool {
        let has_page = self.setting.urls.is_empty() || self.setting.urls.contains(&finding.0);
        has_page && !self.not_looked.contains(&(finding.0.clone(), finding.1.clone()))
    }

    /// Whether the absence of a finding means anything: not if something on the request's path was not judged.
    pub(crate) fn judged(&self, finding: &FindingKey) -> bool {
        let (url, rule, group, _) = finding;
        // Waste in the page's answer belongs to no group, whatever it is called there.
        let is_of = |unjudged: &Option<String>| unjudged.as_ref().is_none_or(|of| of == group || group.is_empty());
        !self.not_judged.iter().any(|(page, name, of)| (page, name) == (url, rule) && is_of(of))
    }

    /// Whether the group was traced in that state: it is not if it was not certain that it follows the requests.
    pub(crate) fn traced(&self, finding: &FindingKey) -> bool {
        self.traced.contains(&(finding.0.clone(), Some(finding.3.clone()), Some(finding.2.clone())))
    }

    /// Whether the metric cannot be compared in this run.
    pub(crate) fn is_spoiled(&self, key: &Key) -> bool {
        !self.is_fit && key.clock() == Clock::Elapsed
    }

    /// Whether it is the same run, as far as the documents show.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let of = |run: &Self| (run.label.time.clone(), run.label.host.clone(), run.seed);
        self.label.time.is_some() && of(self) == of(other)
    }
}

fn traced(key: &Key) -> Traced {
    (key.url.clone(), key.state.clone(), key.group.clone())
}

fn is_traced(key: &Key) -> bool {
    key.kind == Kind::Count && !key.is_finding()
}

fn counted(key: &Key) -> (String, Kind, Option<String>, Option<String>) {
    // Tracing counts what it sees, so what it does not name did not happen. A probe counts a counter or does not.
    let counter = if key.kind == Kind::Count { None } else { key.counter.clone() };
    (key.url.clone(), key.kind, key.state.clone(), counter)
}

fn not_looked(document: &Document) -> BTreeSet<(String, String)> {
    let Document::Weigh(document) = document else { return BTreeSet::new() };
    let rules = document.not_looked_for.iter();
    rules.flat_map(|missing| missing.rules.iter().map(|rule| (missing.url.clone(), rule.clone()))).collect()
}

fn not_judged(document: &Document) -> BTreeSet<(String, String, Option<String>)> {
    let Document::Weigh(document) = document else { return BTreeSet::new() };
    let parts = document.not_judged.iter().filter(|part| !part.elsewhere);
    parts
        .flat_map(|part| {
            let group = part.uncertain.then(|| part.what.clone());
            part.rules.iter().map(move |rule| (part.url.clone(), rule.clone(), group.clone()))
        })
        .collect()
}

fn exporters(document: &Document) -> BTreeSet<String> {
    let Document::Weigh(document) = document else { return BTreeSet::new() };
    document.hosts.iter().filter(|host| host.kind == "exporter").map(|host| host.name.clone()).collect()
}

/// A history of fewer runs is called short.
pub(crate) const FEW_RUNS: usize = 6;

/// Earlier runs of a target, for the variation between runs. It keeps their figures, not the documents. Users of a
/// history skip runs of other targets, and those measured differently.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub(crate) runs: Vec<Run>,
}

impl History {
    /// An empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a run. The order of calls matters only for runs without a time.
    pub fn push(&mut self, document: &Document) {
        self.runs.push(Run::of(document));
    }

    /// Adds a run under its number in the store, or the name of its file.
    pub fn push_named(&mut self, id: impl Into<String>, document: &Document) {
        let mut run = Run::of(document);
        run.label.id = Some(id.into());
        self.runs.push(run);
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether it has no runs.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Earliest first.
    pub(crate) fn in_order(&self) -> Vec<&Run> {
        let mut runs: Vec<&Run> = self.runs.iter().collect();
        // RFC 3339 in UTC sorts as text. Runs without a time stay at the beginning in their order: they are old.
        runs.sort_by(|a, b| a.label.time.cmp(&b.label.time));
        runs
    }
}

impl<'a> FromIterator<&'a Document> for History {
    fn from_iter<I: IntoIterator<Item = &'a Document>>(documents: I) -> Self {
        let mut history = Self::new();
        documents.into_iter().for_each(|document| history.push(document));
        history
    }
}
