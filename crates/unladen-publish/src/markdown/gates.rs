//! [`gates`]: `--fail-on` conditions with their outcomes.

use unladen_document::Gate;

use super::inert::{code, prose};
use super::sheet::{Sheet, Table};
use crate::figures::count;

/// A verdict in a sentence, and a table. Empty without conditions.
pub(super) fn gates(gates: &[Gate], sheet: &mut Sheet) {
    if gates.is_empty() {
        return;
    }
    let broken = gates.iter().filter(|gate| gate.broken).count();
    let untold = gates.iter().filter(|gate| gate.untold && !gate.broken).count();
    let conditions = count(gates.len() as u64, "condition");
    let mut verdict = match broken {
        0 if gates.len() == 1 => "**PASS**: the condition is not broken.".to_owned(),
        0 => format!("**PASS**: none of {conditions} is broken."),
        1 if gates.len() == 1 => "**FAIL**: the condition is broken.".to_owned(),
        _ => format!("**FAIL**: {broken} of {conditions} {}.", if broken == 1 { "is broken" } else { "are broken" }),
    };
    if untold > 0 {
        verdict.push_str(&format!(
            " {untold} unclear: {} the bound; measure longer.",
            if untold == 1 { "its interval contains" } else { "their intervals contain" }
        ));
    }
    sheet.part(&verdict);

    let is_of = gates.iter().any(|gate| !of(gate).is_empty());
    let head: &[&str] = if is_of { &["", "condition ", "of ", "found "] } else { &["", "condition ", "found "] };
    let mut table = Table::new(head);
    // What fails the job comes first.
    let rank = |gate: &&Gate| {
        if gate.broken {
            0
        } else if gate.untold {
            1
        } else {
            2
        }
    };
    let mut sorted: Vec<&Gate> = gates.iter().collect();
    sorted.sort_by_key(rank);
    for gate in sorted {
        let word = if gate.broken {
            "**FAIL**"
        } else if gate.untold {
            "unclear"
        } else {
            "pass"
        };
        let mut cells = vec![word.to_owned(), code(&gate.condition)];
        if is_of {
            cells.push(code(of(gate)));
        }
        cells.push(prose(&gate.found));
        table.row(cells);
    }
    sheet.table(&table);
}

pub(crate) fn of(gate: &Gate) -> &str {
    if gate.arm.is_empty() { &gate.url } else { &gate.arm }
}
