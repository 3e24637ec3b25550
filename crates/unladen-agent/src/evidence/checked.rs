//! [`read_evidence`]: checks evidence of another host's agent.

use unladen_probe::is_restart;
use unladen_trace::{Evidence, EvidenceSource, PhaseSeen};

use super::message::{MAX_EVIDENCE, MAX_REQUESTS};
use crate::shown::shown;

/// Maximum bytes of a text in evidence: SQL is cut before, paths are shorter.
const MAX_TEXT: usize = 8 << 10;
const MAX_MISSING: usize = 64;

/// Maximum files, locks and the like of a kind: more than fit into honest evidence.
const MAX_FILES: usize = 50_000;
const MAX_QUERIES: usize = 2_000;
/// Maximum peers, names, logs, programs and the like: rules compare each with all others.
const MAX_PEERS: usize = 500;
/// Maximum places that override a setting: each becomes a sentence of a fix.
const MAX_SET_AGAIN: usize = 50;

/// Why evidence is refused.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    #[error("evidence of more than {} MiB", MAX_EVIDENCE >> 20)]
    TooLong,
    /// It would take much more memory than its length.
    #[error("evidence with more parts than any page has")]
    TooMany,
    #[error("the evidence cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("evidence of {found} {what}, but {asked} were requested")]
    Other { what: &'static str, found: usize, asked: usize },
}

/// Parses evidence of `groups` groups. The agent may be faulty or hostile: texts are cut to 8 KiB and freed of terminal
/// controls, lists are cut to what any page makes (the rest counts as lost), and everything that only this machine can
/// have seen is removed: the page, its answers, its path. Fails when it is invalid.
pub fn read_evidence(json: &[u8], groups: usize) -> Result<Evidence, EvidenceError> {
    if json.len() > MAX_EVIDENCE {
        return Err(EvidenceError::TooLong);
    }
    if !has_room(json) {
        return Err(EvidenceError::TooMany);
    }
    let told: Evidence = serde_json::from_slice(json)?;
    if told.groups.len() != groups {
        return Err(EvidenceError::Other { what: "groups", found: told.groups.len(), asked: groups });
    }
    let requests = told.phases.requests();
    let mut evidence = Evidence {
        groups: told.groups,
        phases: told.phases,
        sources: told.sources.into_iter().filter(can_be_seen_there).collect(),
        missing: told.missing.into_iter().filter(|missing| can_be_seen_there(&missing.source)).collect(),
        lost: told.lost,
        overhead_ns: told.overhead_ns,
        syscalls: told.syscalls,
        files: told.files,
        transfers: told.transfers,
        processes: told.processes,
        compiles: told.compiles,
        counters: told.counters,
        connections: told.connections,
        dns: told.dns,
        queries: told.queries,
        locks: told.locks,
        logs: told.logs,
        sleeps: told.sleeps,
        php: told.php,
        ..Evidence::default()
    };
    evidence.page.requests = requests;
    evidence.sources.sort_unstable();
    evidence.sources.dedup();
    evidence.missing.truncate(MAX_MISSING);
    bound(&mut evidence, groups);
    for group in &mut evidence.groups {
        // Only this machine knows their weights.
        (group.cpu, group.untold, group.on_path) = (None, None, false);
        if let Some(container) = &mut group.container {
            // A command from another machine is refused unless it is the known one of its engine.
            container.restart = container.restart.take().filter(|command| is_restart(command));
        }
    }
    evidence.each_text(&mut |text| *text = shown(text, MAX_TEXT));
    Ok(evidence)
}

/// Cuts lists: a rule that compares all connections with all others would take hours for the content of 32 MiB, and
/// each of them might be a finding.
fn bound(evidence: &mut Evidence, groups: usize) {
    let mut lost = cut(&mut evidence.files, MAX_FILES);
    lost += cut(&mut evidence.transfers, MAX_FILES) + cut(&mut evidence.locks, MAX_FILES);
    lost += cut(&mut evidence.compiles, MAX_FILES) + cut(&mut evidence.syscalls, MAX_FILES);
    lost += cut(&mut evidence.queries, MAX_QUERIES);
    lost += cut(&mut evidence.connections, MAX_PEERS) + cut(&mut evidence.dns, MAX_PEERS);
    lost += cut(&mut evidence.processes, MAX_PEERS) + cut(&mut evidence.logs, MAX_PEERS);
    lost += cut(&mut evidence.counters, MAX_PEERS) + cut(&mut evidence.sleeps, MAX_PEERS);
    // One for each group, and no more are requested.
    evidence.php.truncate(groups);
    for php in &mut evidence.php {
        lost += cut(&mut php.set_again, MAX_SET_AGAIN);
    }
    evidence.lost = evidence.lost.saturating_add(lost);
}

fn cut<T>(list: &mut Vec<T>, most: usize) -> u64 {
    let more = list.len().saturating_sub(most);
    list.truncate(most);
    more as u64
}

#[derive(Debug, Clone, Copy)]
pub(super) struct AskedPhase {
    pub(super) on: bool,
    pub(super) requests: u64,
}

/// Whether evidence matches these phases; the last ones may be missing. The per-request counts are divided by the
/// number of requests, which the sender knows. Fails if it is of others.
pub(super) fn check_phases(evidence: &Evidence, asked: &[AskedPhase]) -> Result<(), EvidenceError> {
    let told = evidence.phases.all();
    let is_same = |(told, asked): (&PhaseSeen, &AskedPhase)| told.on == asked.on;
    if told.len() > asked.len() || !told.iter().zip(asked).all(is_same) {
        return Err(EvidenceError::Other { what: "phases", found: told.len(), asked: asked.len() });
    }
    for (told, asked) in told.iter().zip(asked) {
        // Without requests, it is as many as would have fit, cut into stretches of whole nanoseconds.
        let most = if asked.on { asked.requests } else { 2 * MAX_REQUESTS as u64 };
        if told.requests > most || (asked.on && told.requests != asked.requests) {
            let found = usize::try_from(told.requests).unwrap_or(usize::MAX);
            return Err(EvidenceError::Other { what: "requests in a phase", found, asked: most as usize });
        }
    }
    Ok(())
}

fn can_be_seen_there(source: &EvidenceSource) -> bool {
    match source {
        EvidenceSource::Syscalls
        | EvidenceSource::Processes
        | EvidenceSource::Php
        | EvidenceSource::Perl
        | EvidenceSource::Sqlite
        | EvidenceSource::PhpSettings => true,
        EvidenceSource::Response | EvidenceSource::Restarts | EvidenceSource::Profile => false,
    }
}

/// Maximum lists and structures: a page that touches ten thousand files makes a fifth of them. An empty structure is
/// two bytes of JSON and four hundred in memory.
const MAX_STRUCTURES: usize = 250_000;
const MAX_VALUES: usize = 4_000_000;

/// Whether it is small enough to be parsed. Invalid JSON is left to the parser: up to the error, the count is right.
pub(super) fn has_room(json: &[u8]) -> bool {
    let (mut structures, mut values) = (0, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => structures += 1,
            b',' => values += 1,
            _ => {}
        }
    }
    structures <= MAX_STRUCTURES && structures + values <= MAX_VALUES
}

#[cfg(test)]
mod tests;
