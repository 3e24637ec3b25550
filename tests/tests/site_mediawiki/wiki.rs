//! The principal type is [`Visitor`]: who reads and edits the wiki through the site, with cookies of their own.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::LazyLock;

use nix::unistd::Uid;
use serde_json::Value;
use unladen_tests::{Answer, Subject, Wire};

/// MediaWiki and `unladen serve` in front of it, both with the settings that `docs/guides/mediawiki.md` tells.
pub(crate) static WIKI: LazyLock<Subject> = LazyLock::new(|| Subject::up_with("mediawiki", &[("UNLADEN_SITE", "on")]));

/// The same by HTTPS.
pub(crate) static TLS: LazyLock<Subject> = LazyLock::new(|| Subject::up_with("mediawiki", &[("UNLADEN_SITE", "tls")]));

/// The site's host and port.
pub(crate) fn host() -> &'static str {
    WIKI.get("SITE").strip_prefix("http://").unwrap()
}

/// Where a page is: as MediaWiki itself says it.
pub(crate) fn at(page: &str) -> String {
    format!("/index.php/{page}")
}

/// Has one of MediaWiki's own scripts do something, with what it reads; these settings come after those of the wiki.
pub(crate) fn maintenance(script: &str, args: &[&str], input: &str, settings: &str) {
    let file = tempfile::Builder::new().suffix(".php").tempfile().unwrap();
    let state = WIKI.get("STATE");
    std::fs::write(&file, format!("<?php\nrequire '{state}/LocalSettings.php';\n{settings}\n")).unwrap();
    // As whoever the database belongs to.
    let user: &[&str] = if Uid::effective().is_root() { &["runuser", "-u", "www-data", "--"] } else { &["env"] };
    std::fs::set_permissions(file.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let mut command = Command::new(user[0]);
    command.args(&user[1..]).arg("env").arg(format!("MW_CONFIG_FILE={}", file.path().display()));
    command.args(["php", &format!("/usr/share/mediawiki/maintenance/{script}")]).args(args);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let said = [done.stdout, done.stderr].concat();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&said));
}

/// Who reads and edits through the site. Their connection is kept.
pub(crate) struct Visitor {
    wire: Wire,
    cookies: BTreeMap<String, String>,
    token: Option<String>,
    /// Sent with each request: `"Accept-Encoding: gzip\r\n"`.
    pub(crate) more: String,
}

impl Visitor {
    /// Nobody that is known.
    pub(crate) fn anonymous() -> Self {
        let address: SocketAddr = host().parse().unwrap();
        Self { wire: Wire::tcp(address), cookies: BTreeMap::new(), token: None, more: String::new() }
    }

    /// The subject's editor, logged in.
    pub(crate) fn editor() -> Self {
        let mut visitor = Self::anonymous();
        let token = visitor.api("meta=tokens&type=login")["query"]["tokens"]["logintoken"].as_str().unwrap().to_owned();
        let done = visitor.post(&[
            ("action", "clientlogin"),
            ("username", WIKI.get("ACCOUNT")),
            ("password", WIKI.get("PASSWORD")),
            ("loginreturnurl", WIKI.get("SITE")),
            ("logintoken", &token),
        ]);
        assert_eq!(done["clientlogin"]["status"], "PASS", "{done}");
        let token = visitor.api("meta=tokens")["query"]["tokens"]["csrftoken"].as_str().unwrap().to_owned();
        visitor.token = Some(token);
        visitor
    }

    /// GET of a path.
    #[track_caller]
    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "", "")
    }

    /// The same, of which the answer is 200 and whole.
    #[track_caller]
    pub(crate) fn read(&mut self, path: &str) -> Answer {
        self.get(path).is(200)
    }

    /// Saves a page. When this returns, MediaWiki has answered.
    #[track_caller]
    pub(crate) fn edit(&mut self, page: &str, text: &str, summary: &str) {
        let token = self.token.clone().expect("an editor");
        let fields =
            [("action", "edit"), ("title", page), ("text", text), ("summary", summary), ("token", token.as_str())];
        let done = self.post(&fields);
        assert_eq!(done["edit"]["result"], "Success", "{done}");
    }

    #[track_caller]
    fn api(&mut self, query: &str) -> Value {
        let answer = self.read(&format!("/api.php?action=query&format=json&{query}"));
        serde_json::from_slice(&answer.body).unwrap()
    }

    #[track_caller]
    fn post(&mut self, fields: &[(&str, &str)]) -> Value {
        let mut body = "format=json".to_owned();
        for (name, value) in fields {
            write!(body, "&{name}=").unwrap();
            for byte in value.bytes() {
                match byte.is_ascii_alphanumeric() {
                    true => body.push(char::from(byte)),
                    false => write!(body, "%{byte:02X}").unwrap(),
                }
            }
        }
        let form = "Content-Type: application/x-www-form-urlencoded\r\n";
        let answer = self.send("POST", "/api.php", form, &body).is(200);
        serde_json::from_slice(&answer.body).unwrap()
    }

    #[track_caller]
    fn send(&mut self, method: &str, path: &str, more: &str, body: &str) -> Answer {
        let pairs: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = if pairs.is_empty() { String::new() } else { format!("Cookie: {}\r\n", pairs.join("; ")) };
        let (host, own, length) = (host(), &self.more, body.len());
        let answer = self.wire.ask(format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{cookies}{own}{more}Content-Length: {length}\r\n\r\n{body}"
        ));
        for (_, set) in answer.fields.iter().filter(|(name, _)| name == "set-cookie") {
            let (name, value) = set.split(';').next().and_then(|pair| pair.split_once('=')).unwrap();
            match value {
                "" | "deleted" => self.cookies.remove(name),
                _ => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        answer
    }
}

/// Whether an answer came from memory.
#[track_caller]
pub(crate) fn is_hit(answer: &Answer) -> bool {
    answer.field("cache-status").expect("Cache-Status").starts_with("unladen; hit")
}

/// Who MediaWiki thought was reading a page.
#[track_caller]
pub(crate) fn reader(answer: &Answer) -> Option<String> {
    let text = answer.text();
    let (_, rest) = text.split_once("\"wgUserName\":").expect("a page says for whom it is");
    rest.strip_prefix('"').map(|rest| rest.split('"').next().unwrap_or_default().to_owned())
}

/// The highest number behind a word in a page.
pub(crate) fn newest(answer: &Answer, word: &str) -> Option<u64> {
    let text = answer.text();
    let numbers = text.match_indices(word).map(|(at, _)| {
        let rest = &text[at + word.len()..];
        &rest[..rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len())]
    });
    numbers.filter_map(|number| number.parse().ok()).max()
}
