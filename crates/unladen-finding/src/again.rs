//! How to see that a cure works.

use unladen_trace::Evidence;

/// By weighing again.
pub(crate) fn weigh(evidence: &Evidence) -> String {
    format!("unladen weigh {}", evidence.page.url)
}

/// By `unladen prove`: the lines of a knob that writes a file, see `docs/experiments.md`.
pub(crate) fn knob(name: &str, file: &str, lines: &[String], restart: &str) -> String {
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    format!(
        "[[knob]]\nname = {}\non = {{ file = {}, text = {} }}\nrestart = {}",
        toml_text(name),
        toml_text(file),
        toml_text(&text),
        toml_text(restart)
    )
}

/// A text as TOML writes it.
fn toml_text(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
