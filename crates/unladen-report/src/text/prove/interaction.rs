//! What changes do together but not alone.

use std::io::{self, Write};

use super::verdict::{amount, title};
use crate::prove::{Interaction, InteractionKind, Prove};
use crate::style::Style;
use crate::text::prose::paragraph;

pub(super) fn sentences(result: &Prove, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut is_empty = true;
    for interaction in &result.interactions {
        if interaction.kind == InteractionKind::AllAgainstAlone {
            is_empty = false;
            paragraph(&sentence(interaction), style, out)?;
        }
    }
    if is_empty { Ok(()) } else { writeln!(out) }
}

/// `p50: the gains alone multiply to 86.0 % less (…), all together come to 63.8 % less (…): they overlap.`
fn sentence(interaction: &Interaction) -> String {
    let metric = title(&interaction.metric);
    let together = amount(interaction.ratio);
    let Some(expected) = interaction.expected else {
        return format!("{metric}: all together come to {together}.");
    };
    let word = match (interaction.told, interaction.is_equal) {
        (false, true) => "no measurable interaction",
        (false, false) => "whether they interact is unclear",
        (true, _) if interaction.ratio.value > expected.value => "they overlap",
        (true, _) => "they help one another",
    };
    format!("{metric}: the changes alone multiply to {}; all together come to {together}: {word}.", amount(expected))
}
