//! Results of connecting to what serving needs: [`text`] for people, [`verdict`] for scripts.

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
            None => {
                let doubt = trial.doubt.as_ref().map(|doubt| format!("; but {doubt}")).unwrap_or_default();
                writeln!(text, "ok      {}: {}{doubt}", whom(trial), trial.spoken.unwrap_or_default())
            }
            Some(failed) => writeln!(text, "FAILED  {}: {} [{}]", whom(trial), failed.cause, failed.reason),
        };
    }
    text
}

/// Fails if a trial failed.
pub(super) fn verdict(trials: Option<&[Trial]>) -> Result<(), Failure> {
    let tried = trials.unwrap_or_default();
    match tried.iter().filter(|trial| trial.failed.is_some()).count() {
        0 => Ok(()),
        failed => Err(Failure::Connections { failed, tried: tried.len() }),
    }
}

fn whom(trial: &Trial) -> String {
    let mut whom = match trial.table {
        "tier" => "[tier], ".to_owned(),
        "fleet" => format!("[fleet] `{}`, ", trial.name),
        table => format!("[[{table}]] `{}`, ", trial.name),
    };
    match (&trial.path, trial.what) {
        (Some(path), what) => _ = write!(whom, "the {what} for `{path}`, "),
        (None, "authority" | "rate limit service") => _ = write!(whom, "the {} ", trial.what),
        (None, _) => {}
    }
    whom.push_str(&trial.place);
    if let Some(address) = trial.address.as_ref().filter(|address| !trial.place.ends_with(address.as_str())) {
        let _ = write!(whom, " ({address})");
    }
    whom
}
