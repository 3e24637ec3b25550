//! Tables of a `[[site]]` and how they are read: `queue`, `snapshot`, `clients`, `files`, and its lists of effects.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use unladen_toml::{Bad, Problem, Value};

use super::cache::CacheSettings;
use super::explain::{Showable, Shown};
use super::groups::or_none;
use super::level::Level;
use super::reading::Reading;
use super::strings::{self, checked, texts};

/// How files are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilesSettings {
    /// Paths of files that never change: `/build/*`.
    pub immutable: Vec<String>,
    /// Lifetimes by path pattern; the first match counts.
    pub max_age: Vec<(String, Duration)>,
    /// Whether `.br`, `.zst` and `.gz` beside a file are sent in its place.
    pub precompressed: bool,
    /// Whether files are sent whose names begin with a dot.
    pub hidden: bool,
    /// Paths of files that are sent despite a private name or an `.htaccess`.
    pub allow: Vec<String>,
    pub memory: bool,
    /// Folders outside the root that links may lead to.
    pub links: Vec<PathBuf>,
}

impl Default for FilesSettings {
    fn default() -> Self {
        Self {
            immutable: Vec::new(),
            max_age: Vec::new(),
            precompressed: true,
            hidden: false,
            allow: Vec::new(),
            memory: true,
            links: Vec::new(),
        }
    }
}

/// Bounds of each client (an address; for IPv6 its /64) and each network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrowdSettings {
    pub connections: usize,
    pub network_connections: usize,
    pub uploads: usize,
    pub network_uploads: usize,
    /// Requests a second of a client; `None` for no bound.
    pub rate: Option<f64>,
    pub network_rate: Option<f64>,
    /// Whether cache hits count.
    pub hits: bool,
    /// Bits of an IPv4 address that make its network.
    pub ipv4: u8,
    /// Bits of an IPv6 address that make its network.
    pub ipv6: u8,
}

impl CrowdSettings {
    /// Burst at this rate: ten seconds' worth, and a page with all its resources.
    pub fn burst_of(rate: f64) -> u32 {
        (rate * 10.0).ceil().max(20.0) as u32
    }
}

impl Default for CrowdSettings {
    fn default() -> Self {
        Self {
            connections: 256,
            network_connections: 2048,
            uploads: 64,
            network_uploads: 512,
            rate: None,
            network_rate: None,
            hits: false,
            ipv4: 24,
            ipv6: 64,
        }
    }
}

/// A queue of requests for the application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueSettings {
    /// Requests at the application at a time; `None` for as many as it says it can take.
    pub running: Option<usize>,
    /// Waiting requests; beyond: 503.
    pub length: usize,
    /// Longest wait of a request; beyond: 503.
    pub wait: Duration,
    /// The cookie that tells apart clients that share an address.
    pub cookie: Option<String>,
}

/// Settings of the cache's copy on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SnapshotSettings {
    pub file: PathBuf,
    /// How often it is written, if anything has changed.
    pub every: Duration,
    pub trust: SnapshotTrust,
}

/// How far a process trusts its predecessor's pages if no validator vouches for them. Purges that came while neither
/// ran are unknown to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotTrust {
    /// Fresh pages are served, except those with tags, which somebody means to purge. After a crash, purges since the
    /// last write are unknown, too: then as `Revalidate`.
    Fresh,
    /// The application is asked about each before it is served.
    Revalidate,
}

/// A larger count is taken for a typing error; nobody gets through a longer queue.
const MANY: u64 = 1_000_000;
/// Browsers and people have given up by then.
const LONGEST: Duration = Duration::from_secs(300);
/// Default of [`QueueSettings::length`].
const LENGTH: usize = 1000;
/// Default of [`QueueSettings::wait`].
const WAIT: Duration = Duration::from_secs(5);

/// `None` if requests do not wait here. `asks`: the application is asked how many requests it takes.
pub(super) fn queue(site: &Level<'_>, asks: bool, connections: usize, r: &mut Reading<'_>) -> Option<QueueSettings> {
    let level = site.switch("queue", asks, r)?;
    let running = level.optional("running", r, |value, _| value.whole(1..=MANY), |running| Shown::Count(*running));
    let running = running.and_then(|running| usize::try_from(running).ok());
    if running.is_none() && !asks {
        let expected = "the number of requests that the application handles at a time";
        let (place, key) = ("[site.queue]".to_owned(), "running");
        r.refuse(level.at(&[]), Problem::Missing { place, key, expected });
    }
    if let Some(running) = running
        && running > connections
    {
        level.contradict(
            r,
            ("running", Shown::Count(running as u64)),
            ("limits.connections", Shown::Count(connections as u64)),
            "each request at the application has its own connection: raise `limits.connections`, or lower \
             `queue.running`",
        );
    }
    Some(QueueSettings {
        running,
        length: level.count("length", 1..=MANY, LENGTH, r),
        wait: level.duration("wait", Duration::from_millis(100)..=LONGEST, WAIT, r),
        cookie: level.optional("cookie", r, |value, _| cookie(value), String::shown),
    })
}

/// A cookie's name: a token (RFC 6265, section 4.1.1).
fn cookie(value: &Value<'_>) -> Result<String, Bad> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_name = |text: &str| !text.is_empty() && text.bytes().all(is_token);
    checked(value, "the name of a cookie, such as \"PHPSESSID\"", is_name)
}

/// Some hundred bytes a second of a disk's endurance; what a restart needs is written at the stop.
const EVERY: Duration = Duration::from_secs(300);
/// Below, it would be written all the time.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 3600);

/// `None` if the cache does not outlive the process.
pub(super) fn snapshot(
    site: &Level<'_>,
    name: &str,
    cache: Option<&CacheSettings>,
    r: &mut Reading<'_>,
) -> Option<SnapshotSettings> {
    let folder = r.machine.state_folder().filter(|_| cache.is_some());
    let level = site.switch("snapshot", folder.is_some(), r)?;
    let Some(cache) = cache else {
        let without = "has nothing to write, because the cache is off (`cache = false`): remove it";
        site.alone("snapshot", without, r);
        return None;
    };
    let usual = folder.map(|folder| folder.join(format!("{name}.snapshot")));
    let path = |value: &Value<'_>, r: &mut Reading<'_>| Ok(Some(r.path(value.one_line()?)));
    let file = level.take("file", usual, r, path, Option::shown);
    let every = level.duration("every", SHORTEST_PAUSE..=LONGEST_PAUSE, EVERY, r);
    let words = [("fresh", SnapshotTrust::Fresh), ("revalidate", SnapshotTrust::Revalidate)];
    // Sites that purge rely on their pages being gone.
    let is_purged = !cache.purge.is_empty() || cache.purge_unix;
    let usual = if is_purged { SnapshotTrust::Revalidate } else { SnapshotTrust::Fresh };
    let trust = level.choice("trust", &words, usual, r);
    let Some(file) = file else {
        let (place, key) = ("[site.snapshot]".to_owned(), "file");
        let expected =
            "the file, such as \"/var/lib/unladen/site.snapshot\" (systemd's `StateDirectory=unladen` makes one usual)";
        r.refuse(level.at(&[]), Problem::Missing { place, key, expected });
        return None;
    };
    Some(SnapshotSettings { file, every, trust })
}

const EFFECTS: &str = "a path segment such as \"export\" or \"*.cgi\", or a path such as \"/shop/cart*\"";

pub(super) fn effects(level: &Level<'_>, r: &mut Reading<'_>) -> (Vec<String>, Vec<String>) {
    let effects = patterns(level, "effects", r);
    let no_effects = patterns(level, "no_effects", r);
    if let Some(both) = effects.iter().find(|text| no_effects.iter().any(|other| other.eq_ignore_ascii_case(text))) {
        let one = || Shown::List(vec![Shown::Text(both.clone())]);
        let why = "a GET either has side effects or has none; remove the pattern from one of the two lists";
        level.contradict(r, ("no_effects", one()), ("effects", one()), why);
    }
    (effects, no_effects)
}

fn patterns(level: &Level<'_>, name: &'static str, r: &mut Reading<'_>) -> Vec<String> {
    let form = "a list of strings, such as [\"export\"]";
    let list = |value: &Value<'_>, r: &mut Reading<'_>| strings::list(value, form, effect, r);
    level.take(name, Vec::new(), r, list, |texts| Shown::list(texts))
}

/// A decoded path without query; one `*`, at its end or at the beginning of a segment.
fn effect(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let (start, end) = (text.strip_prefix('*'), text.strip_suffix('*'));
    let is_path = text.starts_with('/');
    let name = start.or(end).unwrap_or(text);
    let is_pattern = !name.is_empty() && !name.contains(['*', '?', '#', '%', ';']) && (is_path || !name.contains('/'));
    if is_pattern { Ok(text.to_owned()) } else { Err(value.refuse(format!("`{text}`"), EFFECTS)) }
}

pub(super) fn clients(site: &Level<'_>, r: &mut Reading<'_>) -> CrowdSettings {
    site.has("clients", r);
    let level = &site.group("clients", r);
    let usual = CrowdSettings::default();
    let clients = CrowdSettings {
        connections: level.count("connections", 1..=MANY, usual.connections, r),
        network_connections: level.count("network_connections", 1..=MANY, usual.network_connections, r),
        uploads: level.count("uploads", 1..=MANY, usual.uploads, r),
        network_uploads: level.count("network_uploads", 1..=MANY, usual.network_uploads, r),
        rate: rate(level, "rate", usual.rate, r),
        network_rate: rate(level, "network_rate", usual.network_rate, r),
        hits: level.flag("hits", usual.hits, r),
        ipv4: level.count("ipv4", 0..=32, usual.ipv4, r),
        ipv6: level.count("ipv6", 0..=128, usual.ipv6, r),
    };
    for (one, all, at) in [
        (clients.connections, clients.network_connections, ["network_connections", "connections"]),
        (clients.uploads, clients.network_uploads, ["network_uploads", "uploads"]),
    ] {
        if one > all {
            let what = at[1];
            r.warn(
                level.at(&at),
                format!("`clients.network_{what}` is below `clients.{what}`: one client can use up its whole network's share"),
            );
        }
    }
    clients
}

fn rate(level: &Level<'_>, name: &'static str, usual: Option<f64>, r: &mut Reading<'_>) -> Option<f64> {
    let expected = "requests a second, from 0.001 to 1000000, or \"none\"";
    let read = |value: &Value<'_>, _: &mut Reading<'_>| or_none(value, |value| value.number(0.001..=1e6, expected));
    level.take(name, usual, r, read, |rate| rate.map_or(Shown::None, Shown::Number))
}

const FILES: &str = "a path such as \"/build/*\", or a file name such as \"*.css\"";
/// The longest meaningful lifetime.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) fn files(site: &Level<'_>, r: &mut Reading<'_>) -> FilesSettings {
    let usual = FilesSettings::default();
    if !site.has("files", r) {
        return usual;
    }
    let level = &site.group("files", r);
    let one = |value: &Value<'_>| pattern(value.one_line()?, value);
    let immutable = strings::several(level, "immutable", usual.immutable, one, r);
    let age = |name: &str, value: &Value<'_>| Ok((pattern(name, value)?, value.duration(Duration::ZERO..=YEAR)?));
    let max_age = strings::map(level, "max_age", age, r);
    FilesSettings {
        immutable,
        max_age,
        precompressed: level.flag("precompressed", usual.precompressed, r),
        hidden: level.flag("hidden", usual.hidden, r),
        allow: strings::several(level, "allow", usual.allow, one, r),
        memory: level.flag("memory", usual.memory, r),
        links: level.take("links", Vec::new(), r, folders, |folders: &Vec<PathBuf>| {
            Shown::list_or_none(folders.iter().map(|folder| folder.display()))
        }),
    }
}

fn folders(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<PathBuf>, Bad> {
    let names = texts(value, |value| value.one_line().map(str::to_owned), r)?;
    Ok(names.iter().map(|name| r.path(name)).collect())
}

/// One `*`, at the end or at the beginning of a name.
fn pattern(text: &str, value: &Value<'_>) -> Result<String, Bad> {
    let is_path = text.starts_with('/');
    let name = if is_path { text.strip_suffix('*') } else { text.strip_prefix('*').or(text.strip_suffix('*')) };
    let name = name.unwrap_or(text);
    let is_pattern = !name.is_empty() && !name.contains(['*', '?', '#', '%', '\0']) && (is_path || !name.contains('/'));
    if is_pattern { Ok(text.to_owned()) } else { Err(value.refuse(format!("`{text}`"), FILES)) }
}

#[cfg(test)]
mod tests;
