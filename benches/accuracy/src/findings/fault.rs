//! The principal type is [`Fault`]: a line of `subjects/pledges/faults`.

use std::path::{Path, PathBuf};

use crate::real::RealError;

/// A way to waste on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// As `run fault NAME` has it.
    pub name: String,
    /// The rule that should fire; none of what is no fault.
    pub rule: Option<String>,
    /// What it does.
    pub what: String,
}

/// The subject's folder.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/pledges")
}

/// All of them, in the order of the table.
///
/// # Errors
/// If the table cannot be read.
pub fn faults() -> Result<Vec<Fault>, RealError> {
    let path = folder().join("faults");
    let table = std::fs::read_to_string(&path).map_err(RealError::io(path.display().to_string()))?;
    Ok(table.lines().filter(|line| !line.starts_with('#')).filter_map(fault).collect())
}

fn fault(line: &str) -> Option<Fault> {
    let mut words = line.splitn(4, ' ');
    let (name, rule, _place, what) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let rule = (rule != "-").then(|| rule.to_owned());
    Some(Fault { name: name.to_owned(), rule, what: what.to_owned() })
}
