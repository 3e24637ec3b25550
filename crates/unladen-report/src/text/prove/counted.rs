//! What requests do in the baseline and in the changed arm, counted: certain on a busy machine too.

use std::io::{self, Write};

use unladen_document::{Arm, ProveDocument};
use unladen_quantity::{Kind, plain};

use crate::proof::{changed_counts, count_change};
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
    let mut table = Grid::new(&["counted, per request", "baseline", &arm.name, "change"]);
    rows.into_iter().for_each(|row| table.row(row));
    table.write(style, out)
}

/// What changed certainly: name, baseline, arm, change. The group is named where there are several.
pub(super) fn rows(result: &ProveDocument, arm: &Arm, most: usize) -> Vec<[String; 4]> {
    let counts = changed_counts(result, &arm.name);
    let has_several = counts.iter().any(|count| count.group != counts[0].group);
    let row = |count: &&_| {
        let unladen_document::CountedChange { group, title, baseline, candidate, .. } = count;
        let name = if has_several { format!("{title}, {group}") } else { title.clone() };
        let [before, after] = [baseline, candidate].map(|of| plain(Kind::Count, of.value));
        [name, before, after, strong(&count_change(count))]
    };
    counts.iter().take(most).map(row).collect()
}

/// Says that no count changed, or why nothing was counted.
pub(super) fn nothing(result: &ProveDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let said = match (&result.not_counted, result.counted.len()) {
        (Some(why), _) => format!("What requests do was not counted: {why}."),
        // Documents of earlier versions.
        (None, 0) => return Ok(()),
        (None, 1) => "Counted: requests do the same in both (1 counter).".to_owned(),
        (None, counters) => format!("Counted: requests do the same in both ({counters} counters)."),
    };
    aside(&said, style, out)?;
    writeln!(out)
}
