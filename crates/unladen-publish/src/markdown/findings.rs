//! [`findings`]: patterns of waste, each with its fix.

use unladen_document::{Finding, Share};
use unladen_quantity::{Kind, grouped, percent, plain};

use super::inert::{code, code_html, fence, html, prose};
use super::sheet::{Sheet, Table};
use crate::figures::{count, interval};
use crate::visible::shortened;

/// In characters.
const TITLE: usize = 120;

/// Maximum number of listed parts of a finding.
const ITEMS: usize = 8;

/// A table of all, then each with its evidence and fix, folded away.
pub(super) fn findings(findings: &[Finding], sheet: &mut Sheet) {
    if findings.is_empty() {
        return;
    }
    let is_several = findings.iter().any(|finding| finding.url != findings[0].url);
    sheet.part("### What each request carries");
    let mut table = Table::new(&["rule", "what was found ", "takes of a request ", "its fix saves "]);
    for finding in findings {
        let page = if is_several { format!(" {}", code(&finding.url)) } else { String::new() };
        let fresh = if finding.state == "fresh" { " (first request of a fresh process)" } else { "" };
        let by = if finding.group.is_empty() { String::new() } else { format!(", by {}", code(&finding.group)) };
        table.row(vec![
            code(&finding.rule) + &page,
            format!("{}{by}{fresh}", prose(&finding.summary)),
            share(&finding.share),
            saves(finding),
        ]);
    }
    sheet.table(&table);
    for finding in findings {
        // Advice has reservations after its first part.
        let advice = finding.fix.advice.split([':', ';']).next().unwrap_or_default();
        let title = format!("{} {}", code_html(&finding.rule), html(&shortened(advice, TITLE)));
        sheet.details(title.trim(), |sheet| one(finding, sheet));
    }
}

/// The largest in a sentence: what it is, its cost, and what its fix saves.
pub(super) fn first(findings: &[Finding]) -> Option<String> {
    let largest = findings.first()?;
    let what = format!("{} ({})", code(&largest.rule), prose(&largest.summary));
    let takes = match (largest.share.time_ns, largest.share.known) {
        (Some(time), true) => format!(", which takes {} a request", interval(Kind::Time, time.low, time.high)),
        _ => String::new(),
    };
    let saves = largest.saves_at_most_ns.map(|time| format!("; its fix saves at most {}", plain(Kind::Time, time)));
    let verb = if findings.len() == 1 { "It is" } else { "The most expensive is" };
    Some(format!("{verb} {what}{takes}{}.", saves.unwrap_or_default()))
}

fn one(finding: &Finding, sheet: &mut Sheet) {
    let figures: Vec<String> = finding
        .evidence
        .figures
        .iter()
        .map(|figure| {
            let kind = crate::figures::kind(&figure.unit);
            let value = crate::figures::with_margin(kind, figure.per_request, figure.low, figure.high);
            format!("{} {value}", code(&figure.name))
        })
        .collect();
    if !figures.is_empty() {
        sheet.part(&format!("Per request: {}", figures.join(", ")));
    }
    let items = &finding.evidence.items;
    sheet.list(items.iter().take(ITEMS).map(|item| {
        format!("{} {}", code(&item.name), grouped(item.per_request, if item.per_request < 10.0 { 1 } else { 0 }))
    }));
    if items.len() > ITEMS {
        sheet.part(&format!("and {} more", count((items.len() - ITEMS) as u64, "part")));
    }
    let fix = &finding.fix;
    sheet.part(&format!("**Fix**: {}", prose(&fix.advice)));
    let files =
        fix.file.iter().map(|file| (file, &fix.lines)).chain(fix.also.iter().map(|part| (&part.file, &part.lines)));
    for (file, lines) in files {
        sheet.part(&format!("Into {}:\n\n{}", code(file), fence(lines)));
    }
    if fix.file.is_none() && !fix.lines.is_empty() {
        sheet.part(&fence(&fix.lines));
    }
    if !fix.commands.is_empty() {
        let on = finding.host.as_ref().map(|host| format!(" on {}", code(host))).unwrap_or_default();
        sheet.part(&format!("Run{on}:\n\n{}", fence(&fix.commands)));
    }
    if let Some(developers) = &fix.developers {
        sheet.part(&format!("Besides, {}", prose(developers)));
    }
    if !finding.check_again.is_empty() {
        sheet.part(&format!("Check again:\n\n{}", fence(std::slice::from_ref(&finding.check_again))));
    }
}

/// `8.8 % of latency (4.0 to 17.5), 2.10 ms`
fn share(share: &Share) -> String {
    match (share.value, share.low, share.high) {
        (Some(value), Some(low), Some(high)) if share.known => {
            let of = share.of.as_deref().unwrap_or("the request");
            let time = share.time_ns.map(|time| format!(", {}", plain(Kind::Time, time.value))).unwrap_or_default();
            format!("{} % of {} ({} to {}){time}", percent(value), prose(of), percent(low), percent(high))
        }
        _ => {
            let of = share.of.as_ref().map(|of| format!("{}; ", prose(of))).unwrap_or_default();
            let why = share.why.as_deref().map_or_else(|| "not known".to_owned(), prose);
            format!("{of}{}", if share.of.is_some() { why } else { format!("not known: {why}") })
        }
    }
}

/// `at most 1.10 ms, 4.5 % of latency (85 of 207 checks)`
fn saves(finding: &Finding) -> String {
    let saves = &finding.saves;
    let removes = saves.removes.as_ref().map(|removes| {
        let count = |value: f64| grouped(value, 0);
        format!(" (removes about {} of {} {})", count(removes.calls), count(removes.of), prose(&removes.what))
    });
    let bound = match (finding.saves_at_most_ns, saves.at_most, &saves.of) {
        (Some(time), Some(part), Some(of)) => {
            format!("at most {}, {} % of {}", plain(Kind::Time, time), percent(part), prose(of))
        }
        _ => saves.why.as_deref().map_or_else(|| "not known".to_owned(), |why| format!("not known: {}", prose(why))),
    };
    bound + &removes.unwrap_or_default()
}
