//! Shared by the rules on SQL: properties of a statement's text.

use unladen_trace::sql::has_placeholder;
use unladen_trace::{QueryProtocol, QuerySeen};

/// Functions with another result each time, or with side effects.
const NOT_REPEATABLE: &[&str] = &[
    "nextval(",
    "lastval(",
    "currval(",
    "last_insert_id(",
    "last_insert_rowid(",
    "found_rows(",
    "row_count(",
    "changes(",
    "get_lock(",
    "release_lock(",
    "advisory",
    "pg_notify(",
    "set_config(",
    "random(",
    "rand(",
    "uuid(",
    "now(",
    "clock_timestamp(",
    "sleep(",
    " for update",
    " for share",
];

pub(super) fn verb(text: &str) -> String {
    let text = text.trim_start_matches(|first: char| first.is_whitespace() || first == '(');
    text.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
}

/// Whether it works on rows: no BEGIN, SET or PRAGMA.
pub(super) fn is_about_rows(seen: &QuerySeen) -> bool {
    matches!(verb(&seen.fingerprint).as_str(), "select" | "with" | "insert" | "update" | "delete" | "replace")
}

/// Whether it only reads, and would read the same again if nothing changed.
pub(super) fn is_repeatable(seen: &QuerySeen) -> bool {
    let text = seen.fingerprint.to_ascii_lowercase();
    let reads = matches!(verb(&text).as_str(), "select" | "with" | "show" | "describe" | "desc");
    reads && !seen.writes && !NOT_REPEATABLE.iter().any(|part| text.contains(part))
}

/// Whether its values are not visible: SQLite's library gets them one by one, where nothing is traced.
pub(super) fn hides_values(seen: &QuerySeen) -> bool {
    seen.protocol == QueryProtocol::Sqlite && has_placeholder(&seen.example)
}

/// The same for many values, if the text is one comparison of a column with a value, in a SELECT without functions.
pub(super) fn for_many(fingerprint: &str) -> Option<String> {
    let text = fingerprint.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches(';');
    let lower = text.to_ascii_lowercase();
    let (lower, text) = match lower.rfind(" limit ") {
        // One row for each value: a limit would apply to all.
        Some(end) => (&lower[..end], &text[..end]),
        None => (lower.as_str(), text),
    };
    let columns = lower.strip_prefix("select ").filter(|rest| !rest.starts_with("distinct "))?;
    let columns = &text[7..7 + columns.find(" from ")?];
    let from = lower.find(" where ")?;
    if columns.contains('(')
        || ["…", " or ", " union ", " group by ", "(select"].iter().any(|word| lower.contains(word))
    {
        return None;
    }
    let (start, end) = one_placeholder(text)?;
    let before = text[from + 7..start].strip_suffix("= ").or_else(|| text[from + 7..start].strip_suffix('='))?;
    let column = before.trim_end().rsplit([' ', '(']).next().filter(|column| is_column(column))?;
    let has = columns.split(',').any(|one| one.trim() == column || one.trim() == "*" || one.trim().ends_with(".*"));
    let key = if has { String::new() } else { format!("{column}, ") };
    let head = &text[7..from + 7 + before.trim_end().len()];
    Some(format!("SELECT {key}{head} IN (?+){}", &text[end..]))
}

/// The tables named after FROM and JOIN: not what views and functions read behind them.
pub(super) fn tables(fingerprint: &str) -> Vec<String> {
    let text = fingerprint.replace(['(', ')', ';'], " ").replace(',', " , ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut tables = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if !["from", "join"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword)) {
            continue;
        }
        // extract(year FROM …), substring(… FROM 2), trim(both FROM …)
        let before = at.checked_sub(3).and_then(|before| words.get(before)).copied().unwrap_or_default();
        if ["extract", "substring", "trim"].iter().any(|function| before.eq_ignore_ascii_case(function)) {
            continue;
        }
        // FROM a AS b, c: what follows a comma is a table too, up to the next keyword.
        let mut expects = true;
        while let Some(word) = words.get(at) {
            let bare: String = word.chars().filter(|letter| !matches!(letter, '"' | '`')).collect();
            let is_end = END_OF_TABLES.iter().any(|end| word.eq_ignore_ascii_case(end));
            if is_end || bare.is_empty() {
                break;
            }
            if *word == "," {
                expects = true;
            } else if expects && is_column(word) && !word.starts_with(|first: char| first.is_ascii_digit()) {
                tables.push(bare);
                expects = false;
            }
            at += 1;
        }
    }
    tables.sort_unstable();
    tables.dedup();
    tables
}

const END_OF_TABLES: &[&str] = &[
    "where", "join", "left", "right", "inner", "cross", "natural", "on", "using", "group", "order", "limit", "union",
    "having", "select", "from", "for", "set", "values",
];

fn one_placeholder(text: &str) -> Option<(usize, usize)> {
    let mut places = text.match_indices(['?', '$']);
    let (start, _) = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let digits = text[start + 1..].bytes().take_while(u8::is_ascii_digit).count();
    Some((start, start + 1 + digits))
}

fn is_column(text: &str) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '"' | '`');
    !text.is_empty() && text.chars().all(is_name)
}

#[cfg(test)]
mod tests;
