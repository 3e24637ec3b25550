//! The result of `unladen bill`: which pages, and which clients, take a machine's CPU.

use unladen_document::{BillDocument, Frees, share_text};
use unladen_quantity::{Area, Kind, Quantity, Scale, grouped, lasting, percent, plain, treemap};

use super::method::{Fact, fact, method, notice};
use super::parts::{self, ended};
use crate::page::picture::{LEFT, Picture, RIGHT, WIDTH, cut, look, wide};
use crate::page::table::{Bar, Cell, Table};
use crate::page::words::Words;
use crate::page::{Block, Blocks, Page, Tile, of_findings, of_table};

/// Areas of the picture; the rest is one more.
const AREAS: usize = 20;
const HEIGHT: f64 = 300.0;
/// Height of an area that has its name in it.
const NAMED: f64 = 18.0;
/// Fixes in the list of what to do.
const FIXES: usize = 5;

pub(super) fn page(document: &BillDocument) -> Page {
    let mut page = Page::new("bill", document.target.clone());
    page.headline = Words::new().plain("What the traffic costs: ").name(document.target.clone());
    page.summary(summary(document));
    page.section("gates", "Gates", parts::gates(&document.gates));
    page.html_alone("pictures", "Where the CPU goes", pictures(document));
    page.section("kinds", "Kinds of pages", of_table(kinds(document)));
    page.section("clients", "Kinds of clients", of_table(clients(document)));
    page.section("findings", "Findings of the dearest kinds", of_findings(&document.findings, true));
    page.section("not-weighed", "Not weighed", of_table(not_weighed(document)));
    page.folded("method", "Method and machine", method(&document.about, facts(document)));
    page.remarks("warnings", "Warnings", &document.warnings);
    page
}

fn summary(document: &BillDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(ended(&document.ended, "A request", "these are the stretches of time"));
    blocks.extend(notice(&document.about));
    blocks.push(Block::Paragraph(Words::new().strong(document.headline()).plain(".")));
    blocks.extend(parts::verdict(&document.gates));
    blocks.extend(document.contention_text().map(|text| Block::Notice("warn", text.as_str().into())));
    let dearest = document.kinds.iter().take(3);
    blocks.tiles(
        dearest
            .map(|kind| {
                Tile::new(
                    &kind.kind,
                    share_text(kind.cpu_share),
                    format!("of the CPU, by {} % of the requests", percent(kind.request_share)),
                )
            })
            .collect(),
    );
    if !document.frees.is_empty() {
        let fixes = document.frees.iter().take(FIXES).map(|fix: &Frees| fix.text().as_str().into());
        blocks.push(Block::ToDo("What would free most of the CPU", fixes.collect(), Words::new()));
    }
    blocks
}

fn pictures(document: &BillDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    if document.kinds.len() > 1 {
        blocks.pictures(vec![areas(document), lorenz(document)]);
    }
    blocks
}

/// A treemap.
fn areas(document: &BillDocument) -> Picture {
    let mut parts: Vec<(&str, f64)> =
        document.kinds.iter().take(AREAS).map(|kind| (kind.kind.as_str(), kind.cpu_share.value)).collect();
    parts.push(("all others", document.kinds.iter().skip(AREAS).map(|kind| kind.cpu_share.value).sum()));
    parts.retain(|(_, share)| *share > 0.0);
    let shares: Vec<f64> = parts.iter().map(|(_, share)| *share).collect();
    let mut picture = Picture::new("CPU by kind of page", "areas in proportion to each kind's CPU", HEIGHT);
    let whole = [0.0, 0.0, WIDTH, HEIGHT];
    for (index, ((name, share), [x, y, width, height])) in parts.iter().zip(treemap(&shares, whole)).enumerate() {
        picture.rect(
            &format!("box {}", look(index)),
            x + 1.0,
            y + 1.0,
            (width - 2.0).max(0.0),
            (height - 2.0).max(0.0),
        );
        let label = cut(&format!("{} % {name}", percent(*share)), width - 8.0);
        if height >= NAMED && wide(&label) <= width - 8.0 {
            picture.text(x + 5.0, y + 14.0, "start", "tick", &label);
        }
    }
    picture
}

/// The part of the CPU that a part of the requests takes, the cheapest kinds first (Lorenz 1905).
fn lorenz(document: &BillDocument) -> Picture {
    let mut kinds: Vec<(f64, f64)> =
        document.kinds.iter().map(|kind| (kind.requests as f64, kind.cpu_share.value.max(0.0))).collect();
    kinds.sort_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    let requests: f64 = kinds.iter().map(|(requests, _)| requests).sum();
    let mut points = vec![(0.0, 0.0)];
    let (mut x, mut y) = (0.0, 0.0);
    for (count, share) in kinds {
        x += count / requests.max(1.0);
        y += share;
        points.push((x, y));
    }
    let area = Area {
        left: LEFT,
        right: RIGHT,
        top: 14.0,
        bottom: HEIGHT - 30.0,
        x: Scale::new(0.0, 1.0),
        y: Scale::new(0.0, 1.0),
    };
    let mut picture = Picture::new(
        "CPU against requests",
        "the part of the CPU that the cheapest part of the requests takes",
        HEIGHT,
    );
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        picture.row(&area, tick, &format!("{} %", percent(tick)));
        picture.column(&area, tick, &format!("{} %", percent(tick)));
    }
    picture.line(&area, "line c0", points);
    picture.line(&area, "line c1", [(0.0, 0.0), (1.0, 1.0)]);
    picture.legend("c0", "CPU, the cheapest kinds first");
    picture.legend("c1", "if all cost alike");
    picture
}

fn time(value: f64, margin: f64) -> String {
    Quantity { kind: Kind::Time, value, margin }.to_string()
}

fn kinds(document: &BillDocument) -> Table {
    let columns = ["kind of page", "#requests", "#CPU a request", "#of the CPU", "#noise floor", "#failed", "carries"];
    let mut table = Table::new("Each kind's cost times its requests", &columns).sortable();
    let most = document.kinds.iter().map(|kind| kind.cpu_share.high).fold(0.0, f64::max);
    for kind in &document.kinds {
        let share = kind.cpu_share;
        let carries = kind.carries.as_ref().map_or_else(String::new, |rules| match rules.as_slice() {
            [] => "no finding".to_owned(),
            rules => rules.join(", "),
        });
        table.row([
            Words::new().name(kind.kind.clone()).into(),
            Cell::new(format!("{} %", percent(kind.request_share))).by(kind.request_share),
            Cell::new(time(kind.cpu_ns.value, kind.cpu_ns.margin())).by(kind.cpu_ns.value),
            Cell::new(share_text(share)).by(share.value).bar(Bar::of(share.value, share.low, share.high, most)),
            Cell::new(plain(Kind::Time, kind.noise_floor_ns)).by(kind.noise_floor_ns),
            Cell::new(grouped(kind.failed as f64, 0)).by(kind.failed as f64),
            Cell::new(carries),
        ]);
    }
    table
}

fn clients(document: &BillDocument) -> Table {
    let caption = "As if each request had cost what its kind does";
    let mut table = Table::new(caption, &["client", "what", "#requests", "#of the CPU"]).sortable();
    let most = document.clients.iter().map(|client| client.cpu_share.high).fold(0.0, f64::max);
    for client in &document.clients {
        let share = client.cpu_share;
        table.row([
            Words::new().name(client.client.clone()).into(),
            Cell::new(client.sort.as_str()),
            Cell::new(format!("{} %", percent(client.request_share))).by(client.request_share),
            Cell::new(share_text(share)).by(share.value).bar(Bar::of(share.value, share.low, share.high, most)),
        ]);
    }
    table
}

fn not_weighed(document: &BillDocument) -> Table {
    let mut table =
        Table::new("Requests of the log that are not in the bill", &["what", "why", "#requests"]).sortable();
    for row in &document.not_weighed {
        table.row([
            Words::new().name(row.what.clone()).into(),
            Cell::new(row.why.as_str()),
            Cell::new(grouped(row.requests as f64, 0)).by(row.requests as f64),
        ]);
    }
    table
}

fn facts(document: &BillDocument) -> Vec<Fact> {
    let log = &document.log;
    let mut facts = vec![
        fact("Site", Words::new().name(document.target.clone())),
        fact("Logs", Words::new().name(log.files.join(", "))),
        fact(
            "Lines",
            format!("{}, {} of them requests", grouped(log.lines as f64, 0), grouped(log.entries as f64, 0)).as_str(),
        ),
    ];
    facts.extend(
        log.from.iter().zip(&log.to).map(|(from, to)| fact("Time of the logs", format!("{from} to {to}").as_str())),
    );
    facts.extend(document.logged_text().map(|text| fact("By the log itself", text.as_str())));
    for row in &log.passed_over {
        facts.push(fact("Passed over", format!("{} lines: {}", grouped(row.lines as f64, 0), row.about).as_str()));
    }
    let sent = format!(
        "{} in {}, {} of them failed",
        grouped(document.requests as f64, 0),
        lasting(std::time::Duration::from_nanos(document.elapsed_ns)),
        grouped(document.failed as f64, 0)
    );
    facts.push(fact("Requests sent", sent.as_str()));
    let load = format!("{:.2} cores, at most {:.2}", document.load_cores, document.load_bound_cores);
    facts.push(fact("Load that was added", load.as_str()));
    let groups: Vec<String> =
        document.groups.iter().map(|group| format!("{}: {}", group.group, share_text(group.share))).collect();
    facts.push(fact("Processes", groups.join("; ").as_str()));
    facts.push(fact("Noise floor of the total", plain(Kind::Time, document.noise_floor_ns).as_str()));
    facts
}
