//! Findings, in `unladen.weigh/1`.

use serde::Serialize;
use unladen_document::{Span, Statement};
use unladen_finding::{Bearing, Figure, Finding, Fix, Item, Part, Saves, Share, Unjudged};
use unladen_trace::Interval;

use crate::inside::{Inside, StatementRow, TotalRow};

#[derive(Serialize)]
pub(super) struct FindingJson<'a> {
    url: &'a str,
    rule: &'static str,
    group: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    /// `warm` or `fresh`.
    state: &'static str,
    summary: &'a str,
    evidence: EvidenceJson<'a>,
    share: ShareJson<'a>,
    takes_ns: Option<SpanNs>,
    saves_at_most_ns: Option<f64>,
    saves: SavesJson<'a>,
    fix: FixJson<'a>,
    check_again: &'a str,
}

#[derive(Serialize)]
struct EvidenceJson<'a> {
    figures: Vec<FigureJson<'a>>,
    items: Vec<ItemJson<'a>>,
}

#[derive(Serialize)]
struct FigureJson<'a> {
    name: &'a str,
    unit: &'a str,
    per_request: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct ItemJson<'a> {
    name: &'a str,
    per_request: f64,
}

/// If the share could not be determined, `known` is false and `why` says why.
#[derive(Serialize)]
struct ShareJson<'a> {
    known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ns: Option<SpanNs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct SavesJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removes: Option<RemovesJson>,
}

#[derive(Serialize)]
struct RemovesJson {
    what: &'static str,
    calls: f64,
    of: f64,
}

#[derive(Clone, Copy, Serialize)]
struct SpanNs {
    value: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct FixJson<'a> {
    advice: &'a str,
    audience: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    developers: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    lines: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<PartJson<'a>>,
    commands: &'a [String],
}

#[derive(Serialize)]
struct PartJson<'a> {
    file: &'a str,
    lines: &'a [String],
}

#[derive(Serialize)]
pub(super) struct CountJson<'a> {
    url: &'a str,
    state: &'static str,
    group: &'a str,
    counter: &'a str,
    per_request: f64,
    low: f64,
    high: f64,
    noise_floor: f64,
    /// Events were lost that may belong here, so the count may be too low.
    invalid: bool,
}

#[derive(Serialize)]
pub(super) struct NotLookedJson<'a> {
    url: &'a str,
    rules: &'a [&'static str],
    why: &'a str,
    takes: &'a str,
}

#[derive(Serialize)]
pub(super) struct NotJudgedJson<'a> {
    url: &'a str,
    what: &'a str,
    why: &'a str,
    takes: &'a str,
    rules: &'a [&'static str],
    /// On another host or in another network: reported, but not a rule's failure.
    elsewhere: bool,
    /// The rule looked and saw likely, but not certain, waste.
    uncertain: bool,
}

#[derive(Serialize)]
pub(super) struct TracedJson<'a> {
    url: &'a str,
    state: &'static str,
    requests: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ns: Option<SpanNs>,
}

/// State of findings from processes that had answered before.
pub(super) const WARM: &str = "warm";
const FRESH: &str = "fresh";

pub(super) fn findings(inside: &Inside) -> impl Iterator<Item = FindingJson<'_>> {
    let warm = inside.findings.iter().map(|found| finding(&inside.url, WARM, found));
    let fresh = inside.fresh.iter().flat_map(|fresh| &fresh.findings);
    warm.chain(fresh.map(|found| finding(&inside.url, FRESH, found)))
}

pub(super) fn traced(inside: &Inside) -> impl Iterator<Item = TracedJson<'_>> {
    let warm = TracedJson { url: &inside.url, state: WARM, requests: inside.requests, latency_ns: None };
    let fresh = inside.fresh.as_ref().map(|fresh| TracedJson {
        url: &inside.url,
        state: FRESH,
        requests: fresh.requests,
        latency_ns: fresh.latency.map(|Interval { value, low, high }| SpanNs { value, low, high }),
    });
    std::iter::once(warm).chain(fresh)
}

pub(super) fn counts(inside: &Inside) -> impl Iterator<Item = CountJson<'_>> {
    let warm = inside.totals.iter().map(|row| count(inside, WARM, row));
    let fresh = inside.fresh.iter().flat_map(|fresh| &fresh.totals);
    warm.chain(fresh.map(|row| count(inside, FRESH, row)))
}

pub(super) fn not_looked(inside: &Inside) -> impl Iterator<Item = NotLookedJson<'_>> {
    inside.not_looked.iter().map(|missing| NotLookedJson {
        url: &inside.url,
        rules: &missing.rules,
        why: &missing.why,
        takes: &missing.takes,
    })
}

pub(super) fn not_judged(inside: &Inside) -> impl Iterator<Item = NotJudgedJson<'_>> {
    inside.unjudged.iter().map(|unjudged| {
        let Unjudged { what, why, takes, rules, bearing } = unjudged;
        let (elsewhere, uncertain) = (*bearing == Bearing::Elsewhere, *bearing == Bearing::Uncertain);
        NotJudgedJson { url: &inside.url, what, why, takes, rules, elsewhere, uncertain }
    })
}

fn count<'a>(inside: &'a Inside, state: &'static str, row: &'a TotalRow) -> CountJson<'a> {
    let Interval { value, low, high } = row.per_request;
    CountJson {
        url: &inside.url,
        state,
        group: &row.group,
        counter: &row.counter,
        per_request: value,
        low,
        high,
        noise_floor: row.noise_floor,
        invalid: inside.lost > 0 && row.is_of_events(),
    }
}

pub(super) fn finding<'a>(url: &'a str, state: &'static str, finding: &'a Finding) -> FindingJson<'a> {
    let Fix { advice, audience, developers, file, lines, also, commands, .. } = &finding.fix;
    let part = |part: &'a Part| PartJson { file: &part.file, lines: &part.lines };
    let figure = |figure: &'a Figure| FigureJson {
        name: figure.name,
        unit: figure.unit,
        per_request: figure.value.value,
        low: figure.value.low,
        high: figure.value.high,
    };
    let item = |item: &'a Item| ItemJson { name: &item.name, per_request: item.per_request };
    FindingJson {
        url,
        rule: finding.rule,
        group: &finding.group,
        host: finding.fix.host.as_deref(),
        state,
        summary: &finding.summary,
        evidence: EvidenceJson {
            figures: finding.figures.iter().map(figure).collect(),
            items: finding.items.iter().map(item).collect(),
        },
        share: share(&finding.takes),
        takes_ns: match finding.takes {
            Share::Known { time, .. } => Some(SpanNs { value: time.value, low: time.low, high: time.high }),
            Share::NearlyAll(_) | Share::NotKnown(_) => None,
        },
        saves_at_most_ns: match finding.saves {
            Saves::AtMost { time, .. } => Some(time),
            Saves::NotKnown(_) => None,
        },
        saves: saves(finding),
        fix: FixJson {
            advice,
            audience: audience.as_str(),
            developers: developers.as_deref(),
            file: file.as_deref(),
            lines,
            also: also.iter().map(part).collect(),
            commands,
        },
        check_again: &finding.check_again,
    }
}

fn saves(finding: &Finding) -> SavesJson<'_> {
    let (of, at_most, why) = match &finding.saves {
        Saves::AtMost { of, part, .. } => (Some(of.as_str()), Some(*part), None),
        Saves::NotKnown(why) => (None, None, Some(why.as_str())),
    };
    let removes = finding.removes.as_ref().map(|removes| RemovesJson {
        what: removes.what,
        calls: removes.calls,
        of: removes.of,
    });
    SavesJson { of, at_most, why, removes }
}

fn share(share: &Share) -> ShareJson<'_> {
    let unknown = ShareJson { known: false, of: None, value: None, low: None, high: None, time_ns: None, why: None };
    match share {
        Share::Known { of, time, part } => ShareJson {
            known: true,
            of: Some(of.as_str()),
            value: Some(part.value),
            low: Some(part.low),
            high: Some(part.high),
            time_ns: Some(SpanNs { value: time.value, low: time.low, high: time.high }),
            why: None,
        },
        Share::NearlyAll(why) => ShareJson { of: Some("nearly all of latency"), why: Some(why), ..unknown },
        Share::NotKnown(why) => ShareJson { why: Some(why), ..unknown },
    }
}

pub(super) fn statements(inside: &Inside) -> impl Iterator<Item = Statement> {
    inside.statements.iter().map(|row| statement(&inside.url, row))
}

fn statement(url: &str, row: &StatementRow) -> Statement {
    let span = |of: Interval| Span { value: of.value, low: of.low, high: of.high };
    Statement {
        url: url.to_owned(),
        group: row.group.clone(),
        database: row.database.clone(),
        statement: row.statement.clone(),
        calls: span(row.calls),
        time_ns: span(row.time),
    }
}
