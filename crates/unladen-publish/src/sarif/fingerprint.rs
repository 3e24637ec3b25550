//! [`fingerprints`]: by what a result is known again in the next run.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

/// The names of fingerprints. GitHub looks at the first alone, and would make one of the line's text if it were missing.
const NAMES: [&str; 2] = ["primaryLocationLineHash", "unladen/v1"];

/// What a result is, without figures: those differ from run to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity<'a> {
    pub(super) rule: &'a str,
    pub(super) url: &'a str,
    pub(super) group: &'a str,
    pub(super) state: &'a str,
    /// What tells two results of one rule apart: a file, a statement.
    pub(super) what: &'a str,
}

/// Counts results that are otherwise alike.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    seen: BTreeMap<u64, u32>,
}

impl Fingerprints {
    /// Of the next result.
    pub(super) fn next(&mut self, identity: Identity<'_>) -> BTreeMap<&'static str, String> {
        let Identity { rule, url, group, state, what } = identity;
        let text = [rule, &without_host(url), group, state, &without_figures(what)].join("\0");
        let hash = xxh3_64(text.as_bytes());
        let count = self.seen.entry(hash).or_insert(0);
        *count += 1;
        NAMES.into_iter().map(|name| (name, format!("{hash:016x}:{count}"))).collect()
    }
}

/// The port of a test server is another one in the next run, and so may be its name.
fn without_host(url: &str) -> String {
    url.split_once("://").map_or(url, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path)).to_owned()
}

/// Statements hold values, names of temporary files numbers.
fn without_figures(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => {
                quote = Some(c);
                out.push('?');
            }
            (None, '0'..='9') => {
                if !out.ends_with('0') {
                    out.push('0');
                }
            }
            (None, c) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
