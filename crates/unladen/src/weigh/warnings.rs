//! [`warnings`]: what the reader should know before believing the figures.

use std::collections::BTreeSet;
use std::path::Path;

use unladen_document::WeighDocument;
use unladen_load::BodySizes;
use unladen_lockin::{MIN_BLOCKS, blocks_needed};
use unladen_report::{Warning, WeighedPage};

use crate::machine::taken_warning;
use crate::weigh::measured::Measured;

/// Share of the machine from which background work is worth a warning.
const BUSY: f64 = 0.25;
/// Share of the requests' own CPU from which displaced work is worth a warning.
const NOTABLE: f64 = 0.01;
/// Share of a core from which the probes' own cost is worth a warning.
const COSTLY_PROBES: f64 = 0.01;

/// All that limits what the result says; `families` were judged together.
pub(crate) fn warnings(
    measured: &Measured<'_>,
    pages: &[WeighedPage],
    run: &WeighDocument,
    families: usize,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    // If hosts are looked at, the server is probably one of them. An exporter has no CPU to count.
    let names_of = |is_exporter: bool| {
        let some = measured.elsewhere.iter().filter(move |elsewhere| elsewhere.is_exporter == is_exporter);
        some.map(|elsewhere| elsewhere.name.clone()).collect::<Vec<_>>()
    };
    let hosts = names_of(false);
    for index in &measured.remote {
        let host = measured.requests[*index].url().host_str().unwrap_or_default().to_owned();
        let claimants = measured.claimants(*index);
        if let [only] = claimants.as_slice() {
            warnings.extend((!measured.is_named_for(only, &host)).then(|| claimed(&host, only)));
            continue;
        }
        let among = if claimants.is_empty() { hosts.clone() } else { names(claimants.into_iter().map(str::to_owned)) };
        warnings.push(match among.is_empty() {
            true => Warning::Remote { host },
            false => Warning::RemoteAmong { host, hosts: among },
        });
    }
    warnings.extend(elsewhere(measured));
    if pages.iter().all(|page| page.url.total_cpu_ns.is_none()) {
        let blocks = pages.iter().map(|page| page.url.blocks).min().unwrap_or(0);
        let needed = blocks_needed(families, 1) as u64;
        warnings.extend(silence(Silence {
            untold: names(pages.iter().flat_map(|page| page.untold().map(|(group, _)| group.to_owned()))),
            is_remote: !measured.remote.is_empty(),
            does_any_follow: pages.iter().any(|page| page.following().next().is_some()),
            too_few: (blocks < needed).then_some(Warning::TooFewBlocks { blocks, needed, looked_at: families }),
            hosts,
            exporters: names_of(true),
            hidden: hidden(),
        }));
    }
    if let (Some(why), true) = (&measured.plan.extended, measured.options.budget.requests.is_none()) {
        warnings.push(Warning::LongPhases { seconds: measured.plan.phase.as_secs_f64(), why: why.to_string() });
    }
    if let Some((target, reached)) = measured.missed {
        warnings.push(Warning::NotReached { target, reached });
    }
    for (index, url) in pages.iter().map(|page| &page.url).enumerate().filter(|(_, url)| url.changed_bodies > 0) {
        let mut sizes = BodySizes::default();
        measured.recording.of_url(index).flat_map(|block| &block.phases).for_each(|phase| sizes.join(phase.body_sizes));
        if !sizes.differ() {
            continue;
        }
        warnings.push(Warning::BodyChanges {
            url: url.name.clone(),
            changed: url.changed_bodies,
            requests: url.requests,
        });
    }
    warnings.extend(taken_warning(&measured.recording.times(), Some(measured.spoiled)));
    warnings.extend(measured.reference.warning());
    if run.background_cores > BUSY * run.processors as f64 {
        warnings.push(Warning::Busy { cores: run.background_cores, processors: run.processors });
    }
    let cpu_rows = || pages.iter().flat_map(|page| &page.weights).filter(|row| row.counter == "cpu");
    let displaced = names(pages.iter().flat_map(|page| {
        let least = NOTABLE * page.url.total_cpu_ns.map_or(0.0, |total| total.value);
        let rows = page.weights.iter().filter(|row| row.counter == "cpu" && row.displaced);
        rows.filter(move |row| -row.per_request > least).map(|row| row.group.clone())
    }));
    if !displaced.is_empty() {
        warnings.push(Warning::Displaced { groups: displaced });
    }
    let skewed = names(
        cpu_rows()
            .filter(|row| row.follows && (row.mean < row.low || row.mean > row.high))
            .map(|row| format!("the CPU of {}", row.group)),
    );
    if !skewed.is_empty() {
        warnings.push(Warning::Skewed { what: skewed });
    }
    if measured.lost {
        warnings.push(Warning::Lost);
    }
    if run.probe_share_of_core > COSTLY_PROBES {
        warnings.push(Warning::CostlyProbes { share: run.probe_share_of_core });
    }
    let reconnected: u64 =
        measured.recording.blocks.iter().flat_map(|block| &block.phases).map(|phase| phase.reconnected).sum();
    if reconnected > 0 {
        warnings.push(Warning::Reconnected { times: reconnected });
    }
    let shortfalls = measured.instrument.shortfalls();
    for takes in shortfalls.iter().map(|shortfall| shortfall.takes).collect::<BTreeSet<_>>() {
        let missing = shortfalls
            .iter()
            .filter(|shortfall| shortfall.takes == takes)
            .map(|shortfall| shortfall.missing.to_owned());
        warnings.push(Warning::Shortfall { missing: missing.collect(), takes: takes.to_owned() });
    }
    for (probe, why) in measured.instrument.unavailable() {
        warnings.push(Warning::Unavailable { probe: (*probe).to_owned(), why: why.clone() });
    }
    warnings
}

fn claimed(server: &str, host: &str) -> Warning {
    let note = format!(
        "only {host} claims the server's address {server}. If another machine has it, name that one, too (--host)."
    );
    Warning::OfHost { host: host.to_owned(), note }
}

/// Limits of what is said of other hosts.
fn elsewhere(measured: &Measured<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for elsewhere in measured.elsewhere {
        let host = || elsewhere.name.clone();
        if let Some(last_words) = &elsewhere.gone {
            let blocks = measured.recording.rounds_at(elsewhere.id, measured.requests.len());
            let last_words = last_words.clone();
            warnings.push(Warning::HostGone { host: host(), blocks, needed: MIN_BLOCKS, last_words });
        }
        let times = elsewhere.id.index_elsewhere().map(|index| measured.recording.times_at(index));
        if let (Some(times), Some(spoiled)) = (times, &elsewhere.spoiled)
            && let Some(Warning::Taken { taken, blocks }) = taken_warning(&times, Some(spoiled))
        {
            warnings.push(Warning::TakenAt { host: host(), taken, blocks });
        }
        let share = measured.own_share(elsewhere.id).filter(|share| *share > COSTLY_PROBES && !elsewhere.is_exporter);
        warnings.extend(share.map(|share| Warning::CostlyAgent { host: host(), share }));
        let notes = elsewhere.notes.iter();
        warnings.extend(notes.map(|note| Warning::OfHost { host: host(), note: note.clone() }));
    }
    if let Some((host, needed)) = &measured.settle_for {
        warnings.push(Warning::LongSettle { settle: measured.plan.settle, host: host.clone(), needed: *needed });
    }
    warnings
}

/// No CPU follows the requests; what else is known.
#[derive(Debug, Clone, Default)]
struct Silence {
    /// Groups on the path whose work for the requests cannot be told from their other work.
    untold: Vec<String>,
    is_remote: bool,
    /// Whether another counter follows, such as an exporter's.
    does_any_follow: bool,
    too_few: Option<Warning>,
    hosts: Vec<String>,
    exporters: Vec<String>,
    hidden: Option<Hidden>,
}

fn silence(silence: Silence) -> Vec<Warning> {
    let Silence { untold, is_remote, does_any_follow, too_few, hosts, exporters, hidden } = silence;
    if !untold.is_empty() {
        return vec![Warning::NotTold { groups: untold }];
    }
    let is_alone = hosts.is_empty();
    if is_alone && !is_remote {
        return nothing_follows(hidden, too_few);
    }
    let hosts = [hosts, exporters].concat();
    if hosts.is_empty() || does_any_follow {
        // The rows, and that the server is elsewhere, say it.
        return too_few.filter(|_| !hosts.is_empty()).into_iter().collect();
    }
    vec![too_few.unwrap_or(Warning::NothingFollowsAt { hosts })]
}

/// Why nothing visible follows the requests, by what is hidden and whether blocks were too few.
fn nothing_follows(hidden: Option<Hidden>, too_few: Option<Warning>) -> Vec<Warning> {
    let why = |hidden: Hidden| Warning::Hidden { why: hidden.why() };
    match (hidden, too_few) {
        // However long one measures.
        (Some(Hidden::OtherUsers), _) => vec![why(Hidden::OtherUsers)],
        // The server may be among the visible processes: then it takes more blocks.
        (Some(Hidden::Outside), too_few) => [why(Hidden::Outside)].into_iter().chain(too_few).collect(),
        (None, too_few) => vec![too_few.unwrap_or(Warning::NothingFollows)],
    }
}

fn names(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The initial PID namespace, by its fixed inode (`PROC_PID_INIT_INO`).
const FIRST: &str = "pid:[4026531836]";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    /// Those of other users: the server is probably one of them.
    OtherUsers,
    /// Those outside this PID namespace: the server may be one of them.
    Outside,
}

impl Hidden {
    /// What cannot be seen, why, and what to do.
    pub(super) fn why(self) -> String {
        match self {
            Self::OtherUsers => {
                "/proc hides the processes of other users (its mount option hidepid), and the server is probably one \
                 of them; run unladen as root, or mount /proc with hidepid=0"
            }
            Self::Outside => {
                "this is a container, or another PID namespace, and only its own processes can be seen; if the server \
                 runs outside, run unladen there, or start the container with --pid=host; if it runs in here, measure \
                 longer (--time), or with more at once (-c)"
            }
        }
        .to_owned()
    }
}

pub(super) fn hidden() -> Option<Hidden> {
    // Readable by everybody, unless /proc is mounted with hidepid.
    let is_hiding = std::fs::read("/proc/1/stat").is_err();
    let namespace = std::fs::read_link("/proc/self/ns/pid");
    told(is_hiding, namespace.ok().as_deref())
}

fn told(is_hiding: bool, namespace: Option<&Path>) -> Option<Hidden> {
    if is_hiding {
        return Some(Hidden::OtherUsers);
    }
    namespace.filter(|namespace| *namespace != Path::new(FIRST)).map(|_| Hidden::Outside)
}

#[cfg(test)]
mod tests;
