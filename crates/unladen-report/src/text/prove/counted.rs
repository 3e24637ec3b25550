//! What requests do in the baseline and in the changed arm, counted: certain on a busy machine too.

use std::io::{self, Write};

use unladen_document::{Arm, CountedChange, ProveDocument};
use unladen_lockin::MARGIN;
use unladen_quantity::{Kind, plain};

use crate::proof::{changed_counts, is_unclear};
use crate::style::Style;
use crate::text::prose::aside;
use crate::text::table::{Grid, strong};

/// Rows; further ones are in the JSON result.
const MOST: usize = 20;

/// A table of its own, or why there is none.
pub(super) fn counted(result: &ProveDocument, arm: &Arm, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = rows(result, arm, MOST);
    if rows.is_empty() {
        return nothing(result, style, out);
    }
    let mut table =
        Grid::new(&["counted, per request", "baseline", &arm.name, "change (95 %)", "noise floor"]).expendable(&[4, 1]);
    let floors = changed_counts(result, &arm.name).into_iter().map(|count| plain(Kind::Count, count.noise_floor));
    rows.into_iter().zip(floors).for_each(|(row, floor)| table.row(row.into_iter().chain([floor])));
    table.write(style, out)?;
    remarks(result, style, out)
}

/// What changed certainly: name, baseline, arm, change. The group is named where several were counted.
pub(super) fn rows(result: &ProveDocument, arm: &Arm, most: usize) -> Vec<[String; 4]> {
    let counts = changed_counts(result, &arm.name);
    let has_several = result.counted.iter().any(|count| count.group != result.counted[0].group);
    let row = |count: &&CountedChange| {
        let CountedChange { group, title, .. } = count;
        let name = if has_several { format!("{title}, {group}") } else { title.clone() };
        let [before, after] = count.values();
        [name, before, after, strong(&count.change_text())]
    };
    counts.iter().take(most).map(row).collect()
}

/// Says that no count changed, or why nothing was counted.
pub(super) fn nothing(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let said = match (&result.not_counted, result.counted.len()) {
        // Documents of earlier versions, and runs without counters.
        (None, 0) => return Ok(()),
        (Some(why), 0) => format!("What requests do was not counted: {why}."),
        (_, counters) => {
            let unclear = result.counted.iter().filter(|count| is_unclear(count)).count();
            let whole = if counters == 1 { "1 counter".to_owned() } else { format!("{counters} counters") };
            match unclear {
                0 => format!("No change in the {whole} of what requests do, ±{:.0} %.", 100.0 * MARGIN),
                _ => format!(
                    "Whether requests do less is unclear for {unclear} of {whole}: other work of the same programs \
                     moves them, too."
                ),
            }
        }
    };
    aside(&said, style, out)?;
    writeln!(out)?;
    if result.counted.is_empty() { Ok(()) } else { remarks(result, style, out) }
}

/// What the counts are not: all of the URLs, or all that was to be counted.
pub(super) fn remarks(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let several = result.arms.iter().any(|arm| arm.answers.len() > 1);
    let of_one = several.then(|| "Counted on the first of the URLs.".to_owned());
    let lack = result.not_counted.as_ref().map(|why| format!("Not all was counted: {why}."));
    let said: Vec<String> = of_one.into_iter().chain(lack).collect();
    if said.is_empty() {
        return Ok(());
    }
    aside(&said.join(" "), style, out)?;
    writeln!(out)
}
