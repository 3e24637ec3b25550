//! Latencies, shares within a time, throughput, bytes and statuses of one arm against the baseline.

use std::io::{self, Write};

use super::verdict::{floor, title, value, verdict};
use crate::prove::{ArmResult, Metric, Prove};
use crate::style::Style;
use crate::text::table::Grid;

/// Below this width, unclear differences have no intervals.
pub(super) const BRIEF_BELOW: u16 = 90;

pub(super) fn differences(result: &Prove, arm: &ArmResult, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Grid::new(&["latency", "baseline", &arm.name, "verdict, 95 % interval", "noise floor"])
        .left(3)
        .expendable(&[4, 1]);
    let mut is_empty = true;
    for comparison in result.of_arm(&arm.name).filter(|comparison| comparison.kind != Metric::Weight) {
        is_empty = false;
        table.row([
            title(&comparison.metric),
            value(comparison, comparison.baseline),
            value(comparison, comparison.candidate),
            verdict(comparison, style.width < BRIEF_BELOW),
            floor(comparison),
        ]);
    }
    if is_empty { Ok(()) } else { table.write(style, out) }
}
