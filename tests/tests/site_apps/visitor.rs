//! The principal type is [`Visitor`]: who asks a site over HTTP, with cookies of their own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;

use unladen_tests::{Answer, Wire};

/// Who asks a site over HTTP, with cookies of their own, on a connection for each request.
#[derive(Debug)]
pub(crate) struct Visitor {
    address: SocketAddr,
    host: String,
    cookies: BTreeMap<String, String>,
}

impl Visitor {
    /// Nobody that is known.
    pub(crate) fn anonymous(address: SocketAddr) -> Self {
        Self { address, host: address.to_string(), cookies: BTreeMap::new() }
    }

    /// GET of a path.
    #[track_caller]
    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "", "")
    }

    /// GET of a path whose answer is 200.
    #[track_caller]
    pub(crate) fn read(&mut self, path: &str) -> Answer {
        self.get(path).is(200)
    }

    /// POST of a form.
    #[track_caller]
    pub(crate) fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let mut body = String::new();
        for (name, value) in fields {
            let _ = write!(body, "{}{}={}", if body.is_empty() { "" } else { "&" }, encoded(name), encoded(value));
        }
        self.send("POST", path, "Content-Type: application/x-www-form-urlencoded\r\n", &body)
    }

    /// Whether it has a cookie whose name begins so.
    pub(crate) fn has_cookie(&self, name: &str) -> bool {
        self.cookies.keys().any(|own| own.starts_with(name))
    }

    #[track_caller]
    fn send(&mut self, method: &str, path: &str, more: &str, body: &str) -> Answer {
        let pairs: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = if pairs.is_empty() { String::new() } else { format!("Cookie: {}\r\n", pairs.join("; ")) };
        let (host, length) = (&self.host, body.len());
        let answer = Wire::tcp(self.address).ask(format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{cookies}{more}Content-Length: {length}\r\n\r\n{body}"
        ));
        for (_, set) in answer.fields.iter().filter(|(name, _)| name == "set-cookie") {
            let (name, value) = set.split(';').next().and_then(|pair| pair.split_once('=')).expect("a cookie's pair");
            let is_past = set.to_ascii_lowercase().contains("max-age=0") || set.contains("=deleted");
            match value.trim() {
                "" | "+" | "%20" => self.cookies.remove(name),
                _ if is_past => self.cookies.remove(name),
                value => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        answer
    }
}

/// As a form has it.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => encoded.push(char::from(byte)),
            _ => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

/// What stands in a page between these.
#[track_caller]
pub(crate) fn between<'a>(page: &'a str, before: &str, after: &str) -> &'a str {
    let rest = page.split_once(before).map(|(_, rest)| rest);
    let found = rest.and_then(|rest| rest.split_once(after)).map(|(found, _)| found);
    found.unwrap_or_else(|| panic!("no {before:?} … {after:?} in\n{page}"))
}
