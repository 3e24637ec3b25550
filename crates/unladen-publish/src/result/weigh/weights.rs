//! [`weights`]: tables of each group's cost, and the path between the groups.

use unladen_document::{CPU_COLUMNS, FarStation, WeighDocument, WeighedUrl, Weight};
use unladen_quantity::{Kind, plain};

use crate::figures;
use crate::page::table::{Bar, Cell, Table};
use crate::page::words::{Words, joined};
use crate::page::{Block, Blocks};

/// The whole machine is not one of the groups.
const MACHINE: &str = "machine";

/// Of a page.
pub(super) fn name(url: &WeighedUrl) -> String {
    if url.name.is_empty() { url.url.clone() } else { url.name.clone() }
}

fn of_url<'a>(document: &'a WeighDocument, url: &'a WeighedUrl) -> impl Iterator<Item = &'a Weight> {
    document.weights.iter().filter(|weight| weight.url == url.url)
}

/// The heaviest group first.
pub(super) fn following_cpu<'a>(document: &'a WeighDocument, url: &'a WeighedUrl) -> Vec<&'a Weight> {
    let mut rows: Vec<_> = of_url(document, url).filter(|weight| weight.follows && weight.counter == "cpu").collect();
    rows.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
    rows
}

pub(super) fn weights(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    for url in document.urls.iter().filter(|url| of_url(document, url).next().is_some()) {
        if document.urls.len() > 1 {
            blocks.push(Block::Heading(Words::new().name(name(url))));
        }
        blocks.table(cpu(document, url));
        blocks.extend(path(url));
        blocks.table(counters(document, url));
        blocks.folded("What does not follow the requests", not_following(document, url));
    }
    if !blocks.is_empty() {
        let note = "Each figure is per request, with its 95 % interval. An effect below the noise floor could not \
            have been distinguished from noise.";
        blocks.insert(0, Block::Aside(note.into()));
    }
    blocks
}

fn marked(weight: &Weight) -> Words {
    let words = Words::new().name(weight.group.clone());
    if weight.invalid { words.faint(" too low: records of ended processes were lost") } else { words }
}

fn cpu(document: &WeighDocument, url: &WeighedUrl) -> Table {
    let caption = "CPU per request, by group";
    let headings = CPU_COLUMNS.map(|column| format!("#{}", column.heading));
    let columns: Vec<&str> =
        ["group", "", "#per request"].into_iter().chain(headings.iter().map(String::as_str)).collect();
    let mut table = Table::new(caption, &columns).sortable();
    let more = |weight: &Weight| {
        let cell = |(text, number)| Cell::new(text).by(number);
        CPU_COLUMNS.map(|column| (column.cell)(weight).map(cell).unwrap_or_default())
    };
    let empty = || CPU_COLUMNS.map(|_| Cell::default());
    let following = following_cpu(document, url);
    let untold = of_url(document, url).filter(|weight| !weight.follows && weight.on_path && weight.counter == "cpu");
    let untold: Vec<&Weight> = untold.collect();
    let most = following.iter().chain(&untold).map(|weight| weight.high).fold(0.0, f64::max);
    for weight in following {
        let own = [
            marked(weight).into(),
            Cell::default().bar(Bar::of(weight.per_request, weight.low, weight.high, most)).by(weight.per_request),
            Cell::new(Words::new().strong(estimate(weight))).by(weight.per_request),
        ];
        table.row(own.into_iter().chain(more(weight)));
    }
    for weight in untold {
        let span = figures::interval(Kind::Time, weight.low, weight.high);
        table.row([
            marked(weight).faint(" on the path; not distinguishable from its other work").into(),
            Cell::default().bar(Bar::of(0.0, weight.low, weight.high, most)).by(weight.low),
            Cell::new(span).by(weight.per_request),
            Cell::new(plain(Kind::Time, weight.noise_floor)).by(weight.noise_floor),
        ]);
    }
    if let Some(total) = url.total_cpu_ns {
        let words = Words::new().strong(figures::span(Kind::Time, total));
        let fewer = url.total_blocks.filter(|blocks| *blocks < url.blocks);
        let blocks = fewer.map(|blocks| format!(" ({})", figures::count(blocks, "block"))).unwrap_or_default();
        let name = format!("total per request{blocks}");
        let own = [Cell::new(name), Cell::default(), Cell::new(words).by(total.value)];
        table.row(own.into_iter().chain(empty()));
    }
    if let Some(rest) = &url.not_following {
        let own = [
            Cell::new(Words::new().faint(format!("everything else ({})", figures::count(rest.groups, "group")))),
            Cell::default(),
            Cell::new(figures::span(Kind::Time, rest.cpu_ns)).by(rest.cpu_ns.value),
        ];
        let floor = Weight { noise_floor: rest.noise_floor, ..Weight::default() };
        table.row(own.into_iter().chain(more(&floor)));
    }
    table
}

fn estimate(weight: &Weight) -> String {
    let about = if weight.approximate { "≈ " } else { "" };
    format!("{about}{}", figures::with_margin(figures::kind(&weight.unit), weight.per_request, weight.low, weight.high))
}

fn path(url: &WeighedUrl) -> Option<Block> {
    let path = &url.path;
    let mut words = Words::new();
    let taken = |station: &FarStation| {
        let names = station.groups.iter().map(|group| Words::new().name(group.clone())).collect();
        let words = joined(names, " and ").plain(" (").name(station.peer.clone());
        let says = if station.on_word_of.len() == 1 { " says" } else { " say" };
        let hosts: Vec<Words> = station.on_word_of.iter().map(|host| Words::new().name(host.clone())).collect();
        match hosts.is_empty() {
            true => words.plain(")"),
            false => words.plain(", as ").and(joined(hosts, " and ")).plain(says).plain(")"),
        }
    };
    let (certain, perhaps): (Vec<&FarStation>, Vec<&FarStation>) =
        path.elsewhere.iter().partition(|station| station.certain);
    let groups = path.groups.iter().map(|group| Words::new().name(group.clone()));
    let names: Vec<Words> = groups.chain(certain.into_iter().map(taken)).collect();
    if !names.is_empty() {
        words = words.plain("A request goes through ").and(joined(names, ", "));
        let is_known = |peer: &str| path.elsewhere.iter().any(|station| station.peer == peer);
        for peer in path.not_looked_at.iter().filter(|peer| !is_known(&peer.peer)) {
            words = words
                .plain("; and ")
                .name(peer.peer.clone())
                .plain(format!(", which could not be examined ({})", peer.why));
        }
        words = words.plain(". ");
    }
    if !perhaps.is_empty() {
        let names = perhaps.into_iter().map(taken).collect();
        words = words.plain("While requests were sent, these had connections to ").and(joined(names, ", ")).plain(". ");
    }
    if let Some(unknown) = &path.unknown {
        words = words.plain(format!("The rest of its path is not known: {}", unknown.why));
        if !unknown.takes.is_empty() {
            words = words.plain(format!("; it needs {}", unknown.takes));
        }
        words = words.plain(".");
    }
    (!words.is_empty()).then_some(Block::Paragraph(words))
}

/// All counters except CPU of all groups that follow.
fn counters(document: &WeighDocument, url: &WeighedUrl) -> Table {
    let caption = "Everything else that follows the requests";
    let columns = ["group", "counter", "#per request", "#noise floor"];
    let mut table = Table::new(caption, &columns).sortable().detail();
    let mut rows: Vec<&Weight> =
        of_url(document, url).filter(|weight| weight.follows && weight.counter != "cpu").collect();
    // The whole machine goes last; within a group, the document's order is that of the probes.
    rows.sort_by_key(|weight| weight.group == MACHINE);
    for weight in rows {
        table.row(row(weight));
    }
    table
}

fn row(weight: &Weight) -> [Cell; 4] {
    let kind = figures::kind(&weight.unit);
    let group = if weight.group == MACHINE { Words::from("the machine as a whole") } else { marked(weight) };
    [
        group.into(),
        Cell::new(figures::counter(&weight.title, &weight.counter)),
        Cell::new(estimate(weight)).by(weight.per_request),
        Cell::new(plain(kind, weight.noise_floor)).by(weight.noise_floor),
    ]
}

fn not_following(document: &WeighDocument, url: &WeighedUrl) -> Table {
    let caption = "Counters not distinguishable from noise";
    let mut table = Table::new(caption, &["group", "counter", "#per request", "#noise floor"]).sortable();
    for weight in of_url(document, url).filter(|weight| !weight.follows) {
        table.row(row(weight));
    }
    table
}
