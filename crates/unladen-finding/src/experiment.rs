//! The principal function is [`experiment`]: a whole file for `unladen prove` that switches a fix, for a
//! request ([`Sent`]).

use unladen_trace::{Carried, Evidence, State};

use crate::knob::{Knob, KnobService, KnobSite, Once, Part};
use crate::quoting::{quoted, toml_lines, toml_text};

/// Requests slower than this (ns) would make each arm take an hour: the time is given in place of a number of requests.
const SLOW_NS: u64 = 50_000_000;

/// An experiment, see `docs/reference/experiments.md`: `head` are comments above it, `name` is its file name without
/// the ending and also names its own files. `None` if no command is known that has the service read its settings.
pub fn experiment(head: &[String], title: &str, name: &str, knob: &Knob, sent: &Sent) -> Option<String> {
    let mut text: String = head.iter().map(|line| comment(line)).collect();
    if !title.is_empty() {
        text += &pair("title", &toml_text(title));
    }
    text += &pair("url", &toml_text(&sent.url));
    if !knob.changes.is_empty() {
        let changes: Vec<String> = knob.changes.iter().map(|part| toml_text(part)).collect();
        text += &pair("expect_change", &format!("[{}]", changes.join(", ")));
    }
    if let Some(restart) = sent.restart.as_ref().filter(|_| sent.is_fresh) {
        text += &comment(
            "The fix is for the first request of a fresh process: first requests are measured in \
            addition to the others.",
        );
        text += &pair("cold", &toml_text(restart));
    }
    text += "\n[load]\n";
    text += &load(knob, sent);
    let service = match &knob.service {
        Some(service) => {
            text += &of_service(service, sent)?;
            format!("restart = {}\n", toml_text(&service.name))
        }
        None => String::new(),
    };
    text += &format!("\n[[knob]]\nname = {}\n", toml_text(&knob.name));
    text += &sides(knob, name);
    text += &service;
    text.truncate(text.trim_end().len());
    Some(text)
}

fn load(knob: &Knob, sent: &Sent) -> String {
    let mut text = if sent.pace.is_empty() { "concurrency = 1\n".to_owned() } else { format!("{}\n", sent.pace) };
    text += match sent.latency_ns {
        Some(latency) if latency > SLOW_NS => "time = \"3min\"\n",
        _ => "requests = 400\n",
    };
    if !matches!(sent.method.as_str(), "" | "GET") {
        text += &pair("method", &toml_text(&sent.method));
    }
    let is_given = |name: &str| {
        let begins = |header: &String| header.split(':').next().is_some_and(|given| given.eq_ignore_ascii_case(name));
        sent.headers.iter().any(begins)
    };
    let host = knob.site.as_ref().map(|site| ("Host".to_owned(), site.host.clone()));
    let own = knob.header.iter().cloned().chain(host).filter(|(name, _)| !is_given(name));
    let own = own.map(|(name, value)| format!("{name}: {value}"));
    let headers: Vec<String> = sent.headers.iter().cloned().chain(own).map(|header| toml_text(&header)).collect();
    if !headers.is_empty() {
        text += &pair("headers", &format!("[{}]", headers.join(", ")));
    }
    if let Some(body) = &sent.body {
        text += &pair("body", &toml_text(body));
    }
    text += &sent.load.iter().map(|(key, value)| pair(key, value)).collect::<String>();
    text + &sent.missing.iter().map(|line| comment(line)).collect::<String>()
}

/// The user's own command is known to work; the service's is only the usual one for its kind.
fn restart<'a>(service: &'a KnobService, sent: &'a Sent) -> Option<&'a String> {
    let users = sent.restart.as_ref().filter(|_| service.is_application);
    users.or(service.restart.as_ref())
}

fn of_service(service: &KnobService, sent: &Sent) -> Option<String> {
    let restart = restart(service, sent)?;
    let mut text = format!("\n[[service]]\nname = {}\n", toml_text(&service.name));
    text += &pair("restart", &toml_text(restart));
    // A server that has just been started refuses for a while; a proxy in front of it then answers 502 to 504.
    if matches!(sent.method.as_str(), "" | "GET" | "HEAD") {
        let url = toml_text(&sent.url);
        text += &pair("ready", &format!("{{ url = {url}, status = \"100-501,505-599\" }}"));
    }
    Some(text)
}

fn sides(knob: &Knob, name: &str) -> String {
    let mut on: Vec<String> = knob.once.iter().map(makes).chain(knob.files.iter().map(of_file)).collect();
    let mut off = Vec::new();
    if let Some((there, back)) = &knob.commands {
        on.push(toml_text(there));
        off.push(toml_text(back));
    }
    let mut more = String::new();
    if let Some(site) = &knob.site {
        let file = format!("{name}.serve.toml");
        on.push(of_file(&Part { file: file.clone(), lines: site.lines.clone(), group: None }));
        on.push(toml_text(&start(&file)));
        on.push(format!("{{ url = {} }}", toml_text(&site.url)));
        off.push(toml_text(&stop(&file)));
        more = pair("ready", &format!("{{ command = {} }}", toml_text(&listens(site, &file))));
    }
    pair("on", &list(&on)) + &if off.is_empty() { String::new() } else { pair("off", &list(&off)) } + &more
}

fn of_file(part: &Part) -> String {
    format!("{{ file = {}, text = {} }}", toml_text(&part.file), toml_lines(&part.lines))
}

fn makes(once: &Once) -> String {
    let undo = once.undo.as_ref().map(|undo| format!(", undo = {}", toml_text(undo)));
    format!("{{ makes = {}, by = {}{} }}", toml_text(&once.makes), toml_text(&once.command), undo.unwrap_or_default())
}

fn list(sides: &[String]) -> String {
    match sides {
        [one] => one.clone(),
        several => format!("[\n  {},\n]", several.join(",\n  ")),
    }
}

/// Starts the site, keeps its process number to end it, and sends its output to a file, since nobody reads it.
fn start(file: &str) -> String {
    let of = |ending: &str| quoted(&format!("{file}{ending}"));
    format!("unladen serve --config {} >{} 2>&1 & echo $! >{}", of(""), of(".log"), of(".pid"))
}

fn stop(file: &str) -> String {
    let (pid, log) = (quoted(&format!("{file}.pid")), quoted(&format!("{file}.log")));
    format!(
        "test ! -e {pid} || {{ p=$(cat {pid}); kill \"$p\"; while kill -0 \"$p\" 2>/dev/null; do sleep 0.05; done; \
         rm -f {pid} {log}; }}"
    )
}

/// When switched on, a socket has to listen (state 0A in proc(5), net/tcp); when off, it need not.
fn listens(site: &KnobSite, file: &str) -> String {
    let pid = quoted(&format!("{file}.pid"));
    format!("test ! -e {pid} || grep -q ':{:04X} 00000000:0000 0A' /proc/net/tcp", site.port)
}

fn pair(key: &str, value: &str) -> String {
    format!("{key} = {value}\n")
}

fn comment(line: &str) -> String {
    let clean: String = line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("# {clean}\n")
}

/// The request of an experiment, and how it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sent {
    pub url: String,
    pub method: String,
    /// `Name: value`
    pub headers: Vec<String>,
    pub body: Option<String>,
    /// Further keys of `[load]` with TOML values: `("insecure", "true")`.
    pub load: Vec<(String, String)>,
    /// Pace of the requests, as a line of `[load]`; empty for one at a time.
    pub pace: String,
    /// What is missing because it is not known or not shown, a sentence each.
    pub missing: Vec<String>,
    /// User's command that makes the answering processes fresh.
    pub restart: Option<String>,
    /// First requests of such processes are judged.
    pub is_fresh: bool,
    pub latency_ns: Option<u64>,
}

impl Sent {
    /// The request of the page that was looked at, without its secrets.
    pub(crate) fn of(evidence: &Evidence) -> Self {
        let page = &evidence.page;
        let carried = &page.carried;
        let mut missing = Vec::new();
        for header in carried.headers.iter().filter(|header| header.value.is_none()) {
            missing.push(format!("add the header {}, which may be a secret, to `headers`", header.name));
        }
        if carried.body.as_ref().is_some_and(|body| body.text.is_none()) {
            missing.push("add the body of the weighed request here, as `body`".to_owned());
        }
        // Older recordings do not say what a request carried.
        let is_personal = evidence.response.as_ref().is_some_and(|response| response.personal);
        if is_personal && carried.headers.iter().all(|header| header.value.is_some()) {
            missing.push("Add the weighed request's headers: headers = [\"Name: value\"]".to_owned());
        }
        let request = Self::carrying(&page.url, &page.method, carried);
        missing.extend(request.missing.iter().cloned());
        Self {
            missing,
            restart: page.restart.clone(),
            is_fresh: evidence.state == State::Fresh,
            latency_ns: page.latency.map(|latency| latency.value.max(0.0) as u64),
            ..request
        }
    }

    /// A request that carries this, except what is hidden.
    pub fn carrying(url: &str, method: &str, carried: &Carried) -> Self {
        let given = carried.headers.iter().filter_map(|header| Some((&header.name, header.value.as_ref()?)));
        let mut sent = Self {
            url: url.to_owned(),
            method: method.to_owned(),
            headers: given.map(|(name, value)| format!("{name}: {value}")).collect(),
            body: carried.body.as_ref().and_then(|body| body.text.clone()),
            ..Self::default()
        };
        for option in &carried.options {
            let text = option.value.as_deref().map(toml_text);
            match (option.name.as_str(), text) {
                ("--insecure", None) => sent.key("insecure", "true".into()),
                ("--no-keepalive", None) => sent.key("keep_alive", "false".into()),
                ("--no-cookies", None) => sent.key("keep_cookies", "false".into()),
                ("--cacert", Some(file)) => sent.key("cacert", file),
                ("--http", Some(version)) => sent.key("http", version),
                ("--timeout", Some(time)) => sent.key("timeout", time),
                ("--expect-status", Some(statuses)) => sent.key("expect_status", statuses),
                (name, _) => sent.missing.push(format!(
                    "the weighed request had {name}, which an experiment cannot \
                    have"
                )),
            }
        }
        sent
    }

    fn key(&mut self, key: &str, value: String) {
        self.load.push((key.to_owned(), value));
    }
}

#[cfg(test)]
mod tests;
