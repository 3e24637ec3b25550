//! `gates[]` of every document: conditions of `--fail-on`.

use serde::Serialize;

use crate::prove::Gate;

#[derive(Serialize)]
pub(super) struct GateJson<'a> {
    condition: &'a str,
    /// Of an experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    arm: Option<&'a str>,
    /// Of a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    broken: bool,
    untold: bool,
    found: &'a str,
}

fn gate(gate: &Gate) -> GateJson<'_> {
    let Gate { condition, arm: _, broken, untold, found } = gate;
    GateJson { condition, arm: None, url: None, broken: *broken, untold: *untold, found }
}

/// Of an experiment, each of an arm.
pub(super) fn of_arm(of: &Gate) -> GateJson<'_> {
    GateJson { arm: Some(&of.arm), ..gate(of) }
}

/// Rules, each of a page.
pub(super) fn of_page(of: &Gate) -> GateJson<'_> {
    GateJson { url: Some(&of.arm), ..gate(of) }
}

/// Of a load.
pub(super) fn of_load(of: &Gate) -> GateJson<'_> {
    gate(of)
}
