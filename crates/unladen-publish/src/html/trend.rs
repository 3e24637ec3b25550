//! The page of a series of runs. The principal function is [`trend_page`].

use unladen_compare::{ChangePoint, Kind as RowKind, RunLabel, Series, Trend, Verdict};
use unladen_quantity::{Area, Kind, Scale, Span, plain, short, signed, with_sign};

use super::PageOptions;
use super::runs::in_query;
use crate::figures;
use crate::page::picture::{LEFT, Picture, RIGHT, cut};
use crate::page::table::{Cell, Table};
use crate::page::words::Words;
use crate::page::{Block, Blocks, Page, of_table, rendered};
use crate::result::method::{short_commit, time_text};
use crate::verdict::title;

const HEIGHT: f64 = 210.0;
/// Maximum pictures of a page, without those of the headline.
const MOST_PICTURES: usize = 24;
/// Maximum labels below a picture.
const MOST_LABELS: usize = 6;

/// Runs of one target in the order of time, as an HTML document that loads nothing.
pub fn trend_page(trend: &Trend, options: &PageOptions) -> String {
    let mut page = Page::new("trend", trend.target.clone());
    let runs = figures::count(trend.runs.len() as u64, "run");
    page.byline = Words::new().plain(format!("{runs} of unladen {}", trend.verb));
    let ends =
        (trend.runs.first().and_then(|run| run.time.as_deref()), trend.runs.last().and_then(|run| run.time.as_deref()));
    if let (Some(first), Some(last)) = ends {
        page.byline = page.byline.plain(format!(", from {} to {}", time_text(first), time_text(last)));
    }
    page.nav.clone_from(&options.nav);
    page.summary(summary(trend));
    page.section("plots", "Over the runs", plots(trend));
    page.section("changes", "Change points", of_table(changes(trend)));
    page.section("runs", "Runs", of_table(runs_table(trend, options.links_runs)));
    page.remarks("warnings", "Warnings", &trend.warnings);
    rendered(&page)
}

/// `CPU of www-data php-fpm8.2`, `p50`, `files.checked of …`
fn name(series: &Series, names_page: bool) -> String {
    let name = match (series.kind, &series.counter) {
        (RowKind::Weight, Some(counter)) => figures::counter("", counter),
        (RowKind::Count, Some(counter)) => counter.clone(),
        (RowKind::Latency, _) => format!("latency, {}", title(&series.metric)),
        _ => title(&series.metric),
    };
    let group = match (series.kind, &series.group) {
        (RowKind::Weight | RowKind::Count, Some(group)) => format!(" of {group}"),
        (RowKind::Weight, None) => " in total".to_owned(),
        _ => String::new(),
    };
    let arm = series.arm.as_ref().filter(|arm| !arm.is_empty()).map_or(String::new(), |arm| format!(" in {arm}"));
    let page = if names_page && !series.url.is_empty() { format!(", {}", series.url) } else { String::new() };
    format!("{name}{group}{arm}{page}")
}

fn value_text(series: &Series, value: f64) -> String {
    match series.kind {
        RowKind::Within | RowKind::Errors | RowKind::Function => figures::share_text(value),
        RowKind::Effect => format!("{} %", with_sign(value - 1.0)),
        _ if series.unit == "1/s" => format!("{}/s", plain(Kind::Count, value)),
        _ => plain(figures::kind(&series.unit), value),
    }
}

fn names_page(trend: &Trend) -> bool {
    trend.series.iter().any(|series| series.url != trend.series[0].url)
}

fn run_name(run: &RunLabel) -> String {
    let commit = run.commit.as_deref().map(short_commit);
    match (&run.id, commit) {
        (Some(id), Some(commit)) => format!("run {id} ({commit})"),
        (Some(id), None) => format!("run {id}"),
        (None, Some(commit)) => commit,
        (None, None) => run.time.as_deref().map_or("a run".to_owned(), time_text),
    }
}

fn run_at(trend: &Trend, index: usize) -> String {
    trend.runs.get(index).map_or("a run".to_owned(), run_name)
}

// --- Summary ---

fn summary(trend: &Trend) -> Vec<Block> {
    let mut blocks = Vec::new();
    let changed: Vec<&Series> = trend.series.iter().filter(|series| !series.changes.is_empty()).collect();
    let words = match (trend.runs.len(), changed.as_slice()) {
        (0, _) => Words::new().plain("There is no run of this target."),
        (1, _) => Words::new().plain("There is one run of this target: a trend needs more."),
        (runs, []) if !trend.is_looked_at() => Words::new()
            .strong("Too few runs to know")
            .plain(format!(" whether anything changed: {}.", figures::count(runs as u64, "run"))),
        (_, []) => Words::new()
            .strong("No change found")
            .plain(format!(" in any of {} over these runs.", figures::count(trend.series.len() as u64, "figure"))),
        (_, changed) => Words::new()
            .strong(figures::count(changed.len() as u64, "figure"))
            .plain(format!(" of {} changed.", trend.series.len())),
    };
    blocks.push(Block::Paragraph(words));
    let names_page = names_page(trend);
    let mut items = Vec::new();
    for series in
        changed.iter().filter(|series| series.headline).chain(changed.iter().filter(|series| !series.headline))
    {
        for change in &series.changes {
            items.push(
                Words::new()
                    .strong(name(series, names_page))
                    .plain(" is ")
                    .and(in_words(trend, series, change))
                    .plain("."),
            );
        }
    }
    let more = items.len().saturating_sub(8);
    items.truncate(8);
    blocks.list(items);
    if more > 0 {
        blocks.push(Block::Aside(format!("And {more} more, below.").into()));
    }
    blocks
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        verdict if verdict.is_worse() => "bad",
        verdict if verdict.is_better() => "good",
        _ => "even",
    }
}

fn size(series: &Series, change: &ChangePoint) -> String {
    if series.is_ratio {
        return change.change.change_text();
    }
    let Span { value, low, high } = change.change;
    let [value, low, high] = [value, low, high].map(|change| signed(figures::kind(&series.unit), change));
    format!("{value} ({low} to {high})")
}

fn in_words(trend: &Trend, series: &Series, change: &ChangePoint) -> Words {
    let words = Words::new()
        .mark(class(change.verdict), format!("{}: {}", change.verdict, size(series, change)))
        .plain(format!(" from {} on", run_at(trend, change.first_after)));
    if change.earliest + 1 >= change.latest {
        return words;
    }
    words.faint(format!(
        " (with 95 % confidence after {} and by {})",
        run_at(trend, change.earliest),
        run_at(trend, change.latest)
    ))
}

// --- Plots ---

fn plots(trend: &Trend) -> Vec<Block> {
    let mut order: Vec<&Series> = trend.series.iter().filter(|series| series.points.len() > 1).collect();
    // The headline first, then what changed.
    order.sort_by_key(|series| (!series.headline, series.changes.is_empty()));
    let names_page = names_page(trend);
    let first = order.iter().filter(|series| series.headline || !series.changes.is_empty()).count().max(2);
    let (shown, rest) = order.split_at(first.min(order.len()).min(MOST_PICTURES));
    let mut blocks = Vec::new();
    blocks.pictures(shown.iter().map(|series| plot(trend, series, names_page)).collect());
    if !rest.is_empty() {
        let pictures = rest.iter().take(MOST_PICTURES).map(|series| plot(trend, series, names_page)).collect();
        blocks.push(Block::Folded("Figures without a change".into(), vec![Block::Pictures(pictures)]));
    }
    blocks
}

fn plot(trend: &Trend, series: &Series, names_page: bool) -> Picture {
    let ends = series.points.iter().flat_map(|point| [point.value, point.low.max(0.0), point.high]);
    let last = trend.runs.len().saturating_sub(1).max(1) as f64;
    let area = Area {
        left: LEFT,
        right: RIGHT,
        top: 24.0,
        bottom: 24.0 + HEIGHT,
        x: Scale::new(0.0, last),
        y: Scale::around(ends.filter(|end| end.is_finite())),
    };
    let units = if series.in_reference_units { ", at the speed of the latest run's machine" } else { "" };
    let title = format!("{}{units}", name(series, names_page));
    let description = match series.changes.as_slice() {
        [] if !trend.is_looked_at() => "Too few runs to know whether it changed.".to_owned(),
        [] => "No change found over these runs.".to_owned(),
        changes => changes.iter().map(|change| in_words(trend, series, change).text() + ". ").collect(),
    };
    let mut picture = Picture::new(title, description, area.bottom + 26.0);
    for tick in area.y.ticks(5) {
        let label = match series.unit.as_str() {
            "ns" | "B" => short(figures::kind(&series.unit), tick),
            _ => value_text(series, tick),
        };
        picture.row(&area, tick, &label);
    }
    labels(&mut picture, &area, trend);
    for change in &series.changes {
        let [from, to] = [change.earliest, change.latest].map(|run| area.x(run as f64));
        picture.rect("span", from, area.top, (to - from).max(2.0), area.bottom - area.top);
        let x = (area.x(change.last_before as f64) + area.x(change.first_after as f64)) / 2.0;
        picture.path("mark", &format!("M{x:.1} {:.1}V{:.1}", area.top, area.bottom));
        let (anchor, beside) = if x > (area.left + area.right) / 2.0 { ("end", x - 5.0) } else { ("start", x + 5.0) };
        let text = if series.is_ratio {
            size(series, change).split(" (").next().unwrap_or_default().to_owned()
        } else {
            change.verdict.to_string()
        };
        picture.text(beside, area.top - 7.0, anchor, "tick", &text);
    }
    for point in &series.points {
        picture.interval(area.x(point.run as f64), area.y(point.low), area.y(point.high));
    }
    picture.line(&area, "c0", series.points.iter().map(|point| (point.run as f64, point.value)));
    for point in &series.points {
        let text = value_text(series, point.value);
        let says = format!("{}: {text}", run_at(trend, point.run));
        picture.dot("dot c0", area.x(point.run as f64), area.y(point.value), 3.0, &says);
    }
    picture.with_table(points(trend, series))
}

/// Commits, numbers or days of runs, as many as fit.
fn labels(picture: &mut Picture, area: &Area, trend: &Trend) {
    let every = trend.runs.len().div_ceil(MOST_LABELS).max(1);
    for (index, run) in trend.runs.iter().enumerate().step_by(every) {
        let label = match (&run.commit, &run.id, &run.time) {
            (Some(commit), _, _) => commit.chars().take(7).collect(),
            (None, Some(id), _) => format!("#{id}"),
            (None, None, Some(time)) => time.chars().take(10).collect(),
            _ => String::new(),
        };
        let x = area.x(index as f64);
        picture.path("grid", &format!("M{x:.1} {:.1}v5", area.bottom));
        let anchor = if x > area.right - 20.0 { "end" } else { "middle" };
        picture.text(x, area.bottom + 18.0, anchor, "tick", &cut(&label, 70.0));
    }
}

fn points(trend: &Trend, series: &Series) -> Table {
    let mut table = Table::new("By run", &["run", "#figure", "#95 % interval, with the variation between runs"]);
    for point in &series.points {
        let ends = match series.unit.as_str() {
            "ns" | "B" => figures::interval(figures::kind(&series.unit), point.low, point.high),
            _ => {
                let [low, high] = [point.low, point.high].map(|end| value_text(series, end));
                format!("{low} to {high}")
            }
        };
        table.row([Cell::new(run_at(trend, point.run)), Cell::new(value_text(series, point.value)), Cell::new(ends)]);
    }
    table
}

// --- Tables ---

fn changes(trend: &Trend) -> Table {
    let names_page = names_page(trend);
    let mut table =
        Table::new("Where a figure changed", &["figure", "change, 95 % interval", "last before", "first after", "#p"])
            .sortable();
    for series in &trend.series {
        for change in &series.changes {
            table.row([
                Cell::new(name(series, names_page)),
                Cell::new(
                    Words::new().mark(class(change.verdict), format!("{}: {}", change.verdict, size(series, change))),
                )
                .by(change.change.value),
                Cell::new(run_at(trend, change.last_before)),
                Cell::new(run_at(trend, change.first_after)),
                Cell::new(p_text(change.p)).by(change.p),
            ]);
        }
    }
    table
}

/// Permutations support three digits.
fn p_text(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

fn runs_table(trend: &Trend, links_runs: bool) -> Table {
    let headline: Vec<&Series> = trend.series.iter().filter(|series| series.headline).take(4).collect();
    let names_page = names_page(trend);
    let names: Vec<String> = headline.iter().map(|series| format!("#{}", name(series, names_page))).collect();
    let mut columns = vec!["run", "time", "host", "commit"];
    columns.extend(names.iter().map(String::as_str));
    let mut table = Table::new("The runs, the latest first", &columns).sortable();
    for (index, run) in trend.runs.iter().enumerate().rev() {
        let dirty = if run.dirty == Some(true) { " with changes" } else { "" };
        let commit =
            run.commit.as_deref().map_or(Words::new(), |commit| Words::new().name(short_commit(commit)).faint(dirty));
        let mut cells = vec![
            Cell::new(match &run.id {
                Some(id) if links_runs => Words::new().link(format!("/run/{}", in_query(id)), id.clone()),
                id => Words::new().plain(id.clone().unwrap_or_default()),
            })
            .by(run.id.as_ref().and_then(|id| id.parse().ok()).unwrap_or(f64::NAN)),
            Cell::new(run.time.as_deref().map_or(String::new(), time_text)),
            Words::new().name(run.host.clone().unwrap_or_default()).into(),
            commit.into(),
        ];
        for series in &headline {
            let point = series.points.iter().find(|point| point.run == index);
            cells.push(
                point.map_or(Cell::default(), |point| Cell::new(value_text(series, point.value)).by(point.value)),
            );
        }
        table.row(cells);
    }
    table
}
