//! Findings, and what traced requests did, of `unladen.weigh/1` and `unladen.profile/1`.

use unladen_document as document;
use unladen_document::{
    Count, Evidence, EvidenceFigure, EvidenceItem, FixPart, NotJudged, NotLookedFor, Removes, Statement, Traced,
};
use unladen_finding::{Bearing, Finding, Saves, Share, Unjudged};
use unladen_trace::Interval;

use super::figure::interval;
use crate::inside::{Inside, StatementRow, TotalRow};

/// Found in requests of processes that had answered before.
pub(super) const WARM: &str = "warm";
const FRESH: &str = "fresh";

pub(super) fn findings(inside: &Inside) -> impl Iterator<Item = document::Finding> {
    let warm = inside.findings.iter().map(|found| finding(&inside.url, WARM, found));
    let fresh = inside.fresh.iter().flat_map(|fresh| &fresh.findings);
    warm.chain(fresh.map(|found| finding(&inside.url, FRESH, found)))
}

pub(super) fn traced(inside: &Inside) -> impl Iterator<Item = Traced> {
    let of = |state: &str, requests, latency_ns| Traced {
        url: inside.url.clone(),
        state: state.to_owned(),
        requests,
        latency_ns,
    };
    let fresh = inside.fresh.as_ref().map(|fresh| of(FRESH, fresh.requests, fresh.latency.map(interval)));
    std::iter::once(of(WARM, inside.requests, None)).chain(fresh)
}

pub(super) fn counts(inside: &Inside) -> impl Iterator<Item = Count> {
    let warm = inside.totals.iter().map(|row| count(inside, WARM, row));
    let fresh = inside.fresh.iter().flat_map(|fresh| &fresh.totals);
    warm.chain(fresh.map(|row| count(inside, FRESH, row)))
}

pub(super) fn not_looked(inside: &Inside) -> impl Iterator<Item = NotLookedFor> {
    inside.not_looked.iter().map(|missing| NotLookedFor {
        url: inside.url.clone(),
        rules: names(&missing.rules),
        why: missing.why.clone(),
        takes: missing.takes.clone(),
    })
}

pub(super) fn not_judged(inside: &Inside) -> impl Iterator<Item = NotJudged> {
    inside.unjudged.iter().map(|unjudged| {
        let Unjudged { what, why, takes, rules, bearing } = unjudged;
        NotJudged {
            url: inside.url.clone(),
            what: what.clone(),
            why: why.clone(),
            takes: takes.clone(),
            rules: names(rules),
            elsewhere: *bearing == Bearing::Elsewhere,
            uncertain: *bearing == Bearing::Uncertain,
        }
    })
}

fn names(rules: &[&'static str]) -> Vec<String> {
    rules.iter().map(|rule| (*rule).to_owned()).collect()
}

fn count(inside: &Inside, state: &str, row: &TotalRow) -> Count {
    let Interval { value, low, high } = row.per_request;
    Count {
        url: inside.url.clone(),
        state: state.to_owned(),
        group: row.group.clone(),
        counter: row.counter.clone(),
        per_request: value,
        low,
        high,
        noise_floor: row.noise_floor,
        invalid: inside.lost > 0 && row.is_of_events(),
    }
}

/// A finding of a page.
pub(super) fn finding(url: &str, state: &str, finding: &Finding) -> document::Finding {
    let fix = &finding.fix;
    let figures = finding.figures.iter().map(|figure| EvidenceFigure {
        name: figure.name.to_string(),
        unit: figure.unit.to_string(),
        per_request: figure.value.value,
        low: figure.value.low,
        high: figure.value.high,
    });
    let items =
        finding.items.iter().map(|item| EvidenceItem { name: item.name.to_string(), per_request: item.per_request });
    let also = fix.also.iter().map(|part| FixPart { file: part.file.clone(), lines: part.lines.clone() });
    document::Finding {
        url: url.to_owned(),
        rule: finding.rule.to_owned(),
        group: finding.group.clone(),
        host: fix.host.clone(),
        state: state.to_owned(),
        summary: finding.summary.clone(),
        evidence: Evidence { figures: figures.collect(), items: items.collect() },
        share: share(&finding.takes),
        takes_ns: match finding.takes {
            Share::Known { time, .. } => Some(interval(time)),
            Share::NearlyAll(_) | Share::NotKnown(_) => None,
        },
        saves_at_most_ns: match finding.saves {
            Saves::AtMost { time, .. } => Some(time),
            Saves::NotKnown(_) => None,
        },
        saves: saves(finding),
        fix: document::Fix {
            advice: fix.advice.clone(),
            audience: fix.audience.as_str().to_owned(),
            developers: fix.developers.clone(),
            file: fix.file.clone(),
            lines: fix.lines.clone(),
            also: also.collect(),
            commands: fix.commands.clone(),
        },
        check_again: finding.check_again.clone(),
    }
}

fn saves(finding: &Finding) -> document::Saves {
    let (of, at_most, why) = match &finding.saves {
        Saves::AtMost { of, part, .. } => (Some(of.as_str().to_owned()), Some(*part), None),
        Saves::NotKnown(why) => (None, None, Some(why.clone())),
    };
    let removes = finding.removes.as_ref().map(|removes| Removes {
        what: removes.what.to_string(),
        calls: removes.calls,
        of: removes.of,
    });
    document::Saves { of, at_most, why, removes }
}

fn share(share: &Share) -> document::Share {
    let unknown = document::Share::default();
    match share {
        Share::Known { of, time, part } => document::Share {
            known: true,
            of: Some(of.as_str().to_owned()),
            value: Some(part.value),
            low: Some(part.low),
            high: Some(part.high),
            time_ns: Some(interval(*time)),
            why: None,
        },
        Share::NearlyAll(why) => {
            document::Share { of: Some("nearly all of latency".to_owned()), why: Some(why.clone()), ..unknown }
        }
        Share::NotKnown(why) => document::Share { why: Some(why.clone()), ..unknown },
    }
}

pub(super) fn statements(inside: &Inside) -> impl Iterator<Item = Statement> {
    inside.statements.iter().map(|row| statement(&inside.url, row))
}

fn statement(url: &str, row: &StatementRow) -> Statement {
    Statement {
        url: url.to_owned(),
        group: row.group.clone(),
        database: row.database.clone(),
        statement: row.statement.clone(),
        calls: interval(row.calls),
        time_ns: interval(row.time),
    }
}
