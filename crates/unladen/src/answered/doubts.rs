//! Why an answer may not be the page that was meant: [`Doubt`].

use serde_json::Value;
use unladen_document::Answer;

use super::text::inert;

/// Words that identify error pages, in the most common languages of the web, one a line; `#` begins a comment. They are
/// compared with a whole part of a title, without digits and punctuation: `Error handling in Rust` is no error.
const ERRORS: &str = include_str!("errors.txt");
/// The same of login pages.
const LOGINS: &str = include_str!("logins.txt");
/// What programs print in place of a page, with status 200.
const PRINTED: &[&str] = &[
    "<b>Fatal error</b>:",
    "<b>Parse error</b>:",
    "PHP Fatal error:",
    "Uncaught Exception:",
    "Traceback (most recent call last)",
    "Software error:",
    "Error establishing a database connection",
];

/// Members of JSON that say that a request failed, unless null, false or empty.
const FAILED: &[&str] = &["error", "errors", "exception", "fault", "error_message", "errorMessage", "error_code"];

/// Members of JSON that say that a request failed if they are `false`.
const SUCCEEDED: &[&str] = &["success", "ok"];
/// Separators between the parts of a title.
const BETWEEN: [&str; 10] = [" - ", " | ", " – ", " — ", " · ", " :: ", ": ", " ‹ ", " › ", " « "];
/// A page with a password field and less text than this, in bytes, is hardly more than that field.
const LITTLE_TEXT: usize = 600;
/// Two pages differ if one is this many times as large and that many bytes larger; less may be a clock or a token.
const TIMES: u64 = 3;
const MORE: u64 = 512;

/// A common browser's User-Agent.
pub(super) const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

const STOP: &str = "name a text that only the right answer contains (--expect-body TEXT)";
const NO_LOGIN: &str = ": send the cookie of a logged-in user (-b 'NAME=VALUE').";
const OTHER_LOGIN: &str = ", though a cookie or login was sent: the session may have expired, or belong to another \
                           browser: send that browser's User-Agent, too (-A 'NAME').";

/// Why an answer may not be the page that was meant. Its `Display` says what to do.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub(super) enum Doubt {
    /// The page of an error.
    #[display("this looks like an error page ({sign}), though its status is {status}: correct the request, or {STOP}.")]
    Error { sign: String, status: u16 },
    /// JSON that says the request failed.
    #[display("the answer reports a failure ({sign}), though its status is {status}: correct the request, or {STOP}.")]
    Failed { sign: String, status: u16 },
    /// A login page.
    #[display("this looks like a login page ({sign}){}", if *is_known { OTHER_LOGIN } else { NO_LOGIN })]
    Login { sign: String, is_known: bool },
    /// A browser gets another answer.
    #[display("a browser gets a different answer: {told}. To get that one, send its name (-A '{BROWSER}').")]
    Browser { told: String },
}

pub(super) struct Page<'a> {
    /// Decoded; empty if that failed.
    pub(super) body: &'a str,
    pub(super) text: &'a str,
    pub(super) json: Option<&'a Value>,
    /// The URL is that of a login.
    pub(super) is_login: bool,
    /// A cookie or credentials were sent.
    pub(super) is_known: bool,
}

pub(super) fn doubts(answer: &Answer, page: &Page<'_>) -> Option<Doubt> {
    let status = answer.status;
    // The user accepts another status.
    if !(200..300).contains(&status) {
        return None;
    }
    if let Some(sign) = page.json.and_then(failed) {
        return Some(Doubt::Failed { sign, status });
    }
    let quoted = |text: &str| format!("\"{text}\"");
    if is_titled(&answer.title, ERRORS, true) {
        return Some(Doubt::Error { sign: quoted(&answer.title), status });
    }
    if let Some(printed) = PRINTED.iter().find(|printed| page.body.contains(**printed)) {
        return Some(Doubt::Error { sign: quoted(&inert(printed.trim_end_matches(':'))), status });
    }
    if page.is_login {
        return None;
    }
    let is_known = page.is_known;
    if is_titled(&answer.title, LOGINS, false) {
        return Some(Doubt::Login { sign: quoted(&answer.title), is_known });
    }
    // Many pages have a small login form in a corner.
    let asks = has_password(page.body) && (is_known || page.text.trim().len() < LITTLE_TEXT);
    asks.then(|| Doubt::Login { sign: "a form that asks for a password".to_owned(), is_known })
}

/// Doubt if a browser gets another answer. `again` is our second answer: what differs from it varies by itself.
pub(super) fn browsers(ours: &Answer, again: &Answer, browsers: &Answer) -> Option<Doubt> {
    let differs = is_alike(ours, again) && !is_alike(ours, browsers);
    differs.then(|| Doubt::Browser { told: browsers.told() })
}

/// Whether two answers may be the same page, as far as sizes tell.
pub(crate) fn is_alike(a: &Answer, b: &Answer) -> bool {
    let (less, more) = (a.content_bytes().min(b.content_bytes()), a.content_bytes().max(b.content_bytes()));
    // The size of a packed body that could not be unpacked says nothing.
    let is_known =
        a.coding == b.coding || [a, b].iter().all(|one| one.coding.is_empty() || one.decoded_bytes.is_some());
    let is_much = is_known && more > less.saturating_mul(TIMES) && more - less > MORE;
    (a.status, &a.media_type, &a.title) == (b.status, &b.media_type, &b.title) && !is_much
}

fn is_titled(title: &str, known: &str, with_status: bool) -> bool {
    let known = || known.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut parts = vec![title];
    for between in BETWEEN {
        parts = parts.into_iter().flat_map(|part| part.split(between)).collect();
    }
    parts.iter().any(|part| {
        let words: Vec<String> = part
            .split_whitespace()
            .map(|word| word.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect())
            .filter(|word: &String| !word.is_empty())
            .collect();
        let words = words.join(" ");
        let is_status = |word: &str| word.len() == 3 && matches!(word.parse(), Ok(400_u16..=599));
        let has_status = with_status && part.split(|c: char| !c.is_ascii_alphanumeric()).any(is_status);
        known().any(|known| known == words) || has_status && known().any(|known| words.contains(known))
    })
}

fn failed(json: &Value) -> Option<String> {
    let members = json.as_object()?;
    let is_said = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty() && text != "0",
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(all) => !all.is_empty(),
        Value::Object(all) => !all.is_empty(),
        Value::Bool(true) => true,
    };
    let shown = |name: &str, value: &Value| match value {
        Value::String(text) => inert(&unladen_trace::without_secrets(&format!("\"{name}\": \"{text}\""))),
        Value::Number(_) | Value::Bool(_) => format!("\"{name}\": {value}"),
        Value::Object(members) => match members.get("message").and_then(Value::as_str) {
            Some(message) => inert(&unladen_trace::without_secrets(&format!("\"{name}\": \"{message}\""))),
            None => format!("\"{name}\": …"),
        },
        _ => format!("\"{name}\": …"),
    };
    let said = FAILED.iter().filter_map(|name| Some((*name, members.get(*name)?)));
    let said = said.filter(|(_, value)| is_said(value)).map(|(name, value)| shown(name, value)).next();
    let unsuccessful = || {
        let name = SUCCEEDED.iter().find(|name| members.get(**name) == Some(&Value::Bool(false)))?;
        Some(format!("\"{name}\": false"))
    };
    let by_status = || {
        let status = members.get("status")?.as_str()?;
        matches!(status, "error" | "fail" | "failed" | "failure").then(|| format!("\"status\": \"{status}\""))
    };
    said.or_else(unsuccessful).or_else(by_status)
}

fn has_password(body: &str) -> bool {
    let lower = body.to_ascii_lowercase();
    let mut inputs = lower.split("<input").skip(1).filter_map(|rest| rest.split('>').next());
    inputs.any(|input| {
        let mut kinds = input.split("type").skip(1).map(|rest| rest.trim_start().trim_start_matches('=').trim_start());
        kinds.any(|kind| kind.trim_start_matches(['"', '\'']).starts_with("password"))
    })
}

#[cfg(test)]
mod tests;
