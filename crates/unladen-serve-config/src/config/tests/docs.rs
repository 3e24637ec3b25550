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

/// What the list says of a default is what a configuration that does not speak of it gets.
#[test]
fn every_default_is_as_listed() {
    let explained = parse(LEAST_OF_ALL).unwrap().explained;
    let off: Vec<Explained> = parse(&format!("{LEAST}{SITE}")).unwrap().explained;
    let mut compared = 0;
    for key in keys::all().filter(|key| !key.why.is_empty()) {
        // It depends on the machine or on other keys, or turns a table on.
        let is_open = matches!(
            (key.table, key.name),
            ("", "threads")
                | ("rate", "burst")
                | ("queue", "running")
                | ("validator", "head")
                | ("site", "tls")
                | ("snapshot", "file")
                | ("route", "name" | "cache")
                | ("upstream", "weight")
        );
        if is_open {
            // An upstream's weight is not explained.
            let fixed = (key.table == "upstream").then_some("1");
            assert_eq!(key.default, fixed, "{key:?}");
            continue;
        }
        let is_key = |one: &&Explained| (one.key.table, one.key.name) == (key.table, key.name);
        // What is off by itself is looked for in a file that does not speak of it.
        let one = off.iter().find(is_key).or_else(|| explained.iter().find(is_key));
        // What has to be said for the others to come up is no default.
        let is_said =
            |one: &&Explained| matches!(one.origin, ValueOrigin::Said(_)) && matches!(key.table, "site" | "route");
        let value = one.filter(|one| !is_said(one)).map(|one| one.value.to_string()).filter(|value| value != "none");
        assert_eq!(key.default, value.as_deref(), "{key:?}");
        compared += usize::from(value.is_some());
    }
    assert!(compared > 150, "{compared}");
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
