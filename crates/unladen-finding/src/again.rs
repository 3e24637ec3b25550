//! Commands that check whether a fix works.

use unladen_trace::{Evidence, OptionCarried, State};

use crate::experiment::{Sent, experiment};
use crate::fix::Fix;
use crate::knob::Knob;
use crate::quoting::{quoted, secret, unit_word, word};

/// Printable options, and whether they take a value: recorded evidence may say anything.
const OPTIONS: [(&str, bool); 13] = [
    ("--http", true),
    ("--no-keepalive", false),
    ("--no-cookies", false),
    ("--unix-socket", true),
    ("--connect-to", true),
    ("--timeout", true),
    ("--insecure", false),
    ("--cacert", true),
    ("--cert", true),
    ("--key", true),
    ("--expect-status", true),
    ("--expect-body", true),
    ("--expect-same", false),
];

pub(crate) fn of(evidence: &Evidence, fix: &Fix) -> String {
    let sent = Sent::of(evidence);
    match fix.knob.as_ref().and_then(|knob| experiment(&[], "", "try", knob, &sent)) {
        Some(text) => format!("unladen prove try.toml, where try.toml is:\n{text}"),
        None => weigh(evidence),
    }
}

/// Command that weighs again; first requests of fresh processes need fresh processes again.
pub(crate) fn weigh(evidence: &Evidence) -> String {
    match evidence.page.restart.as_deref().filter(|_| evidence.state == State::Fresh) {
        Some(command) => weigh_fresh(evidence, command),
        None => format!("unladen weigh{}{} {}", host(evidence), request(evidence, false), url(&evidence.page.url)),
    }
}

/// The recorded host alone: the command that leads there may hold a secret.
fn host(evidence: &Evidence) -> String {
    let option = |host: &String| format!(" --host {}={}", word(host), secret(&format!("host_{host}")));
    evidence.host.as_ref().map(option).unwrap_or_default()
}

/// The command that profiles the page, with all that its request carries.
pub fn profile(evidence: &Evidence) -> String {
    let fresh = if evidence.state == State::Fresh { " --fresh" } else { "" };
    format!("unladen profile{fresh}{} {}", request(evidence, false), url(&evidence.page.url))
}

pub(crate) fn weigh_fresh(evidence: &Evidence, command: &str) -> String {
    let request = request(evidence, false);
    let host = host(evidence);
    format!("unladen weigh{host} --restart {}{request} {}", quoted(command), url(&evidence.page.url))
}

/// Requests the page directly, and through the front under the same host name.
pub(crate) fn through(evidence: &Evidence, front: &str, host: &str, knob: Option<&Knob>) -> String {
    let request = request(evidence, true);
    // Without this header, the effect of the fix would show on neither side.
    let is_given = |name: &str| evidence.page.carried.headers.iter().any(|given| given.name.eq_ignore_ascii_case(name));
    let header = knob.and_then(|knob| knob.header.as_ref()).filter(|(name, _)| !is_given(name));
    let header = header.map(|(name, value)| format!(" -H {}", word(&format!("{name}: {value}")))).unwrap_or_default();
    let changes = knob.iter().flat_map(|knob| &knob.changes);
    let changes: String = changes.map(|part| format!(" --expect-change {}", word(part))).collect();
    format!(
        "unladen prove --a {} --b {} -H {}{header}{request}{changes} --concurrency 8",
        word(&evidence.page.url),
        word(front),
        word(&format!("Host: {host}"))
    )
}

/// A line of a systemd unit that has curl send the request once the service has started, without secrets: for pages
/// without a login. `None` if the request may change something. curl's failure does not stop the service, and it
/// retries, since one of `Type=simple` may listen a moment later.
pub(crate) fn exec_start_post(evidence: &Evidence) -> Option<String> {
    let (page, carried) = (&evidence.page, &evidence.page.carried);
    let method = match page.method.as_str() {
        _ if carried.body.is_some() => return None,
        "" | "GET" => "",
        "HEAD" => " -I",
        _ => return None,
    };
    // Without -g, curl takes brackets and braces of a URL for several URLs.
    let mut text = format!("ExecStartPost=-curl -g -s -o /dev/null --retry 5 --retry-connrefused{method}");
    for option in &carried.options {
        match (option.name.as_str(), &option.value) {
            ("--insecure", _) => text += " -k",
            ("--cacert" | "--unix-socket", Some(file)) => text += &format!(" {} {}", option.name, unit_word(file)),
            ("--connect-to", Some(address)) => text += &format!(" --connect-to {}", unit_word(&format!("::{address}"))),
            _ => {}
        }
    }
    for header in &carried.headers {
        if let Some(value) = &header.value {
            text += &format!(" -H {}", unit_word(&format!("{}: {value}", header.name)));
        }
    }
    Some(format!("{text} {}", unit_word(&page.url)))
}

/// curl options that send the weighed request again, each after a space. Secrets are shell variables.
fn request(evidence: &Evidence, has_host: bool) -> String {
    let page = &evidence.page;
    let carried = &page.carried;
    let mut text = String::new();
    let is_get = matches!(page.method.as_str(), "" | "GET");
    if !is_get || carried.body.is_some() {
        text += &format!(" -X {}", word(if page.method.is_empty() { "GET" } else { &page.method }));
    }
    for header in carried.headers.iter().filter(|header| !has_host || !header.name.eq_ignore_ascii_case("host")) {
        text += &match &header.value {
            Some(value) => format!(" -H {}", word(&format!("{}: {value}", header.name))),
            None => format!(" -H {}{}", quoted(&format!("{}: ", header.name)), secret(&header.name)),
        };
    }
    if let Some(body) = &carried.body {
        text += &match &body.text {
            // Joined by `=`, it is the body whatever it begins with.
            Some(body) => format!(" --data-raw={}", word(body)),
            None => format!(" --data-raw={}", secret("body")),
        };
    }
    text + &carried.options.iter().filter_map(option).collect::<String>()
}

fn option(option: &OptionCarried) -> Option<String> {
    let (name, takes) = OPTIONS.into_iter().find(|(name, _)| *name == option.name)?;
    match (&option.value, takes) {
        (Some(value), true) => Some(format!(" {name}={}", word(value))),
        (None, false) => Some(format!(" {name}")),
        _ => None,
    }
}

/// Quotes a URL so that it is no option whatever it begins with.
fn url(text: &str) -> String {
    if text.starts_with('-') { format!("-- {}", word(text)) } else { word(text) }
}

#[cfg(test)]
mod tests;
