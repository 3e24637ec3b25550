//! How to see that a fix works.

use unladen_trace::{Evidence, State};

/// By weighing again; what first requests of fresh processes did, by making them fresh again.
pub(crate) fn weigh(evidence: &Evidence) -> String {
    match evidence.page.restart.as_deref().filter(|_| evidence.state == State::Fresh) {
        Some(command) => weigh_fresh(evidence, command),
        None => format!("unladen weigh {}", word(&evidence.page.url)),
    }
}

/// By profiling again.
pub(crate) fn profile(evidence: &Evidence) -> String {
    let fresh = if evidence.state == State::Fresh { " --fresh" } else { "" };
    format!("unladen profile{fresh} {}", word(&evidence.page.url))
}

/// By weighing first requests of the processes that a command makes fresh.
pub(crate) fn weigh_fresh(evidence: &Evidence, command: &str) -> String {
    format!("unladen weigh --restart {} {}", quoted(command), word(&evidence.page.url))
}

/// A word as a shell takes it: in quotes only where it needs them.
pub(crate) fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-+%,@=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// By `unladen prove`: a whole experiment with a knob that writes a file and a service that reads it, see
/// `docs/reference/experiments.md`. The service: its name, and the command that has it read its settings.
pub(crate) fn knob(
    evidence: &Evidence,
    name: &str,
    file: &str,
    lines: &[String],
    (service, restart): (&str, &str),
) -> String {
    let page = &evidence.page;
    let mut load = String::from("concurrency = 1\nrequests = 400\n");
    if !matches!(page.method.as_str(), "" | "GET") {
        load += &format!("method = {}\n", toml_text(&page.method));
    }
    if evidence.response.as_ref().is_some_and(|response| response.personal) {
        load += "# What the request carried belongs here too: headers = [\"Name: value\"]\n";
    }
    format!(
        "unladen prove try.toml, where try.toml is:\nurl = {url}\n\n[load]\n{load}\n[[service]]\nname = {service}\nrestart = {}\n\n\
         [[knob]]\nname = {}\non = {{ file = {}, text = {} }}\nrestart = {service}",
        toml_text(restart),
        toml_text(name),
        toml_text(file),
        toml_lines(lines),
        url = toml_text(&page.url),
        service = toml_text(service),
    )
}

/// Lines as TOML writes them: one as a text, several as they are. What would have to be escaped there is escaped as a
/// text.
fn toml_lines(lines: &[String]) -> String {
    let plain = lines.len() > 1 && lines.iter().all(|line| !line.contains("'''") && !line.contains(char::is_control));
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    if plain { format!("'''\n{text}'''") } else { toml_text(&text) }
}

/// A text as TOML writes it.
pub(crate) fn toml_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '\n' => escaped.push_str("\\n"),
            control if control.is_control() => escaped.push_str(&format!("\\u{:04X}", u32::from(control))),
            letter => escaped.push(letter),
        }
    }
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use unladen_trace::Page;

    use super::*;

    fn page(url: &str, state: State) -> Evidence {
        let restart = Some("systemctl restart 'a b'".to_owned());
        Evidence { page: Page { url: url.into(), restart, ..Page::default() }, state, ..Evidence::default() }
    }

    #[test]
    fn what_only_a_fresh_process_does_was_to_be_seen_without_a_restart() {
        assert_eq!(
            weigh(&page("http://a/", State::Fresh)),
            r"unladen weigh --restart 'systemctl restart '\''a b'\''' http://a/"
        );
        assert_eq!(weigh(&page("http://a/", State::Warm)), "unladen weigh http://a/");
    }

    #[test]
    fn toml_takes_no_control_characters() {
        assert_eq!(toml_text("a \\ \"b\"\n\u{1}\u{85}é"), r#""a \\ \"b\"\n\u0001\u0085é""#);
    }

    #[test]
    fn a_shell_took_the_url_apart() {
        assert_eq!(weigh(&page("http://a/?b=1&c", State::Warm)), "unladen weigh 'http://a/?b=1&c'");
    }
}
