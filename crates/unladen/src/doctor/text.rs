//! The checks as people read them, [`text`], and as JSON, [`document`].

use std::fmt::Write as _;

use serde_json::{Value, json};
use unladen_report::{Style, filled};

use super::check::{Checked, worst};
use super::row::{AS_ROOT, Row, Verb, Verdict};

/// `missing  `, before the name of a check.
const VERDICT: usize = 9;

/// A table, the fixes beneath their rows, and a summary line.
pub(crate) fn text(checked: &[Checked], style: Style) -> String {
    let names = checked.iter().map(|checked| checked.name.len()).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for Checked { name, rows } in checked {
        for row in rows {
            write_row(name, names, row, style, &mut text);
        }
    }
    let count = |verdict| checked.iter().flat_map(|one| &one.rows).filter(|row| row.verdict == verdict).count();
    let (limited, missing) = (count(Verdict::Limited), count(Verdict::Missing));
    let summary = match worst(checked) {
        Verdict::Ok => "Everything that was checked works.".to_owned(),
        _ => format!(
            "{missing} missing, {limited} limited; docs/reference/doctor.md, in share/doc/unladen or the source, explains each."
        ),
    };
    // Writing to a String does not fail.
    let _ = write!(text, "\n{summary}");
    text
}

/// `unladen.doctor/1`; its schema describes the fields.
pub(crate) fn document(checked: &[Checked]) -> Value {
    let row = |name: &'static str, row: &Row| {
        let mut row = json!(row);
        row["check"] = name.into();
        row
    };
    let rows = |checked: &Checked| checked.rows.iter().map(|found| row(checked.name, found)).collect::<Vec<_>>();
    let checks: Vec<Value> = checked.iter().flat_map(rows).collect();
    json!({ "schema": "unladen.doctor/1", "verdict": worst(checked), "checks": checks })
}

fn write_row(name: &str, names: usize, row: &Row, style: Style, text: &mut String) {
    let verdict = format!("{:VERDICT$}", row.verdict.into_str());
    let verdict = match row.verdict {
        Verdict::Ok => style.faint(&verdict),
        Verdict::Limited => style.warn(&verdict),
        Verdict::Missing => style.strong(&verdict),
    };
    let indent = VERDICT + names;
    let verbs = match row.verdict {
        Verdict::Ok => String::new(),
        _ => format!(" [{}]", row.commands.iter().map(|verb: &Verb| verb.into_str()).collect::<Vec<_>>().join(", ")),
    };
    let said =
        if row.why.is_empty() { format!("{}{verbs}", row.what) } else { format!("{}: {}{verbs}", row.what, row.why) };
    let mut lines = wrapped(&said, usize::from(style.width).saturating_sub(indent)).into_iter();
    let _ = writeln!(text, "{verdict}{name:names$}{}", lines.next().unwrap_or_default());
    for line in lines {
        let _ = writeln!(text, "{:indent$}{line}", "");
    }
    if !row.advice.is_empty() {
        for line in wrapped(&row.advice, usize::from(style.width).saturating_sub(indent + 2)) {
            let _ = writeln!(text, "{:indent$}  {line}", "");
        }
    }
    // Commands are copied, so they are not wrapped; without root many rows have the same.
    for command in &row.fix {
        if command == AS_ROOT && text.contains(AS_ROOT) {
            continue;
        }
        let _ = writeln!(text, "{:indent$}  $ {command}", "");
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    filled(&printable(text).split_whitespace().collect::<Vec<_>>().join(" "), width)
}

/// Anybody may choose names of files and processes; control characters must not reach a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
