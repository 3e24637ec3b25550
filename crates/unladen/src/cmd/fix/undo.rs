//! [`undo`]: puts back what a fix changed.

use crate::exit::Failure;
use crate::fix::{Applied, FixFolder, State};
use crate::output;
use crate::runs::{now, rfc3339};

pub(super) fn undo(text: &str) -> Result<(), Failure> {
    let folder = match text.contains('-') {
        true => FixFolder::of(text)?,
        false => last_of_number(text)?,
    };
    if folder.record().is_none() {
        return Err(Failure::Usage(format!(
            "no fix {} was applied here: `unladen fix --list` shows all",
            folder.name()
        )));
    }
    let report = unladen_prove::restore(&folder.file())?;
    if !report.is_complete() {
        return Err(Failure::NotPutBack { report: report.to_string(), before: None });
    }
    if let Some(record) = folder.record() {
        folder.write(&Applied { state: State::Undone, time: rfc3339(now()), ..record })?;
    }
    Ok(output::line(&report.to_string())?)
}

/// The fix in place whose finding had this number; the last one, if several runs had one.
fn last_of_number(number: &str) -> Result<FixFolder, Failure> {
    let is_it = |folder: &FixFolder| {
        folder.name().split_once('-').is_some_and(|(_, of)| of == number) && folder.is_in_place().unwrap_or(true)
    };
    let last = FixFolder::all()?.into_iter().rev().map(|(folder, _)| folder).find(is_it);
    last.ok_or_else(|| Failure::Usage(format!("no fix {number} is applied here: `unladen fix --list` shows all")))
}
