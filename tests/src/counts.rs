//! What a document says was counted in each request: [`Counted`].

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::{Document, is_of};

/// One counter, per request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counted {
    /// The estimate.
    pub per_request: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Document {
    /// What was counted of a group that is named as for [`weight`](Self::weight), by counter; of requests to processes
    /// that had answered before. Empty where nothing was.
    #[track_caller]
    pub fn counts(&self, group: &str) -> BTreeMap<String, Counted> {
        let mut rows: Vec<&Value> =
            self.list("counts").iter().filter(|row| row["state"] == "warm" && is_of(row, group)).collect();
        // Another test's server of that name may have followed by chance.
        let path = &self["urls"][0]["path"]["groups"];
        let is_on_path = |row: &&Value| path.as_array().is_some_and(|path| path.contains(&row["group"]));
        if rows.iter().any(is_on_path) {
            rows.retain(is_on_path);
        }
        let first = rows.first().map(|row| &row["group"]);
        assert!(rows.iter().all(|row| Some(&row["group"]) == first), "several groups are {group}\n{self}");
        rows.iter()
            .map(|row| {
                let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("no {name} in {row}"));
                let counted = Counted { per_request: number("per_request"), low: number("low"), high: number("high") };
                (row["counter"].as_str().expect("a counter's name").to_owned(), counted)
            })
            .collect()
    }

    /// One of them; nothing where it was not counted.
    #[track_caller]
    pub fn count(&self, group: &str, counter: &str) -> f64 {
        self.counts(group).get(counter).map_or(0.0, |counted| counted.per_request)
    }

    /// Rules that found something, each once.
    pub fn found(&self) -> std::collections::BTreeSet<&str> {
        self.list("findings").iter().filter_map(|finding| finding["rule"].as_str()).collect()
    }
}
