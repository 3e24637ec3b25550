//! Every combination, each knob's effect over all of them, and how far pairs fail to multiply.

use std::io::{self, Write};

use unladen_document::{Interaction, ProveDocument};

use super::differences::BRIEF_BELOW;
use super::verdict::{title, value, verdict};
use crate::style::Style;
use crate::text::figure::equal;
use crate::text::table::{Grid, faint, strong};

pub(super) fn factorial(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    combinations(result, style, out)?;
    let mut metrics: Vec<&str> = Vec::new();
    for interaction in &result.interactions {
        if !metrics.contains(&interaction.metric.as_str()) {
            metrics.push(&interaction.metric);
        }
    }
    for metric in metrics {
        let of = |kind| result.interactions.iter().filter(move |i| i.metric == metric && i.kind == kind);
        let heading = format!("{}: each over all others", title(metric));
        effects(of(Interaction::MAIN_EFFECT), &heading, "effect (95 %)", style, out)?;
        let heading = format!("{}: two together", title(metric));
        effects(of(Interaction::PAIR), &heading, "beyond their product (95 %)", style, out)?;
    }
    Ok(())
}

fn combinations(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(metric) = result.first_quantile() else { return Ok(()) };
    let heading = title(metric);
    let mut table = Grid::new(&["knobs on", &heading, "verdict, 95 % interval"]).left(2).expendable(&[1]);
    for arm in result.arms.iter().filter(|arm| !arm.has("baseline")) {
        let Some(comparison) = result.of_arm(&arm.name).find(|comparison| comparison.metric == metric) else {
            continue;
        };
        table.row([
            arm.name.clone(),
            value(comparison, comparison.candidate),
            verdict(comparison, style.width < BRIEF_BELOW),
        ]);
    }
    table.write(style, out)
}

fn effects<'a>(
    interactions: impl Iterator<Item = &'a Interaction>,
    heading: &str,
    what: &str,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = Grid::new(&[heading, what]);
    let mut is_empty = true;
    for interaction in interactions {
        is_empty = false;
        let change = interaction.ratio_span().change_text();
        let change = match (interaction.told, interaction.is_equal()) {
            (true, _) => strong(&change),
            (false, true) => faint(&untold(&equal(), &change, style)),
            (false, false) => untold("unclear", &change, style),
        };
        table.row([interaction.knobs.join(" × "), change]);
    }
    if is_empty { Ok(()) } else { table.write(style, out) }
}

fn untold(words: &str, change: &str, style: Style) -> String {
    if style.width < BRIEF_BELOW { words.to_owned() } else { format!("{words}, {change}") }
}
