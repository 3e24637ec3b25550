//! `gates[]` of every document: `--fail-on` conditions.

use serde::Serialize;

use crate::prove::Gate;

#[derive(Serialize)]
pub(super) struct GateJson<'a> {
    condition: &'a str,
    /// For experiments.
    #[serde(skip_serializing_if = "Option::is_none")]
    arm: Option<&'a str>,
    /// For rules.
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

pub(super) fn of_arm(of: &Gate) -> GateJson<'_> {
    GateJson { arm: Some(&of.arm), ..gate(of) }
}

pub(super) fn of_page(of: &Gate) -> GateJson<'_> {
    GateJson { url: Some(&of.arm), ..gate(of) }
}

pub(super) fn of_load(of: &Gate) -> GateJson<'_> {
    gate(of)
}
