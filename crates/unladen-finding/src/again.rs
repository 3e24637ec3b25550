//! How to see that a cure works.

use unladen_trace::Evidence;

/// By weighing again.
pub(crate) fn weigh(evidence: &Evidence) -> String {
    format!("unladen weigh {}", evidence.page.url)
}

/// By `unladen prove`: the lines of a knob that writes a file, see `docs/experiments.md`.
pub(crate) fn knob(name: &str, file: &str, lines: &[String], restart: &str) -> String {
    format!(
        "unladen prove, with this knob in its file:\n[[knob]]\nname = {}\non = {{ file = {}, text = {} }}\nrestart = {}",
        toml_text(name),
        toml_text(file),
        toml_lines(lines),
        toml_text(restart)
    )
}

/// Lines as TOML writes them: one as a text, several as they are. What would have to be escaped there is escaped as a text.
fn toml_lines(lines: &[String]) -> String {
    let plain = lines.len() > 1 && lines.iter().all(|line| !line.contains("'''") && !line.contains(char::is_control));
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    if plain { format!("'''\n{text}'''") } else { toml_text(&text) }
}

/// A text as TOML writes it.
fn toml_text(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
