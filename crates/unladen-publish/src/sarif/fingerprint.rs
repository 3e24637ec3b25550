//! [`fingerprints`]: recognise a result in the next run.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

/// Names of fingerprints. GitHub reads only the first, and would compute it from the line's text if it were missing.
const NAMES: [&str; 2] = ["primaryLocationLineHash", "unladen/v1"];

/// A result without figures, which differ from run to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity<'a> {
    pub(super) rule: &'a str,
    pub(super) url: &'a str,
    pub(super) group: &'a str,
    pub(super) state: &'a str,
    /// Distinguishes results of one rule: a file, a statement.
    pub(super) what: &'a str,
}

/// Counts results that are otherwise alike.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    seen: BTreeMap<u64, u32>,
}

impl Fingerprints {
    pub(super) fn next(&mut self, identity: Identity<'_>) -> BTreeMap<&'static str, String> {
        let Identity { rule, url, group, state, what } = identity;
        let text = [rule, &without_host(url), group, state, &without_figures(what)].join("\0");
        let hash = xxh3_64(text.as_bytes());
        let count = self.seen.entry(hash).or_insert(0);
        *count += 1;
        NAMES.into_iter().map(|name| (name, format!("{hash:016x}:{count}"))).collect()
    }
}

/// A test server's port, and possibly its name, differ in the next run.
fn without_host(url: &str) -> String {
    url.split_once("://").map_or(url, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path)).to_owned()
}

/// Statements contain values, and names of temporary files numbers.
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
