//! What each request of a page repeats: [`inside`], and for replays [`pages`].

use unladen_document as kept;
use unladen_document::{Count, Gate, WeighDocument};
use unladen_finding::{Audience, Bearing, Figure, Finding, Fix, Item, Part, Removes, Saves, Share, Unjudged, Whole};
use unladen_trace::Total;

use super::figure::interval;
use super::name::known_name as name;
use crate::inside::{Fresh, Inside, NotLooked, StatementRow, TotalRow};

/// State of findings from the first requests of fresh processes.
const FRESH: &str = "fresh";

/// The findings of a page; `None` if nobody looked.
pub(super) fn inside(document: &WeighDocument, url: &str) -> Option<Inside> {
    let traced = |state: &str| document.traced.iter().find(|traced| traced.url == url && traced.state == state);
    let of_state = |state: &str| {
        let findings = document.findings.iter().filter(|found| found.url == url && is_of(&found.state, state));
        let counts = document.counts.iter().filter(|count| count.url == url && is_of(&count.state, state));
        (findings.map(finding).collect::<Vec<_>>(), counts.map(total).collect::<Vec<_>>())
    };
    let (findings, totals) = of_state("warm");
    let (fresh_findings, fresh_totals) = of_state(FRESH);
    let fresh = traced(FRESH);
    let has_fresh = fresh.is_some() || !fresh_findings.is_empty() || !fresh_totals.is_empty();
    let not_looked: Vec<NotLooked> =
        document.not_looked_for.iter().filter(|missing| missing.url == url).map(not_looked).collect();
    let unjudged: Vec<Unjudged> = document.not_judged.iter().filter(|part| part.url == url).map(not_judged).collect();
    let gates: Vec<Gate> = document.gates.iter().filter(|gate| gate.url == url).cloned().collect();
    let is_empty = findings.is_empty() && totals.is_empty() && !has_fresh && not_looked.is_empty();
    if is_empty && unjudged.is_empty() && gates.is_empty() && traced("warm").is_none() {
        return None;
    }
    Some(Inside {
        url: url.to_owned(),
        requests: traced("warm").map_or(0, |traced| traced.requests),
        latency: None,
        totals,
        statements: document.statements.iter().filter(|row| row.url == url).map(statement).collect(),
        next_step: document.next_steps.iter().find(|step| step.url == url).cloned(),
        findings,
        fresh: has_fresh.then(|| Fresh {
            // The command itself is not stored: it may contain a secret.
            restart: "--restart …".to_owned(),
            requests: fresh.map_or(0, |traced| traced.requests),
            latency: fresh.and_then(|traced| traced.latency_ns).map(|span| interval(span.value, span.low, span.high)),
            totals: fresh_totals,
            findings: fresh_findings,
        }),
        not_looked,
        unjudged,
        // Shown once for all pages.
        lost: if document.urls.first().is_none_or(|first| first.url == url) { document.lost_events } else { 0 },
        gates,
    })
}

/// For documents without weights.
pub(super) fn pages(document: &WeighDocument) -> Vec<Inside> {
    document.target.split(' ').filter_map(|url| inside(document, url)).collect()
}

/// Documents of version 0.1 have no states.
fn is_of(state: &str, wanted: &str) -> bool {
    state == wanted || (state.is_empty() && wanted != FRESH)
}

fn statement(row: &kept::Statement) -> StatementRow {
    let of = |span: kept::Span| interval(span.value, span.low, span.high);
    StatementRow {
        group: row.group.clone(),
        database: row.database.clone(),
        statement: row.statement.clone(),
        calls: of(row.calls),
        time: of(row.time_ns),
    }
}

fn total(count: &Count) -> TotalRow {
    TotalRow {
        group: count.group.clone(),
        counter: count.counter.clone(),
        title: Total::title_of(&count.counter),
        per_request: interval(count.per_request, count.low, count.high),
        noise_floor: count.noise_floor,
    }
}

pub(super) fn finding(found: &kept::Finding) -> Finding {
    let figure = |figure: &kept::EvidenceFigure| Figure {
        name: name(&figure.name),
        unit: name(&figure.unit),
        value: interval(figure.per_request, figure.low, figure.high),
    };
    let item = |item: &kept::EvidenceItem| Item { name: item.name.clone(), per_request: item.per_request };
    let part = |part: &kept::FixPart| Part { file: part.file.clone(), lines: part.lines.clone(), group: None };
    let fix = &found.fix;
    Finding {
        rule: name(&found.rule),
        group: found.group.clone(),
        summary: found.summary.clone(),
        figures: found.evidence.figures.iter().map(figure).collect(),
        items: found.evidence.items.iter().map(item).collect(),
        takes: share(&found.share),
        saves: saves(found),
        removes: found.saves.removes.as_ref().map(|removes| Removes {
            what: name(&removes.what),
            calls: removes.calls,
            of: removes.of,
        }),
        fix: Fix {
            advice: fix.advice.clone(),
            audience: if fix.audience == Audience::Developer.as_str() {
                Audience::Developer
            } else {
                Audience::Operator
            },
            developers: fix.developers.clone(),
            file: fix.file.clone(),
            lines: fix.lines.clone(),
            also: fix.also.iter().map(part).collect(),
            commands: fix.commands.clone(),
            in_place: Vec::new(),
            is_partial: false,
            group: None,
            host: found.host.clone(),
            knob: None,
        },
        check_again: found.check_again.clone(),
    }
}

/// Earlier versions have no bound.
fn saves(found: &kept::Finding) -> Saves {
    let kept::Saves { of, at_most, why, .. } = &found.saves;
    match (of, found.saves_at_most_ns, at_most) {
        (Some(of), Some(time), Some(part)) => Saves::AtMost { of: whole(of), time, part: *part },
        _ => Saves::NotKnown(why.clone().unwrap_or_else(|| "an earlier version told no bound".to_owned())),
    }
}

fn whole(of: &str) -> Whole {
    if of == Whole::Cpu.as_str() { Whole::Cpu } else { Whole::Latency }
}

fn share(share: &kept::Share) -> Share {
    let why = || share.why.clone().unwrap_or_default();
    match (share.of.as_deref(), share.value.zip(share.low).zip(share.high), share.time_ns) {
        (Some(of), Some(((value, low), high)), Some(time)) if share.known => Share::Known {
            of: whole(of),
            time: interval(time.value, time.low, time.high),
            part: interval(value, low, high),
        },
        (Some(_), _, _) => Share::NearlyAll(why()),
        (None, _, _) => Share::NotKnown(why()),
    }
}

fn not_looked(missing: &kept::NotLookedFor) -> NotLooked {
    NotLooked {
        rules: missing.rules.iter().map(|rule| name(rule)).collect(),
        why: missing.why.clone(),
        takes: missing.takes.clone(),
    }
}

fn not_judged(part: &kept::NotJudged) -> Unjudged {
    Unjudged {
        what: part.what.clone(),
        why: part.why.clone(),
        takes: part.takes.clone(),
        rules: part.rules.iter().map(|rule| name(rule)).collect(),
        bearing: match part {
            kept::NotJudged { elsewhere: true, .. } => Bearing::Elsewhere,
            kept::NotJudged { uncertain: true, .. } => Bearing::Uncertain,
            kept::NotJudged { .. } => Bearing::Here,
        },
    }
}
