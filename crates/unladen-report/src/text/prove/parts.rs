//! What both views of a proof show: the answers.

use std::io::{self, Write};

use unladen_document::Arm;

use crate::style::Style;
use crate::text::prose::{answer, answers};

/// Maximum number of arms whose answers are shown.
const MOST_ARMS: usize = 4;

/// Answers to the arms: once if they are the same, otherwise by arm. With several URLs, doubts alone.
pub(super) fn came(arms: &[Arm], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some((baseline, others)) = arms.split_first() else { return Ok(()) };
    answers(&baseline.answers, style, out)?;
    let is_again = |arm: &&Arm| !arm.has("baseline again");
    for arm in others.iter().filter(is_again).filter(|arm| !arm.answers.is_empty()).take(MOST_ARMS) {
        for (here, before) in arm.answers.iter().zip(&baseline.answers) {
            if !here.doubts.is_empty() || arm.answers.len() == 1 && here.told() != before.told() {
                let of = if arm.answers.len() > 1 { format!(", {}", here.request) } else { String::new() };
                answer(&format!("{}{of}: ", arm.name), here, style, out)?;
            }
        }
    }
    Ok(())
}
