//! [`text`]: what came of connecting to what serving needs, for people; [`verdict`]: for scripts.

use std::fmt::Write as _;

use unladen_serve::Trial;

use crate::exit::Failure;

/// A line each.
pub(super) fn text(trials: &[Trial]) -> String {
    let mut text = String::new();
    if trials.is_empty() {
        text.push_str("nothing to connect to\n");
    }
    for trial in trials {
        let _ = match &trial.failed {
            None => writeln!(text, "ok      {}: {}", whom(trial), trial.spoken.unwrap_or_default()),
            Some(failed) => writeln!(text, "FAILED  {}: {} [{}]", whom(trial), failed.cause, failed.reason),
        };
    }
    text
}

/// # Errors
/// If one failed.
pub(super) fn verdict(trials: Option<&[Trial]>) -> Result<(), Failure> {
    let tried = trials.unwrap_or_default();
    match tried.iter().filter(|trial| trial.failed.is_some()).count() {
        0 => Ok(()),
        failed => Err(Failure::Connections { failed, tried: tried.len() }),
    }
}

fn whom(trial: &Trial) -> String {
    let mut whom = format!("[[{}]] `{}`, ", trial.table, trial.name);
    if let Some(path) = &trial.path {
        let _ = write!(whom, "the {} for `{path}`, ", trial.what);
    } else if trial.what == "authority" {
        whom.push_str("the authority ");
    }
    whom.push_str(&trial.place);
    if let Some(address) = trial.address.as_ref().filter(|address| !trial.place.ends_with(address.as_str())) {
        let _ = write!(whom, " ({address})");
    }
    whom
}
