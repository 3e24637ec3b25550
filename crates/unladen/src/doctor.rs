//! What works on this machine and what does not. The principal type is [`check::Check`]; [`CHECKS`] lists all checks,
//! and [`examine`] runs them, each within its time: one that hangs is reported and does not hold up the others. Nothing
//! is changed or left behind.

mod check;
mod checks;
mod row;
mod text;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Instant;

use unladen_load::Request;

pub(crate) use check::worst;
pub(crate) use row::Verdict;
pub(crate) use text::{document, text};

use check::{Asked, Check, Checked};
use checks::CHECKS;
use row::Row;

/// Runs all checks of this machine; those of a page only if one is given.
pub(crate) fn examine(page: Option<Request>) -> Vec<Checked> {
    run(CHECKS, Asked::of_this_machine(page))
}

/// Runs all checks at once, then the late ones; results are in the order of the list.
fn run(checks: &'static [Check], asked: Asked) -> Vec<Checked> {
    let asked = Arc::new(asked);
    let mut found: Vec<Option<Vec<Row>>> = checks.iter().map(|_| None).collect();
    for is_late in [false, true] {
        together(checks, &asked, is_late, &mut found);
    }
    checks
        .iter()
        .zip(found)
        .map(|(check, rows)| Checked { name: check.name, rows: rows.unwrap_or_else(|| vec![hangs(check)]) })
        .collect()
}

fn together(checks: &'static [Check], asked: &Arc<Asked>, is_late: bool, found: &mut [Option<Vec<Row>>]) {
    let begun = Instant::now();
    let (sender, receiver) = channel();
    let mut waited_for = Vec::new();
    for (index, check) in checks.iter().enumerate().filter(|(_, check)| check.is_late == is_late) {
        let (sender, asked) = (sender.clone(), Arc::clone(asked));
        waited_for.push(index);
        // A hanging check ends with the process. A thread that cannot be started gives no answer, which is reported
        // too.
        let _ = std::thread::Builder::new().name(check.name.to_owned()).spawn(move || {
            let _ = sender.send((index, (check.look)(&asked)));
        });
    }
    drop(sender);
    // The longest limit of those yet to answer: a hanging check is not waited for longer because another may take
    // longer.
    while let Some(limit) = waited_for.iter().map(|index| checks[*index].limit).max() {
        match receiver.recv_timeout((begun + limit).saturating_duration_since(Instant::now())) {
            Ok((index, rows)) => {
                found[index] = Some(rows);
                waited_for.retain(|other| *other != index);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn hangs(check: &Check) -> Row {
    let limit = check.limit.as_secs_f64();
    Row::limited(check.verbs, format!("no answer within {limit} s"))
        .so("this machine is busy, or something on it hangs: try again")
}

#[cfg(test)]
mod tests;
