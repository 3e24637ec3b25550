use std::fmt::Write;

use unladen_http1::Fault;

use super::*;
use unladen_observability::Reason;

const PAGE: &str = include_str!("../../../../../docs/reference/serve.md");

/// As little as brings every key up, so that all else is a default.
const LEAST_OF_ALL: &str = "
[admin]
listen = '127.0.0.1:6190'
[log]
[otlp]
endpoint = 'http://127.0.0.1:4318'
[fleet]
purges = 'valkey://127.0.0.1'
[tier]
peers = ['http://10.0.0.1:8080', 'http://10.0.0.2:8080']
secret_file = 'tier.secret'
[[outbound]]
name = 'search'
listen = '127.0.0.1:6102'
upstream = 'https://search.example'
health.path = '/up'
[[outbound.rate]]
rate = 10
[[site]]
listen = '127.0.0.1:8081'
upstream = 'http://127.0.0.1:8080'
breaker = true
cache.country.database = 'country.mmdb'
queue.running = 4
snapshot.file = '/var/lib/unladen/site.snapshot'
[[site.validator]]
path = '/'
head = true
[[site]]
hosts = 'php.example'
listen = '127.0.0.1:8082'
acme = {}
php = '/run/php.sock'
root = '/var/www'
fastcgi = {}
files = {}
[[site.route]]
path = '/x'
upstream = 'http://127.0.0.1:9000'
cache = false
";

/// The tables of docs/reference/serve.md, as they have to be.
fn reference() -> String {
    let explained = parse(LEAST_OF_ALL).unwrap().explained;
    let off: Vec<Explained> = parse(&format!("{LEAST}{SITE}")).unwrap().explained;
    let mut text = String::new();
    let mut table = None;
    for key in keys::all() {
        if table != Some(key.table) {
            table = Some(key.table);
            let place = match key.table {
                "" => "The top level".to_owned(),
                "upstream" => "`upstream`, each of several".to_owned(),
                "tls" => "`tls`, each of several".to_owned(),
                table => {
                    let places: Vec<String> =
                        keys::headed(key.table).iter().map(|place| format!("`{place}`")).collect();
                    let own = if table.starts_with("site.") { ", where its defaults are others" } else { "" };
                    format!("{}{own}", places.join(" and "))
                }
            };
            let _ = write!(text, "\n### {place}\n\n| key | value | what | default |\n|---|---|---|---|\n");
        }
        let is_key = |one: &&Explained| (one.key.table, one.key.name) == (key.table, key.name);
        // What is off by itself is told of a file that does not speak of it.
        let one = off.iter().find(is_key).or_else(|| explained.iter().find(is_key));
        // What has to be said for the others to come up is no default.
        let is_said =
            |one: &&Explained| matches!(one.origin, ValueOrigin::Said(_)) && matches!(key.table, "site" | "route");
        let one = one.filter(|one| !is_said(one)).map(|one| one.value.to_string());
        let default = match (key.table, key.name) {
            _ if key.why.is_empty() => "(required)".to_owned(),
            ("", "threads") => format!("the CPUs: {}", key.why),
            ("rate", "burst")
            | ("queue", "running")
            | ("validator", "head")
            | ("site", "tls")
            | ("snapshot", "file")
            | ("route", "name" | "cache") => key.why.to_owned(),
            ("upstream", "weight") => format!("`1`: {}", key.why),
            _ => match one.as_deref() {
                Some("none") | None => key.why.to_owned(),
                Some(value) => format!("`{value}`: {}", key.why),
            },
        };
        let _ = writeln!(text, "| `{}` | {} | {} | {default} |", key.name, key.form, key.about);
    }
    text.trim_start().to_owned()
}

#[test]
fn every_key_is_documented_with_its_default() {
    let expected = reference();
    let (_, rest) = PAGE.split_once("<!-- of the keys -->\n\n").unwrap();
    let (written, _) = rest.split_once("\n<!-- so far -->").unwrap();
    assert_eq!(written, expected, "docs/reference/serve.md should have:\n{expected}");
}

/// Every example of the page is one.
#[test]
fn the_examples_are_configurations() {
    let examples: Vec<&str> = PAGE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 2, "{examples:?}");
    for example in examples {
        let config = parse(example).unwrap_or_else(|error| panic!("{error}\n{example}"));
        assert!(config.warnings.is_empty(), "{:?}\n{example}", config.warnings);
    }
}

/// All there are: a new one does not compile before it is here, and is not in the page before the test says so.
fn every_reason() -> Vec<Reason> {
    fn next(reason: Reason) -> Option<Reason> {
        Some(match reason {
            Reason::Malformed(Fault::HeadTooLong) => Reason::Malformed(Fault::TooManyFields),
            Reason::Malformed(Fault::TooManyFields) => Reason::Malformed(Fault::StartLine),
            Reason::Malformed(Fault::StartLine) => Reason::Malformed(Fault::Version),
            Reason::Malformed(Fault::Version) => Reason::Malformed(Fault::Field),
            Reason::Malformed(Fault::Field) => Reason::Malformed(Fault::LineEnd),
            Reason::Malformed(Fault::LineEnd) => Reason::Malformed(Fault::Target),
            Reason::Malformed(Fault::Target) => Reason::Malformed(Fault::Host),
            Reason::Malformed(Fault::Host) => Reason::Malformed(Fault::ContentLength),
            Reason::Malformed(Fault::ContentLength) => Reason::Malformed(Fault::TwoLengths),
            Reason::Malformed(Fault::TwoLengths) => Reason::Malformed(Fault::TransferEncoding),
            Reason::Malformed(Fault::TransferEncoding) => Reason::Malformed(Fault::Chunk),
            Reason::Malformed(Fault::Chunk) => Reason::Malformed(Fault::Trailers),
            Reason::Malformed(Fault::Trailers) => Reason::Malformed(Fault::Method),
            Reason::Malformed(Fault::Method) => Reason::BodyTooLarge,
            Reason::BodyTooLarge => Reason::ClientTimeout,
            Reason::ClientTimeout => Reason::RateLimited,
            Reason::RateLimited => Reason::BreakerOpen,
            Reason::BreakerOpen => Reason::TooManyRequests,
            Reason::TooManyRequests => Reason::TooManyPending,
            Reason::TooManyPending => Reason::NoEndpoint,
            Reason::NoEndpoint => Reason::ConnectFailed,
            Reason::ConnectFailed => Reason::ConnectTimeout,
            Reason::ConnectTimeout => Reason::TlsFailed,
            Reason::TlsFailed => Reason::UpstreamClosed,
            Reason::UpstreamClosed => Reason::UpstreamTimeout,
            Reason::UpstreamTimeout => Reason::UpstreamMalformed,
            Reason::UpstreamMalformed => Reason::UpstreamStatus,
            Reason::UpstreamStatus => Reason::DeadlineExceeded,
            Reason::DeadlineExceeded => Reason::NoUpgrade,
            Reason::NoUpgrade => Reason::Draining,
            Reason::Draining => Reason::TooManyOfClient,
            Reason::TooManyOfClient => Reason::OnlyIfCached,
            Reason::OnlyIfCached => Reason::PurgeForbidden,
            Reason::PurgeForbidden => Reason::BufferFull,
            Reason::BufferFull => Reason::TooManyUploads,
            Reason::TooManyUploads => Reason::DiskFailed,
            Reason::DiskFailed => Reason::OutOfFiles,
            Reason::OutOfFiles => Reason::QueueFull,
            Reason::QueueFull => Reason::QueueTimeout,
            Reason::QueueTimeout => Reason::Overloaded,
            Reason::Overloaded => Reason::BacklogFull,
            Reason::BacklogFull => Reason::BadPath,
            Reason::BadPath => Reason::NotFound,
            Reason::NotFound => Reason::FileDenied,
            Reason::FileDenied => Reason::MethodNotAllowed,
            Reason::MethodNotAllowed => Reason::FileFailed,
            Reason::FileFailed => Reason::Misdirected,
            Reason::Misdirected => Reason::Unauthorized,
            Reason::Unauthorized => Reason::AccessForbidden,
            Reason::AccessForbidden => Reason::NotForPeers,
            Reason::NotForPeers => Reason::LoopDetected,
            Reason::LoopDetected => return None,
        })
    }
    std::iter::successors(Some(Reason::Malformed(Fault::HeadTooLong)), |reason| next(*reason)).collect()
}

#[test]
fn every_reason_is_documented_with_its_status() {
    let (_, section) = PAGE.split_once("## What an answer says").unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).collect();
    for reason in every_reason() {
        let (name, status) = (format!("`{}`", reason.as_str()), format!("| {} |", reason.status()));
        let row = rows.iter().find(|row| row.contains(&name)).unwrap_or_else(|| panic!("no row has {name}"));
        assert!(row.starts_with(&status), "{name} is {status}, and the page says\n{row}");
    }
}
