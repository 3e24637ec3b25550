//! The result of `unladen bill`: kinds of pages and of clients, by the CPU that they take.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::{BillDocument, BilledClient, BilledKind, Frees, share_text};
use unladen_quantity::{Kind, Quantity, grouped, lasting, percent, plain};

use super::prose::{aside, clean, cut_short, few, wrapped};
use super::table::{Grid, faint, strong, warn};
use crate::style::{Edge, Style};

/// Rows of the first screen.
const KINDS: usize = 6;
const CLIENTS: usize = 3;
const FREES: usize = 2;
/// Columns that a kind's name is cut to, on a narrow terminal.
const NAME: usize = 34;
/// Columns that everything beside the name takes.
const BESIDE: usize = 60;
/// Lines of what would free most.
const FREED: usize = 4;

pub(super) fn bill(result: &BillDocument, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    writeln!(out, "{}", style.heading(&clean(&result.target)))?;
    cut_short(&result.ended, "a request failed", "cells", style, out)?;
    for line in few(&result.headline(), usize::from(style.width), usize::MAX, style) {
        writeln!(out, "{}", style.strong(&line))?;
    }
    writeln!(out)?;
    kinds(result, style, out)?;
    clients(result, style, out)?;
    frees(result, style, out)?;
    not_weighed(result, style, out)?;
    if let Some(contention) = result.contention_text() {
        wrapped(&contention, style, out)?;
    }
    if let Some(logged) = result.logged_text() {
        aside(&logged, style, out)?;
    }
    result.warnings.iter().try_for_each(|warning| wrapped(warning, style, out))?;
    if style.details { method(result, style, out) } else { aside(&below(result), style, out) }
}

fn kinds(result: &BillDocument, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let most = if style.details { result.kinds.len() } else { KINDS };
    let room = usize::from(style.width).saturating_sub(BESIDE).max(NAME);
    let headings = ["kind of page", "requests", "CPU a request", "of the CPU", "carries", "noise floor"];
    let headings = &headings[..if style.details { 6 } else { 5 }];
    let mut table = Grid::new(headings).left(4).expendable(if style.details { &[5, 4] } else { &[4] });
    for row in result.kinds.iter().take(most) {
        let cpu = Quantity { kind: Kind::Time, value: row.cpu_ns.value, margin: row.cpu_ns.margin() };
        let carries = match &row.carries {
            None => String::new(),
            Some(rules) if rules.is_empty() => faint("no finding"),
            Some(rules) => rules.join(", "),
        };
        let mut cells = vec![
            name(row, room),
            share_of(row.request_share),
            cpu.to_string(),
            strong(&share_text(row.cpu_share)),
            carries,
        ];
        if style.details {
            cells.push(plain(Kind::Time, row.noise_floor_ns));
        }
        table.row(cells);
    }
    if result.kinds.len() > most {
        let rest: f64 = result.kinds.iter().skip(most).map(|kind| kind.cpu_share.value).sum();
        let count = result.kinds.len() - most;
        let requests: f64 = result.kinds.iter().skip(most).map(|kind| kind.request_share).sum();
        let more = format!("{count} more kind{}", if count == 1 { "" } else { "s" });
        table.row([faint(&more), share_of(requests), String::new(), faint(&format!("{} %", percent(rest)))]);
    }
    table.write(style, out)
}

/// A kind that failed at times is marked.
fn name(row: &BilledKind, room: usize) -> String {
    let name: String = match row.kind.chars().count() > room {
        true => row.kind.chars().take(room.saturating_sub(1)).chain(['…']).collect(),
        false => row.kind.clone(),
    };
    if row.failed > 0 { warn(&format!("{name} !")) } else { name }
}

fn share_of(share: f64) -> String {
    format!("{} %", percent(share))
}

fn clients(result: &BillDocument, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let is_shown = |client: &&BilledClient| style.details || !matches!(client.sort.as_str(), "crawler");
    let mut table = Grid::new(&["client", "requests", "of the CPU", ""]).left(3);
    let most = if style.details { result.clients.len() } else { CLIENTS };
    for client in result.clients.iter().filter(is_shown).take(most) {
        let crawlers = result.clients.iter().filter(|one| one.sort == "crawler").take(2);
        let named: Vec<String> =
            crawlers.map(|one| format!("{} {} %", one.client, percent(one.cpu_share.value))).collect();
        let beside = if client.sort == "crawlers" && !style.details { named.join(", ") } else { String::new() };
        table.row([
            client.client.clone(),
            share_of(client.request_share),
            strong(&share_text(client.cpu_share)),
            faint(&beside),
        ]);
    }
    if table.is_empty() { Ok(()) } else { table.write(style, out) }
}

fn frees(result: &BillDocument, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    if result.frees.is_empty() {
        return Ok(());
    }
    let most = if style.details { result.frees.len() } else { FREES };
    let said: Vec<String> = result.frees.iter().take(most).map(Frees::text).collect();
    let text = format!("What would free most of the CPU: {}", said.join("; "));
    let lines = few(&clean(&text), usize::from(style.width), FREED, style);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out)
}

fn not_weighed(result: &BillDocument, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let requests: u64 = result.not_weighed.iter().map(|row| row.requests).sum();
    if requests == 0 {
        return Ok(());
    }
    let share = percent(requests as f64 / result.log.entries.max(1) as f64);
    let most = if style.details { usize::MAX } else { 1 };
    let rows = result.not_weighed.iter().take(most).map(|row| format!("{} ({})", row.what, row.why));
    let mut text = format!("Not weighed: {share} % of the requests: {}", rows.collect::<Vec<_>>().join("; "));
    if result.not_weighed.len() > most {
        text += &format!("; and {} more", result.not_weighed.len() - most);
    }
    wrapped(&text, style, out)
}

fn below(result: &BillDocument) -> String {
    let passed: u64 = result.log.passed_over.iter().map(|row| row.lines).sum();
    let passed =
        if passed == 0 { String::new() } else { format!(" Lines passed over: {}.", grouped(passed as f64, 0)) };
    format!("± is the 95 % interval.{passed} All kinds, clients, groups and noise floors: --details")
}

/// How it was measured, and from what.
fn method(result: &BillDocument, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    writeln!(out)?;
    for group in &result.groups {
        aside(&format!("{}: {}", group.group, share_text(group.share)), style, out)?;
    }
    let log = &result.log;
    aside(
        &format!(
            "{}: {} lines, {} requests",
            log.files.join(", "),
            grouped(log.lines as f64, 0),
            grouped(log.entries as f64, 0)
        ),
        style,
        out,
    )?;
    for row in &log.passed_over {
        aside(&format!("passed over: {} lines: {}", grouped(row.lines as f64, 0), row.about), style, out)?;
    }
    let text = format!(
        "{} requests sent in {}, {} of them failed; {:.2} cores added (at most {:.2}); noise floor of the total {}",
        grouped(result.requests as f64, 0),
        lasting(Duration::from_nanos(result.elapsed_ns)),
        grouped(result.failed as f64, 0),
        result.load_cores,
        result.load_bound_cores,
        plain(Kind::Time, result.noise_floor_ns),
    );
    aside(&text, style, out)?;
    let Some(together) = &result.together else { return Ok(()) };
    let change = together.ratio.change_text();
    aside(&format!("all kinds at once, {} at a time: {change}, {}", together.concurrency, together.verdict), style, out)
}

#[cfg(test)]
mod tests;
