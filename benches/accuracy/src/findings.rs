//! What `unladen weigh` finds in `subjects/pledges`, which wastes on purpose, one way at a time. The principal type is
//! [`Row`]: a fault, which rules fire while it is on, and whether these are the right ones.

mod looked;
mod pledges;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::real::RealError;

pub use looked::{Found, Look, Looked};
pub use pledges::Pledges;

/// What is true of the subject's page as it is: one connection to its database a request, no cache may keep it, and a
/// 304 takes most of the work. Whether each of these shows depends on the machine (what a 304 saves is near its
/// threshold), so that they are allowed in every row, and required in none.
pub const OWN: [&str; 3] = ["cacheable", "database-reconnect", "slow-conditional"];

/// The page without a fault.
pub const BASE: &str = "base";

/// A way to waste on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// As `run fault NAME` has it.
    pub name: String,
    /// The rule that should fire; none of what is no fault.
    pub rule: Option<String>,
    pub what: String,
}

/// The subject's folder.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/pledges")
}

/// All of them, in the order of the table.
pub fn faults() -> Result<Vec<Fault>, RealError> {
    let path = folder().join("faults");
    let table = std::fs::read_to_string(&path).map_err(RealError::of(path.display().to_string()))?;
    Ok(table.lines().filter(|line| !line.starts_with('#')).filter_map(fault).collect())
}

fn fault(line: &str) -> Option<Fault> {
    let mut words = line.splitn(4, ' ');
    let (name, rule, _place, what) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let rule = (rule != "-").then(|| rule.to_owned());
    Some(Fault { name: name.to_owned(), rule, what: what.to_owned() })
}

/// What came of one state of the subject.
#[derive(Debug, Clone)]
pub struct Row {
    /// The fault's name; [`BASE`] without any.
    pub name: String,
    /// The rule that is to fire; none for the base and for what is no fault.
    pub rule: Option<String>,
    pub found: Vec<Found>,
    /// Not even what is true of the page as it is may be found.
    pub lean: bool,
    /// Runs that it took until PHP was seen to follow.
    pub runs: u32,
}

impl Row {
    /// Rules that fire, each once.
    pub fn rules(&self) -> BTreeSet<&str> {
        self.found.iter().map(|found| found.rule.as_str()).collect()
    }

    /// What the fault's own rule says of it.
    pub fn own(&self) -> Option<&Found> {
        let rule = self.rule.as_deref()?;
        // That which was there before is another finding of the same rule, and smaller.
        self.found.iter().filter(|found| found.rule == rule).max_by(|a, b| a.part().total_cmp(&b.part()))
    }

    /// Rules that fire and should not.
    pub fn others(&self) -> Vec<&str> {
        let is_right = |rule: &&str| self.rule.as_deref() == Some(*rule) || !self.lean && OWN.contains(rule);
        self.rules().into_iter().filter(|rule| !is_right(rule)).collect()
    }

    /// Whether the fault's own rule fires. A rule that fires without the fault too has to find more with it.
    pub fn is_found(&self, base: &Self) -> bool {
        let Some(rule) = self.rule.as_deref() else { return true };
        let most = |row: &Self| {
            let figures = row.found.iter().filter(|found| found.rule == rule).map(Found::figure);
            figures.max_by(f64::total_cmp)
        };
        match (most(self), most(base)) {
            (Some(with), Some(without)) => with > without,
            (with, _) => with.is_some(),
        }
    }
}

#[cfg(test)]
mod tests;
