//! The principal type is [`Sent`]: the request of an experiment, and how it is sent.

use unladen_trace::{Carried, Evidence, State};

use crate::quoting::toml_text;

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
            missing.push(format!("the header {}, which may be a secret, belongs into `headers`", header.name));
        }
        if carried.body.as_ref().is_some_and(|body| body.text.is_none()) {
            missing.push("the body of the weighed request belongs here too, as `body`".to_owned());
        }
        // Older recordings do not say what a request carried.
        let is_personal = evidence.response.as_ref().is_some_and(|response| response.personal);
        if is_personal && carried.headers.iter().all(|header| header.value.is_some()) {
            missing.push("What the request carried belongs here too: headers = [\"Name: value\"]".to_owned());
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
                (name, _) => sent.missing.push(format!("the weighed request had {name}, which no experiment has")),
            }
        }
        sent
    }

    fn key(&mut self, key: &str, value: String) {
        self.load.push((key.to_owned(), value));
    }
}
