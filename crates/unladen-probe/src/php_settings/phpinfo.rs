//! The principal type is [`PhpInfo`]: the parsed output of `-i`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use unladen_trace::without_secrets;

/// Single settings that affect what a request costs.
const SETTINGS: [&str; 21] = [
    "auto_append_file",
    "auto_prepend_file",
    "display_errors",
    "display_startup_errors",
    "error_log",
    "error_reporting",
    "include_path",
    "log_errors",
    "max_execution_time",
    "memory_limit",
    "mysqli.allow_persistent",
    "open_basedir",
    "output_buffering",
    "pgsql.allow_persistent",
    "realpath_cache_size",
    "realpath_cache_ttl",
    "user_ini.cache_ttl",
    "user_ini.filename",
    "zend.assertions",
    "zend.detect_unicode",
    "zlib.output_compression",
];

/// Prefixes of others: caches, sessions, debuggers and profilers.
const FAMILIES: [&str; 22] = [
    "apc.",
    "appdynamics_agent.",
    "blackfire.",
    "datadog.",
    "ddtrace.",
    "elastic_apm.",
    "excimer.",
    "instana.",
    "memprof.",
    "newrelic.",
    "opcache.",
    "opentelemetry.",
    "pcov.",
    "scoutapm.",
    "session.",
    "skywalking_agent.",
    "spx.",
    "tideways.",
    "tideways_xhprof.",
    "uopz.",
    "xdebug.",
    "xhprof.",
];

/// Parts of names whose values are secret. Knowing `xdebug.trigger_value` or `spx.http_key` allows to start them.
const SECRETS: [&str; 9] = ["license", "passw", "pwd", "secret", "token", "key", "credential", "auth", "trigger_value"];

const LEFT_OUT: &str = "…";

const NOTHING: [&str; 3] = ["no value", "(none)", ""];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PhpInfo {
    pub(super) version: String,
    pub(super) sapi: String,
    pub(super) ini: String,
    pub(super) ini_folder: String,
    /// As PHP writes them, separated by commas and line breaks.
    pub(super) ini_files: String,
    ini_path: String,
    pub(super) extensions: Vec<String>,
    values: BTreeMap<String, String>,
    opcache_failure: Option<String>,
}

impl PhpInfo {
    /// Parses any text; php-cgi writes HTML.
    pub(super) fn parse(text: &str) -> Self {
        let plain;
        let text = if text.contains("<table") {
            plain = without_tags(text);
            &plain
        } else {
            text
        };
        let mut info = Self::default();
        let mut part = Part::Head;
        let mut lines = text.lines().peekable();
        let mut before = "";
        while let Some(line) = lines.next() {
            let line = line.trim_end();
            let after_blank = before.trim().is_empty();
            before = line;
            if line == "Configuration" {
                part = Part::Extensions;
                continue;
            }
            match (part, line) {
                (_, "Environment" | "PHP Variables") if after_blank => break,
                (Part::Extensions, "Additional Modules") => part = Part::Others,
                (Part::Extensions | Part::Directives, "") => part = Part::Extensions,
                (Part::Extensions, "Directive => Local Value => Master Value") => part = Part::Directives,
                (Part::Directives, _) => {
                    // Xdebug 3 still lists what Xdebug 2 had: `(setting renamed in Xdebug 3)`.
                    let known = line.split_once(" => ").filter(|(_, values)| !values.starts_with("(setting re"));
                    if let Some((name, values)) = known {
                        info.values.insert(name.to_owned(), value(local(values)));
                    }
                }
                (Part::Head | Part::Extensions, _) => match line.split_once(" => ") {
                    Some((name, text)) => {
                        let mut text = text.trim().to_owned();
                        // The only value that continues on the next line.
                        while text.ends_with(',') && name.starts_with("Additional .ini") {
                            let Some(next) = lines.next() else { break };
                            text = format!("{text}\n{}", next.trim());
                        }
                        info.note(name.trim(), value(&text));
                    }
                    None if part == Part::Extensions => {
                        let alone = after_blank && lines.peek().is_none_or(|next| next.trim().is_empty());
                        if alone && is_name(line) {
                            info.extensions.push(line.to_owned());
                        }
                    }
                    None => {}
                },
                (Part::Others, "Module Name" | "") => {}
                (Part::Others, name) if is_name(name) => info.extensions.push(name.to_owned()),
                (Part::Others, _) => {}
            }
        }
        info
    }

    fn note(&mut self, name: &str, value: String) {
        match name {
            "PHP Version" if self.version.is_empty() => self.version = value,
            "Server API" => self.sapi = value,
            "Configuration File (php.ini) Path" => self.ini_path = value,
            "Loaded Configuration File" => self.ini = value,
            "Scan this dir for additional .ini files" => self.ini_folder = value,
            "Additional .ini files parsed" => self.ini_files = value,
            "Startup Failed" => self.opcache_failure = Some(value),
            _ => {}
        }
    }

    pub(super) fn settings(&self) -> BTreeMap<String, String> {
        let wanted = self.values.iter().filter(|(name, _)| is_wanted(name));
        wanted.map(|(name, value)| (name.clone(), without_password(value))).collect()
    }

    pub(super) fn opcache_failure(&self) -> Option<&str> {
        self.opcache_failure.as_deref()
    }

    /// Whether it read all existing files: another user may not be allowed to.
    pub(super) fn is_complete(&self) -> bool {
        if self.ini.is_empty() && Path::new(&self.ini_path).join("php.ini").exists() {
            return false;
        }
        self.ini_folder.split(':').filter(|folder| !folder.is_empty()).all(|folder| {
            let Ok(entries) = fs::read_dir(folder) else { return true };
            let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.filter(|name| name.ends_with(".ini")).all(|name| self.ini_files.contains(&format!("/{name}")))
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Extensions,
    Directives,
    /// Extensions without output of their own.
    Others,
}

pub(super) fn is_wanted(name: &str) -> bool {
    let kept = SETTINGS.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family));
    kept && !SECRETS.iter().any(|secret| name.contains(secret))
}

/// A value without passwords. Session handlers take them in paths: `tcp://localhost:6379?auth=secret`,
/// `tcp://user:secret@host`, and for several servers `seed[]=cache1:6379&auth=secret`.
pub(super) fn without_password(value: &str) -> String {
    if let Some(end) = value.find("://")
        && value.contains(['?', '@', '&'])
    {
        let begin = value[..end].trim_end_matches(|letter: char| letter.is_ascii_alphanumeric()).len();
        // Text before may name another server with its own password.
        let before = if value[..begin].trim_matches(['"', '\'', ' ']).is_empty() { "" } else { LEFT_OUT };
        return format!("{before}{}://{LEFT_OUT}", &value[begin..end]);
    }
    if value.contains(['?', '&']) && value.contains('=') {
        return LEFT_OUT.to_owned();
    }
    without_secrets(value)
}

/// Whether a line is an extension's name: one or two words; some extensions write sentences there.
fn is_name(line: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ' | b'.');
    line.len() <= 40 && !line.starts_with(' ') && line.split(' ').count() <= 3 && line.bytes().all(plain)
}

fn local(values: &str) -> &str {
    const ARROW: &str = " => ";
    // A value may contain an arrow. Usually both values are equal.
    let half = values.len().saturating_sub(ARROW.len()) / 2;
    if values.len() == 2 * half + ARROW.len()
        && let (Some(first), Some(second)) = (values.get(..half), values.get(half + ARROW.len()..))
        && first == second
    {
        return first;
    }
    values.split_once(ARROW).map_or(values, |(local, _)| local)
}

fn value(text: &str) -> String {
    let text = text.trim();
    if NOTHING.contains(&text) { String::new() } else { text.to_owned() }
}

fn without_tags(html: &str) -> String {
    let spaced = html
        .replace("<h1>Configuration</h1>", "\nConfiguration\n")
        .replace("<h2>", "\n<h2>")
        .replace("</h2>", "</h2>\n")
        .replace(" </td><td", "</td><td")
        .replace("</td><td", "</td> => <td")
        .replace("</th><th", "</th> => <th")
        .replace("</table>", "</table>\n")
        .replace("<br />\n", "\n");
    let mut text = String::with_capacity(spaced.len());
    let mut rest = spaced.as_str();
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        rest = rest[start..].find('>').map_or("", |end| &rest[start + end + 1..]);
    }
    text.push_str(rest);
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#039;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests;
