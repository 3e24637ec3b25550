//! The pages of `unladen runs serve` other than reports. The principal type is [`RunsPage`]; [`runs_page`] writes it.

use askama::Template;

use crate::figures;
use crate::page::table::{Cell, Table};
use crate::page::words::{Words, joined};
use crate::page::{Block, Blocks, Page, rendered};
use crate::result::method::{short_commit, time_text};
use crate::visible::{shortened, visible};

/// One run in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunRow {
    /// Number in the store.
    pub id: u64,
    pub verb: String,
    pub target: String,
    /// End of the run: RFC 3339, UTC.
    pub time: String,
    /// Measuring machine; empty if unknown.
    pub host: String,
    /// Commit of the application; empty if unknown.
    pub commit: String,
    /// The user's labels: name and value.
    pub labels: Vec<(String, String)>,
    pub version: String,
    /// `complete`, `interrupted` or `failed`; empty if unknown.
    pub ended: String,
}

/// The reader's filter. Empty fields do not restrict; the form has the same field names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunsFilter {
    pub verb: String,
    /// Part of a URL.
    pub target: String,
    pub host: String,
    /// Start of a commit.
    pub commit: String,
    /// `name=value`, or a name.
    pub label: String,
    /// First day, as `2026-11-23`.
    pub since: String,
    /// Day after the last.
    pub until: String,
}

/// A page of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunsPage {
    /// Newest first.
    pub rows: Vec<RunRow>,
    pub filter: RunsFilter,
    /// Later runs: path of this site.
    pub prev: Option<String>,
    /// Earlier runs: path of this site.
    pub next: Option<String>,
    /// Links at the top: path of this site, and text.
    pub nav: Vec<(String, String)>,
}

/// Maximum characters of a target in a selection list.
const CHOICE: usize = 60;
/// Maximum characters of a target in the table; the run's own page has all of it.
const TARGET: usize = 160;
/// Maximum characters of a label or a host in the table.
const NAME: usize = 60;

/// Commands whose results are stored.
const VERBS: [&str; 5] = ["weigh", "load", "prove", "profile", "profile-diff"];

#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "filter.html")]
pub(super) struct FilterForm {
    filter: RunsFilter,
}

impl FilterForm {
    fn verbs(&self) -> [&'static str; 5] {
        VERBS
    }
}

/// Selects two runs to compare, or a target for its trend.
#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "compare.html")]
pub(super) struct CompareForm {
    runs: Vec<Choice>,
    /// Index of the run that the newest is compared with by default.
    before: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Choice {
    id: u64,
    text: String,
}

impl CompareForm {
    /// By default the newest run is compared with the previous one of the same target, since others are not comparable.
    fn of(rows: &[RunRow]) -> Self {
        let is_alike =
            |row: &RunRow| rows.first().is_some_and(|first| row.verb == first.verb && row.target == first.target);
        let before = rows.iter().skip(1).position(is_alike).map_or(1, |place| place + 1);
        let choice = |row: &RunRow| {
            let target = shortened(&visible(&row.target), CHOICE);
            Choice {
                id: row.id,
                text: format!("{}: {} {target}, {}", row.id, visible(&row.verb), time_text(&row.time)),
            }
        };
        Self { runs: rows.iter().map(choice).collect(), before }
    }
}

#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "paging.html")]
pub(super) struct Paging {
    later: Words,
    earlier: Words,
}

/// The list of runs: `/`, with the filter as its query. Its links lead to `/run/ID`, `/trend?…` and
/// `/compare?before=ID&after=ID`.
pub fn runs_page(runs: &RunsPage) -> String {
    let mut page = Page::new("runs", "What was measured");
    page.nav.clone_from(&runs.nav);
    let mut blocks = vec![Block::Markup(rendered(&FilterForm { filter: runs.filter.clone() }))];
    let is_filtered = runs.filter != RunsFilter::default();
    if runs.rows.is_empty() {
        let text = if is_filtered {
            "No run matches this filter."
        } else {
            "There is no run yet. Every result of unladen weigh, load, prove and profile is kept, unless --no-store \
             is given."
        };
        blocks.push(Block::Paragraph(text.into()));
    } else {
        let caption = format!("{}, the latest first", figures::count(runs.rows.len() as u64, "run"));
        blocks.table(table(&runs.rows, caption));
        let paging = Paging {
            later: runs.prev.as_ref().map_or(Words::new(), |to| Words::new().link(to.clone(), "← later runs")),
            earlier: runs.next.as_ref().map_or(Words::new(), |to| Words::new().link(to.clone(), "earlier runs →")),
        };
        if !paging.later.is_empty() || !paging.earlier.is_empty() {
            blocks.push(Block::Markup(rendered(&paging)));
        }
        if runs.rows.len() > 1 {
            blocks.push(Block::Heading("Compare two of them".into()));
            blocks.push(Block::Markup(rendered(&CompareForm::of(&runs.rows))));
        }
    }
    page.section("runs", "Runs", blocks);
    rendered(&page)
}

fn table(rows: &[RunRow], caption: String) -> Table {
    let columns = ["run", "time", "command", "target", "host", "commit", "labels", "over time"];
    let mut table = Table::new(caption, &columns);
    for row in rows {
        let ended = match row.ended.as_str() {
            "" | "complete" => Words::new(),
            other => Words::new().mark("bad", format!(" {other}")),
        };
        let labels =
            row.labels.iter().map(|(name, value)| Words::new().name(shortened(&format!("{name}={value}"), NAME)));
        let commit = if row.commit.is_empty() { Words::new() } else { Words::new().name(short_commit(&row.commit)) };
        let trend = format!("/trend?verb={}&target={}", in_query(&row.verb), in_query(&row.target));
        table.row([
            Cell::new(Words::new().link(format!("/run/{}", row.id), row.id.to_string())),
            Cell::new(time_text(&row.time)),
            Cell::new(Words::new().plain(row.verb.clone()).and(ended)),
            Cell::new(Words::new().link(format!("/run/{}", row.id), shortened(&row.target, TARGET))),
            Cell::new(shortened(&row.host, NAME)),
            commit.into(),
            joined(labels.collect(), " ").into(),
            Cell::new(Words::new().link(trend, "trend")),
        ]);
    }
    table
}

/// Percent-encodes the value of a query, except RFC 3986's unreserved characters.
pub fn in_query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A page that says what could not be shown, and what to do.
pub fn error_page(title: &str, message: &str, nav: &[(String, String)]) -> String {
    let mut page = Page::new("not shown", title);
    page.nav = nav.to_vec();
    page.section("error", "What happened", vec![Block::Notice("bad", message.into())]);
    rendered(&page)
}
