//! The principal type is [`Document`]: the JSON that `weigh`, `load` or `prove` writes, and what tests ask of it.

use std::collections::BTreeSet;
use std::ops::Index;

use serde_json::Value;

/// A document of any schema; what asks for weights is for `unladen.weigh/1`. `document["seed"]` is a field of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document(pub Value);

/// One weight of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// The estimate, per request.
    pub per_request: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether it follows the requests.
    pub follows: bool,
    /// Its part of all CPU that follows, for `cpu`.
    pub share: Option<f64>,
}

/// A metric of one arm against the baseline, of `unladen.prove/1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Candidate / baseline; NaN where there is none, as are its ends.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// In the baseline.
    pub baseline: f64,
    /// In the arm.
    pub candidate: f64,
    /// The word.
    pub verdict: String,
}

// === impl Document ===

impl Document {
    /// The weights of one URL's counter, by group.
    fn of_counter<'a>(&'a self, url: &'a str, counter: &'a str) -> impl Iterator<Item = &'a Value> {
        self.list("weights").iter().filter(move |row| row["url"] == url && row["counter"] == counter)
    }

    /// The only URL.
    pub fn url(&self) -> &str {
        assert_eq!(self.list("urls").len(), 1, "several URLs");
        self["urls"][0]["url"].as_str().expect("a URL")
    }

    /// A list of the document.
    pub fn list(&self, name: &str) -> &[Value] {
        self[name].as_array().unwrap_or_else(|| panic!("{name} is no list in {self}"))
    }

    /// A number of the document.
    pub fn number(&self, name: &str) -> f64 {
        self[name].as_f64().unwrap_or_else(|| panic!("{name} is no number in {self}"))
    }

    /// The weight of a counter of the only URL, of a group of this user and executable or of this executable: `php-fpm`
    /// is `www-data php-fpm8.2 4711` too.
    #[track_caller]
    pub fn weight(&self, group: &str, counter: &str) -> Weight {
        self.weight_of(self.url(), group, counter)
    }

    /// Likewise of any URL.
    #[track_caller]
    pub fn weight_of(&self, url: &str, group: &str, counter: &str) -> Weight {
        // A master process beside its workers, or another server on the machine, have weights of their own: ours
        // follows.
        let row = self
            .of_counter(url, counter)
            .filter(|row| is_of(row, group))
            .max_by(|a, b| a["low"].as_f64().unwrap_or(0.0).total_cmp(&b["low"].as_f64().unwrap_or(0.0)));
        weight(row.unwrap_or_else(|| panic!("no {counter} of {group} in\n{self}")))
    }

    /// The weight of a counter of one process, of a URL: on a machine with others of its name.
    #[track_caller]
    pub fn weight_of_process(&self, url: &str, pid: i32, counter: &str) -> Weight {
        let end = format!(" {pid}");
        let mut rows = self.of_counter(url, counter);
        let row = rows.find(|row| row["group"].as_str().is_some_and(|group| group.ends_with(&end)));
        weight(row.unwrap_or_else(|| panic!("no {counter} of process {pid} in\n{self}")))
    }

    /// A metric of one arm against the baseline.
    #[track_caller]
    pub fn compared(&self, arm: &str, metric: &str) -> Compared {
        let rows = self.list("comparisons");
        let row = rows.iter().find(|row| row["arm"] == arm && row["metric"] == metric);
        let row = row.unwrap_or_else(|| panic!("no {metric} of {arm} in\n{self}"));
        let number = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
        Compared {
            ratio: number("ratio"),
            low: number("low"),
            high: number("high"),
            baseline: number("baseline"),
            candidate: number("candidate"),
            verdict: row["verdict"].as_str().expect("a verdict").to_owned(),
        }
    }

    /// Names of the arms of an experiment.
    pub fn arms(&self) -> BTreeSet<&str> {
        self.list("arms").iter().filter_map(|arm| arm["name"].as_str()).collect()
    }

    /// Names of all groups.
    pub fn groups(&self) -> BTreeSet<&str> {
        self.list("weights").iter().filter_map(|row| row["group"].as_str()).collect()
    }

    /// Names of the groups whose CPU follows the requests, the heaviest first.
    pub fn following(&self) -> Vec<&str> {
        let mut rows: Vec<&Value> =
            self.list("weights").iter().filter(|row| row["counter"] == "cpu" && row["follows"] == true).collect();
        rows.sort_by(|a, b| b["per_request"].as_f64().unwrap().total_cmp(&a["per_request"].as_f64().unwrap()));
        rows.iter().filter_map(|row| row["group"].as_str()).collect()
    }

    /// Whether a sentence of the warnings holds this.
    pub fn warns(&self, of: &str) -> bool {
        self.list("warnings").iter().any(|warning| warning.as_str().is_some_and(|warning| warning.contains(of)))
    }
}

impl Index<&str> for Document {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.0[name]
    }
}

/// What a failing test shows: the fields, and a line a weight that follows or nearly does.
impl std::fmt::Display for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, value) in self.0.as_object().into_iter().flatten().filter(|(name, _)| !is_long(name)) {
            writeln!(f, "{name}: {value}")?;
        }
        for row in self["comparisons"].as_array().into_iter().flatten().filter(|row| row["group"].is_null()) {
            let fields = ["arm", "metric", "baseline", "candidate", "ratio", "low", "high", "adjusted_p", "verdict"];
            writeln!(f, "{}", fields.map(|field| format!("{field} {}", row[field])).join("  "))?;
        }
        if self["weights"].is_null() {
            return Ok(());
        }
        writeln!(f, "groups: {:?}", self.groups())?;
        let rows = self["weights"].as_array().into_iter().flatten();
        for row in rows.filter(|row| row["follows"] == true || row["adjusted_p"].as_f64().is_some_and(|p| p < 0.2)) {
            let fields =
                ["follows", "group", "counter", "per_request", "low", "high", "noise_floor", "adjusted_p", "url"];
            writeln!(f, "{}", fields.map(|field| format!("{field} {}", row[field])).join("  "))?;
        }
        Ok(())
    }
}

/// Whether a field is too long to be read by anybody.
fn is_long(name: &str) -> bool {
    ["weights", "comparisons", "arms", "timeline", "distribution"].contains(&name)
}

/// Whether a weight is of the group of this user and executable, or of this executable; less its version and pid.
#[track_caller]
fn weight(row: &Value) -> Weight {
    let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("no {name} in {row}"));
    Weight {
        per_request: number("per_request"),
        low: number("low"),
        high: number("high"),
        follows: row["follows"].as_bool().expect("follows is true or false"),
        share: row["share"]["value"].as_f64(),
    }
}

pub(crate) fn is_of(row: &Value, group: &str) -> bool {
    let name = row["group"].as_str().unwrap_or_default();
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == ' ');
    name == group || name.rsplit(' ').next() == Some(group)
}
