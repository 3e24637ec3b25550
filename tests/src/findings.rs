//! What a result found, and what of: [`finding`], [`figure`] and [`items`].

use serde_json::Value;

use crate::Document;

/// The one finding of a rule.
///
/// # Panics
/// If there are none or several.
#[track_caller]
pub fn finding<'a>(document: &'a Document, rule: &str) -> &'a Value {
    let all: Vec<&Value> = document.list("findings").iter().filter(|finding| finding["rule"] == rule).collect();
    let [one] = all[..] else { panic!("{rule}: {all:?}\n{document}") };
    one
}

/// A figure of a finding is a whole number as nearly as its interval tells, and between these.
///
/// # Panics
/// If it is not so.
#[track_caller]
pub fn figure(finding: &Value, name: &str, from: f64, to: f64) {
    let figures = finding["evidence"]["figures"].as_array().expect("a list");
    let figure = figures.iter().find(|figure| figure["name"] == name).unwrap_or_else(|| panic!("no {name}: {finding}"));
    let [value, low, high] = ["per_request", "low", "high"].map(|end| figure[end].as_f64().expect("a number"));
    assert!(from <= value && value <= to, "{figure}");
    assert!(low <= value && value <= high, "{figure}");
}

/// What items of a finding whose names hold this count together.
///
/// # Panics
/// If the finding has no list of items.
pub fn items(finding: &Value, name: &str) -> f64 {
    let items = finding["evidence"]["items"].as_array().expect("a list");
    let of = items.iter().filter(|item| item["name"].as_str().is_some_and(|item| item.contains(name)));
    of.filter_map(|item| item["per_request"].as_f64()).sum()
}
