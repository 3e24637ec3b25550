//! `gates[]` of every document: conditions of `--fail-on`.

use unladen_document::Gate as GateDocument;

use crate::prove::Gate;

/// Of a load.
pub(super) fn of_load(gate: &Gate) -> GateDocument {
    let Gate { condition, arm: _, broken, untold, found } = gate.clone();
    GateDocument { condition, broken, untold, found, ..GateDocument::default() }
}

/// Of an experiment, each of an arm.
pub(super) fn of_arm(gate: &Gate) -> GateDocument {
    GateDocument { arm: gate.arm.clone(), ..of_load(gate) }
}

/// Of rules, each of a page.
pub(super) fn of_page(gate: &Gate) -> GateDocument {
    GateDocument { url: gate.arm.clone(), ..of_load(gate) }
}
