//! Text in columns: [`columns`].

use std::fmt::Write as _;

use crate::visible::visible;

/// Rows under a head, each column as wide as its widest cell, with numbers right-aligned. Cells show control and
/// invisible characters by name, as stored text may come from elsewhere.
pub fn columns(head: &[&str], rows: &[Vec<String>], is_number: &[bool]) -> String {
    let mut lines: Vec<Vec<String>> = vec![head.iter().map(|cell| (*cell).to_owned()).collect()];
    lines.extend(rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()));
    let width =
        |at: usize| lines.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut row = String::new();
        for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            // Writing to a String does not fail.
            let _ = match is_number.get(at) {
                Some(true) => write!(row, "{gap}{cell:>width$}"),
                _ => write!(row, "{gap}{cell:<width$}"),
            };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
