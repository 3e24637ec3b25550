//! [`written_finding`] and [`written_unjudged`]: what the rules say, as documents have it.

use unladen_document as document;
use unladen_document::{Evidence, EvidenceFigure, EvidenceItem, FixPart, NotJudged, Removes};
use unladen_finding::{Bearing, Finding, Saves, Share, Unjudged};
use unladen_trace::Interval;

/// A finding of a page, in requests of processes in this state.
pub fn written_finding(url: &str, state: &str, finding: &Finding) -> document::Finding {
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
            audience: fix.audience.into_str().to_owned(),
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
        Saves::AtMost { of, part, .. } => (Some(of.into_str().to_owned()), Some(*part), None),
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
            of: Some(of.into_str().to_owned()),
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

fn interval(Interval { value, low, high }: Interval) -> document::Span {
    document::Span { value, low, high }
}

/// A part of a page's path that was not judged.
pub fn written_unjudged(url: &str, unjudged: Unjudged) -> NotJudged {
    let Unjudged { what, why, takes, rules, bearing } = unjudged;
    NotJudged {
        url: url.to_owned(),
        what,
        why,
        takes,
        rules: rules.into_iter().map(str::to_owned).collect(),
        elsewhere: bearing == Bearing::Elsewhere,
        uncertain: bearing == Bearing::Uncertain,
    }
}
