//! The result of `unladen weigh`: the table of weights, its meaning, and what to know before believing it.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::{CPU_COLUMNS, FarStation, LeftBehind, Path, Span, WeighDocument, WeighedHost, Weight};
use unladen_quantity::{Kind, Quantity, between, grouped, plain};

use super::figure::{bar, interval, rates, with_interval};
use super::gates::gates;
use super::inside::inside;
use super::prose::{answer, aside, clean, cookies, cut_short, files_unseen, paragraph, sentence, warnings};
use super::table::{Grid, side_by_side, strong};
use crate::latency::Latency;
use crate::style::Edge;
use crate::style::Style;
use crate::weigh::{Weigh, WeighedPage};

/// Cells of the heaviest group's bar.
const BAR: usize = 20;
/// The same on a terminal of 80 columns.
const SHORT_BAR: usize = 8;
/// Minimum width for all columns of CPU.
const WIDE_FROM: u16 = 110;
/// Below this width only the fewest words fit.
const BRIEF_BELOW: u16 = 80;
/// Maximum number of groups side by side as columns of counters.
const COLUMNS: usize = 3;
/// Shown if a counter does not follow the requests.
const NOT_FOLLOWING: &str = "·";

/// All there is.
pub(super) fn weigh(result: &Weigh, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let run = &result.run;
    let mut told = Vec::new();
    for page in &result.pages {
        head(page, run, style, out)?;
        hosts(&run.hosts, page.url.blocks, style, out)?;
        if page.weights.is_empty() {
            continue;
        }
        cpu(page, style, out)?;
        path(&page.url.path, style, out)?;
        meaning(page, run.processors, style, out)?;
        by_host(page, style, out)?;
        counters(page, style, out)?;
        machine(page, style, out)?;
        latencies(page, style, out)?;
        if let Some(seen) = &page.inside {
            inside(seen, &mut told, style, out)?;
        }
    }
    if result.pages.len() > 1 {
        comparison(&result.pages, style, out)?;
    }
    gates(&run.gates, style, out)?;
    match &run.left_behind {
        None => files_unseen(style, out)?,
        Some(all) => {
            for left in all {
                paragraph(&left_behind(left), style, out)?;
            }
            if !all.is_empty() {
                writeln!(out)?;
            }
        }
    }
    warnings(&run.warnings, style, out)
}

/// `Left behind: 523 files, 2.1 MB, in /var/lib/php/sessions.`
pub(super) fn left_behind(left: &LeftBehind) -> String {
    let files = grouped(left.files as f64, 0);
    let one = if left.files == 1 { "" } else { "s" };
    format!("Left behind: {files} file{one}, {}, in {}.", plain(Kind::Bytes, left.bytes as f64), left.folder)
}

fn head(page: &WeighedPage, run: &WeighDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let url = &page.url;
    let pace = match run.rate {
        Some(rate) => format!("{rate} a second"),
        None => "back to back".to_owned(),
    };
    let connections = if run.keep_alive { "kept alive" } else { "one a request" };
    let cookies = cookies(run.keep_cookies);
    head_of(page, style, out)?;
    let line = format!(
        "{} requests in {} blocks of four phases of {:.2} s, {pace}, {} at once, {}, connections {connections}{cookies}; seed {}",
        grouped(url.requests as f64, 0),
        url.blocks,
        Duration::from_nanos(run.phase_ns).as_secs_f64(),
        run.concurrency,
        url.http,
        run.about.seed.unwrap_or_default(),
    );
    aside(&line, style, out)?;
    cut_short(&run.ended, "a request failed", "blocks", style, out)?;
    writeln!(out)
}

/// Which page, and what it answered.
pub(super) fn head_of(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.heading(&clean(&page.url.name)))?;
    page.url.answer.iter().try_for_each(|came| answer("", came, style, out))
}

/// CPU by group, the heaviest first; rows of a host are kept together, at the place of its heaviest.
pub(super) fn cpu_of(page: &WeighedPage) -> Vec<&Weight> {
    let mut rows: Vec<_> = page.following().filter(|row| row.counter == "cpu").collect();
    rows.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
    let hosts: Vec<Option<String>> = rows.iter().map(|row| row.host.clone()).collect();
    rows.sort_by_key(|row| hosts.iter().position(|host| *host == row.host));
    rows
}

fn cpu(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = cpu_of(page);
    if rows.is_empty() {
        return undecided(page, style, out);
    }
    let heaviest = rows.iter().map(|row| row.per_request).fold(0.0, f64::max);
    let mut headings = vec!["CPU per request", "", "", "± 95 %"];
    let first = headings.len();
    headings.extend(CPU_COLUMNS.map(|column| column.heading));
    // From the last column on, with the bar behind it.
    let mut expendable: Vec<usize> = (first..headings.len()).rev().collect();
    expendable.insert(1, 1);
    let mut table = Grid::new(&headings).expendable(&expendable);
    let more = |row: &Weight| CPU_COLUMNS.map(|column| (column.cell)(row).map(|(text, _)| text).unwrap_or_default());
    let cells = if style.width < WIDE_FROM { SHORT_BAR } else { BAR };
    for row in &rows {
        let quantity = of(row);
        let own = [
            format!("{}{}", row.group, if row.invalid { " !" } else { "" }),
            bar(row.per_request, heaviest, cells),
            strong(&quantity.value_text()),
            quantity.margin_text(),
        ];
        table.row(own.into_iter().chain(more(row)));
    }
    for (group, row) in page.untold() {
        table.row([
            on_the_path(group),
            String::new(),
            row.map_or("none seen".to_owned(), span),
            String::new(),
            row.map(|row| plain(Kind::Time, row.noise_floor)).unwrap_or_default(),
        ]);
    }
    let url = &page.url;
    if let Some(total) = url.total_cpu_ns {
        let quantity = time_of(total);
        let blocks = match url.total_blocks {
            Some(blocks) if blocks < url.blocks => format!(" ({blocks} block{})", if blocks == 1 { "" } else { "s" }),
            _ => String::new(),
        };
        table.row([
            format!("total per request{blocks}"),
            String::new(),
            strong(&quantity.value_text()),
            quantity.margin_text(),
        ]);
    }
    if let Some(rest) = &url.not_following {
        let quantity = time_of(rest.cpu_ns);
        table.row([
            format!("everything else ({} group{})", rest.groups, if rest.groups == 1 { "" } else { "s" }),
            String::new(),
            quantity.value_text(),
            quantity.margin_text(),
            plain(Kind::Time, rest.noise_floor),
        ]);
    }
    table.write(style, out)
}

/// The closest candidates, if nothing differs from chance.
fn undecided(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut rows: Vec<&Weight> = page.weights.iter().filter(|row| row.counter == "cpu").collect();
    rows.sort_by(|a, b| b.low.total_cmp(&a.low));
    writeln!(out, "{}", style.heading("not distinguishable from noise"))?;
    let mut table = Grid::new(&["CPU per request", "", "± 95 %", "noise floor"]).expendable(&[3]);
    for (group, row) in page.untold() {
        table.row([
            on_the_path(group),
            row.map_or("none seen".to_owned(), span),
            String::new(),
            row.map(|row| plain(Kind::Time, row.noise_floor)).unwrap_or_default(),
        ]);
    }
    for row in rows.into_iter().filter(|row| !row.on_path).take(COLUMNS) {
        let quantity = of(row);
        table.row([
            row.group.clone(),
            quantity.value_text(),
            quantity.margin_text(),
            plain(Kind::Time, row.noise_floor),
        ]);
    }
    table.write(style, out)
}

fn on_the_path(group: &str) -> String {
    format!("{group} (on the path)")
}

/// `12 to 40 ms`
pub(super) fn span(row: &Weight) -> String {
    between(Kind::of_unit(&row.unit), row.low, row.high)
}

fn path(path: &Path, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Path { groups, elsewhere, not_looked_at, unknown } = path;
    let mut text = String::new();
    let (certain, perhaps): (Vec<&FarStation>, Vec<&FarStation>) =
        elsewhere.iter().partition(|station| station.certain);
    let through: Vec<String> = groups.iter().cloned().chain(certain.into_iter().map(taken)).collect();
    if !through.is_empty() {
        text = format!("A request goes through {}", through.join(", "));
        for beyond in not_looked_at.iter().filter(|beyond| elsewhere.iter().all(|station| station.peer != beyond.peer))
        {
            text.push_str(&format!("; and {}, which could not be examined ({})", beyond.peer, beyond.why));
        }
        text.push('.');
    }
    if !perhaps.is_empty() {
        let perhaps: Vec<String> = perhaps.into_iter().map(taken).collect();
        text.push_str(&format!(" While requests were sent, these had connections to {}.", perhaps.join(", ")));
    }
    if let Some(unknown) = unknown {
        let rest = if through.is_empty() { "The path of a request" } else { " The rest of the path" };
        text.push_str(&format!("{rest} is not known: {}", unknown.why));
        if !unknown.takes.is_empty() {
            text.push_str(&format!(" (it needs {})", unknown.takes));
        }
        text.push('.');
    }
    if text.is_empty() {
        return Ok(());
    }
    sentence(&text, style, out)
}

/// `db/mariadb.service (10.0.0.2:3306)`; `(…, as db says)` if only that host knows of it.
fn taken(station: &FarStation) -> String {
    let says = match station.on_word_of.as_slice() {
        [] => String::new(),
        [one] => format!(", as {one} says"),
        several => format!(", as {} say", several.join(" and ")),
    };
    format!("{} ({}{says})", station.groups.join(" and "), station.peer)
}

fn meaning(page: &WeighedPage, processors: u64, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let capacity = page.url.requests_per_core_second.zip(page.url.requests_per_machine_second);
    let Some((per_core, machine)) = capacity else { return Ok(()) };
    let heaviest =
        page.following_groups().first().and_then(|group| page.weight(group, "cpu")).filter(|row| row.follows);
    let share = heaviest.and_then(|row| {
        let share = row.share?;
        Some(format!(
            " {} is {:.0} % of it ({:.1} to {:.1}).",
            row.group,
            share.value * 100.0,
            share.low * 100.0,
            share.high * 100.0
        ))
    });
    let text = format!(
        "One core serves at most {} requests/s; this machine, with {} core{}, {}.{}",
        rates(per_core),
        processors,
        if processors == 1 { "" } else { "s" },
        rates(machine),
        share.unwrap_or_default(),
    );
    sentence(&text, style, out)
}

/// Where else counters were read, and what that cost.
fn hosts(hosts: &[WeighedHost], blocks: u64, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for host in hosts {
        let mut line = format!("{}: {} counters looked at", clean(&host.name), grouped(host.series as f64, 0));
        if let Some(trip) = host.round_trip_ns {
            line.push_str(&format!(", round trip {}", plain(Kind::Time, trip as f64)));
        }
        if let Some(share) = host.agent_share_of_core {
            line.push_str(&format!(", using {:.1} % of one of its cores", share * 100.0));
        }
        if host.gone.is_some() {
            line.push_str(&format!("; lost after {} block{}", host.blocks, if host.blocks == 1 { "" } else { "s" }));
        } else if host.blocks < blocks {
            line.push_str(&format!("; {} of {blocks} blocks", host.blocks));
        }
        aside(&line, style, out)?;
    }
    if hosts.is_empty() { Ok(()) } else { writeln!(out) }
}

fn by_host(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let hosts = &page.url.by_host;
    if hosts.is_empty() {
        return Ok(());
    }
    let mut table =
        Grid::new(&["machine by machine", "CPU per request", "± 95 %", "all its cores serve"]).expendable(&[3]);
    for of in hosts {
        let quantity = time_of(of.cpu_ns);
        table.row([
            of.host.as_deref().map_or("this machine".to_owned(), ToOwned::to_owned),
            strong(&quantity.value_text()),
            quantity.margin_text(),
            of.requests_per_machine_second.map(|most| format!("{} requests/s", rates(most))).unwrap_or_default(),
        ]);
    }
    table.write(style, out)
}

fn counters(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let following = page.following_groups();
    side_by_side(&following, COLUMNS, style, |groups| counters_of_groups(page, groups))
        .iter()
        .try_for_each(|table| table.write(style, out))
}

fn counters_of_groups(page: &WeighedPage, groups: &[&str]) -> Grid {
    let mut heading = vec!["per request"];
    heading.extend(groups);
    heading.push("noise floor");
    let mut table = Grid::new(&heading);
    for counter in counters_of(page, |row| groups.contains(&row.group.as_str())) {
        let cells: Vec<Option<&Weight>> = groups.iter().map(|group| page.weight(group, counter)).collect();
        let Some(any) = cells.iter().flatten().next() else { continue };
        let floor = cells.iter().flatten().map(|row| row.noise_floor).fold(0.0, f64::max);
        let mut row = vec![title(any)];
        row.extend(
            cells
                .iter()
                .map(|cell| cell.filter(|row| row.follows).map_or(NOT_FOLLOWING.to_owned(), |row| of(row).to_string())),
        );
        row.push(plain(Kind::of_unit(&any.unit), floor));
        table.row(row);
    }
    table
}

fn machine(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (here, there): (Vec<&Weight>, Vec<&Weight>) =
        page.following().filter(|row| row.is_machine()).partition(|row| row.host.is_none());
    if !here.is_empty() {
        machine_table("the machine, per request", &here).write(style, out)?;
        own_connections(page, style, out)?;
    }
    // Rows of a host are adjacent, as they are sorted by their groups.
    for rows in there.chunk_by(|a, b| a.host == b.host) {
        let host = rows.first().and_then(|row| row.host.as_deref()).unwrap_or_default();
        machine_table(&format!("the machine {host}, per request"), rows).write(style, out)?;
    }
    Ok(())
}

fn machine_table(heading: &str, rows: &[&Weight]) -> Grid {
    let mut table = Grid::new(&[heading, "", "noise floor"]);
    for row in rows {
        table.row([title(row), of(row).to_string(), plain(Kind::of_unit(&row.unit), row.noise_floor)]);
    }
    table
}

fn own_connections(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let own = page.url.connections;
    if own == 0 {
        return Ok(());
    }
    let text = format!(
        "of the connections, unladen opened {} itself ({} per request)",
        grouped(own as f64, 0),
        plain(Kind::Count, own as f64 / page.url.requests.max(1) as f64)
    );
    aside(&text, style, out)?;
    writeln!(out)
}

pub(super) fn latency(page: &WeighedPage) -> Option<Latency> {
    Latency::of(&page.url.latency_ns, &page.url.latency_intervals_ns)
}

fn latencies(page: &WeighedPage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(Latency { mean, mean_interval, sd, max, quantiles }) = latency(page) else { return Ok(()) };
    let mut table = Grid::new(&["latency of these requests", "", "95 % interval"]);
    for quantile in quantiles {
        let interval = match quantile.interval {
            Some(ends) => interval(ends),
            None if style.width < BRIEF_BELOW => format!("needs {} requests", grouped(quantile.needs as f64, 0)),
            None => format!("too few requests: needs {} in 6 blocks", quantile.needs),
        };
        table.row([quantile.name.to_owned(), plain(Kind::Time, quantile.value as f64), interval]);
    }
    table.row(["mean".to_owned(), plain(Kind::Time, mean), mean_interval.map(interval).unwrap_or_default()]);
    table.row(["max seen".to_owned(), plain(Kind::Time, max as f64)]);
    table.row(["spread (sd)".to_owned(), plain(Kind::Time, sd)]);
    table.write(style, out)
}

/// Several URLs side by side: their blocks alternated, so their figures are comparable.
pub(super) fn comparison(pages: &[WeighedPage], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table =
        Grid::new(&["weighed in one run", "CPU per request", "p50", "requests/s and core"]).expendable(&[2, 3]);
    for page in pages {
        let p50 = latency(page).and_then(|latency| latency.quantiles.first().map(with_interval));
        table.row([
            page.url.name.clone(),
            page.url.total_cpu_ns.map(|total| time_of(total).to_string()).unwrap_or_default(),
            p50.unwrap_or_default(),
            page.url.requests_per_core_second.map(rates).unwrap_or_default(),
        ]);
    }
    table.write(style, out)
}

/// Counters that follow in any of the rows, in the order of the probes.
fn counters_of(page: &WeighedPage, wanted: impl Fn(&Weight) -> bool) -> Vec<&str> {
    let mut names = Vec::new();
    for row in &page.weights {
        // CPU has its own table, with its split.
        let in_other_table = row.counter.starts_with("cpu");
        if row.follows && wanted(row) && !in_other_table && !names.contains(&row.counter.as_str()) {
            names.push(&row.counter);
        }
    }
    names
}

fn title(row: &Weight) -> String {
    format!("{}{}{}", if row.approximate { "≈ " } else { "" }, row.title, if row.invalid { " !" } else { "" })
}

pub(super) fn of(row: &Weight) -> Quantity {
    Quantity { kind: Kind::of_unit(&row.unit), value: row.per_request, margin: row.span().margin() }
}

pub(super) fn time_of(span: Span) -> Quantity {
    Quantity { kind: Kind::Time, value: span.value, margin: span.margin() }
}
