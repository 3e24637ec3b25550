//! Configuration of `unladen serve` in front of the application: [`fix`].
//!
//! All rules use it, so that the lines agree for the same page, and are once in one file.

use std::collections::BTreeSet;

use unladen_trace::{Evidence, QueryProtocol};

use crate::fix::Fix;
use crate::knob::{Knob, KnobSite, Part};
use crate::quoting::toml_text;
use crate::rules::statements;
use crate::{again, php};

/// For trying it out; later it replaces the clients' address. Neither a registered port nor an `[[outbound]]` is near.
const LISTEN: &str = "127.0.0.1:17080";
const PORT: u16 = 17_080;

pub(crate) const FILE: &str = "unladen.toml";

const MOST_TABLES: usize = 12;

#[derive(Debug)]
struct Page<'a> {
    /// `http://127.0.0.1:8080`
    origin: &'a str,
    /// `127.0.0.1:8080`
    authority: &'a str,
}

/// Lines for the site. `None` if it cannot stand in front of this.
pub(super) fn fix(evidence: &Evidence, advice: &str) -> Option<Fix> {
    let page = Page::of(&evidence.page.url)?;
    let lines = [
        "[[site]]".to_owned(),
        format!("listen = {}", toml_text(LISTEN)),
        format!("upstream = {}", toml_text(page.origin)),
    ];
    Some(Fix::advice(advice).lines(FILE, lines).command(format!("unladen serve --config {FILE}")))
}

/// A sentence on asking the database whether a page has changed, by what a query has to cover; empty if the page asks
/// no database. No query is printed: one that misses a kind of change serves the old page until something else changes,
/// and which tables a view or a function reads is not seen.
pub(super) fn counter(evidence: &Evidence) -> String {
    let asked =
        evidence.queries.iter().filter(|seen| matches!(seen.protocol, QueryProtocol::Postgres | QueryProtocol::Mysql));
    let tables: BTreeSet<String> =
        asked.filter(|seen| !seen.writes).flat_map(|seen| statements::tables(&seen.fingerprint)).collect();
    if tables.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = tables.iter().map(String::as_str).take(MOST_TABLES).collect();
    let more = if tables.len() > names.len() { ", …" } else { "" };
    format!(
        ". For pages that must never be stale, not even for that minute, it can ask the database before each answer \
         (docs/reference/serve.md, `[[site.validator]]`): use a counter that triggers raise on every table that the \
         page reads ({}{more}, and the tables behind views and functions), because a modification time misses a \
         second edit within the same second, and some tables have none",
        names.join(", ")
    )
}

pub(super) fn again(evidence: &Evidence, knob: Option<&Knob>) -> String {
    match Page::of(&evidence.page.url) {
        Some(page) => again::through(evidence, &page.through(&evidence.page.url), page.authority, knob),
        None => again::weigh(evidence),
    }
}

/// The knob, with the application's part. `None` if that is only some lines of one of the application's files.
pub(super) fn knob(evidence: &Evidence, fix: &Fix, name: &str) -> Option<Knob> {
    let url = &evidence.page.url;
    let page = Page::of(url)?;
    let is_own = |part: &Part| part.file.rsplit('/').next().is_some_and(|name| name.contains("unladen"));
    if !fix.also.iter().all(is_own) {
        return None;
    }
    let host = page.authority.to_owned();
    let site = KnobSite { lines: fix.lines.clone(), port: PORT, url: page.through(url), host };
    // A script is read with each request, settings are not.
    let is_read = fix.also.iter().any(|part| part.file.ends_with(php::FILE));
    let service = is_read.then(|| php::service(evidence, fix.group.unwrap_or_default()));
    Some(Knob { name: name.to_owned(), files: fix.also.clone(), service, site: Some(site), ..Knob::default() })
}

impl<'a> Page<'a> {
    fn of(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        if !matches!(scheme, "http" | "https") {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.is_empty())?;
        // The user would have to give a password that is not known.
        if authority.contains('@') {
            return None;
        }
        let origin = url.get(..scheme.len() + 3 + authority.len())?;
        Some(Self { origin, authority })
    }

    fn through(&self, url: &str) -> String {
        let rest = url.get(self.origin.len()..).unwrap_or_default();
        format!("http://{LISTEN}{}{rest}", if rest.starts_with('/') { "" } else { "/" })
    }
}

#[cfg(test)]
mod tests;
