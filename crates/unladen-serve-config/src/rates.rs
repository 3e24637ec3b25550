//! [`RateSettings`]: `[[outbound.rate]]` and `[[site.rate]]`, and how they are read.

use std::time::Duration;

use serde::{Serialize, Serializer};
use unladen_toml::{Bad, Table, Value};
use url::{Host, Url};

use super::explain::{Origin, Showable, Shown};
use super::keys::{self, strangers};
use super::level::Level;
use super::owned::{Owned, is_plain};
use super::reading::Reading;

/// A rate bound: a token bucket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateSettings {
    /// One bucket for each value of this header; `None` for one in all.
    pub header: Option<String>,
    pub rate: f64,
    pub burst: u32,
    /// Number of header values with their own bucket; those beyond share one.
    pub keys: usize,
    /// For a site: whether cache hits count.
    pub hits: bool,
    /// Rate limit service; this bound holds, for each descriptor, where it does not answer. `None` if the bound is of
    /// this process alone.
    pub service: Option<RateServiceSettings>,
    /// What the service is sent about a request.
    pub descriptor: Vec<EntrySettings>,
    pub deadline: Duration,
}

/// A rate limit service that speaks `envoy.service.ratelimit.v3`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, derive_more::Display)]
#[display("{}://{}/{domain}", if *tls { "grpcs" } else { "grpc" }, self.authority())]
pub struct RateServiceSettings {
    pub tls: bool,
    /// A name, or an address without brackets.
    pub host: String,
    pub port: u16,
    /// Which of the service's configurations applies.
    pub domain: String,
}

/// An entry of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
#[display("{key}={value}")]
pub struct EntrySettings {
    pub key: String,
    pub value: EntryValue,
}

/// What the value of an entry is.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
pub enum EntryValue {
    /// This value, always.
    #[display("{_0}")]
    Fixed(String),
    /// The client's address; for IPv6, its /64.
    #[display("$client")]
    Client,
    #[display("$header:{_0}")]
    Header(String),
}

// === impl RateServiceSettings ===

impl RateServiceSettings {
    /// Host and port, as in a URL.
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl Serialize for RateServiceSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

// === impl EntrySettings ===

impl Serialize for EntrySettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The rates of an `[[outbound]]` or a `[[site]]`; without any, those of `[defaults]`.
pub(super) fn read_all(of: &Level<'_>, r: &mut Reading<'_>) -> Vec<RateSettings> {
    let Some((value, origin)) = of.find("rate", r) else {
        of.explain("rate", Shown::None, Origin::BuiltIn, r);
        return Vec::new();
    };
    let headed = format!("[[{}.rate]]", of.table);
    let place_of_table = if of.says("rate") { headed.as_str() } else { "[[defaults.rate]]" };
    let list = value.list(&format!("tables, each headed {headed}"));
    let list = r.keep(list).unwrap_or_default();
    of.explain("rate", Shown::Count(list.len() as u64), origin, r);
    let mut rates = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let table = Table::of(value, place_of_table, "a table");
        let Some(table) = r.keep(table) else { continue };
        r.bads.extend(strangers(&table, &keys::names("rate")));
        let (own, defaults) = if of.says("rate") { (Some(table), None) } else { (None, Some(table)) };
        let (whose, preset) = (of.whose.clone(), of.preset);
        let level = Level { table: "rate", whose, index: Some(index), own, defaults, preset, around: value.span() };
        rates.extend(rate(&level, of, r));
    }
    rates
}

fn rate(level: &Level<'_>, of: &Level<'_>, r: &mut Reading<'_>) -> Option<RateSettings> {
    let header = level.optional("header", r, |value, _| header(value), String::shown);
    let refuse_taken_off = |key, name: &str, r: &mut Reading<'_>| {
        if level.whose.site().is_some()
            && let Some(without) = taken_off(name, of, r)
        {
            level.alone(key, without, r);
        }
    };
    header.iter().for_each(|name| refuse_taken_off("header", name, r));
    let shared = shared(level, header.as_deref(), r);
    shared.headers().for_each(|name| refuse_taken_off("descriptor", name, r));
    let expected = "requests a second, from 0.001 to 1000000";
    let number = |value: &Value<'_>, _: &mut Reading<'_>| value.number(0.001..=1e6, expected);
    let rate = level.require("rate", expected, r, number, |rate| Shown::Number(*rate));
    // A second's worth, and at least one: a bucket that holds none lets nothing through.
    let burst = rate.map_or(1, |rate| rate.ceil().max(1.0) as u32);
    let burst = level.count("burst", 1..=1_000_000, burst, r);
    let keys = level.count("keys", 1..=1_000_000, 10_000, r);
    let hits = level.flag("hits", false, r);
    if hits && level.whose.site().is_none() {
        level.alone("hits", "counts cache hits, which only a [[site]] has: remove this key", r);
    }
    if header.is_none() && shared.service.is_none() && level.at(&["keys"]) != level.at(&[]) {
        r.warn(level.at(&["keys"]), "`rate.keys` has no effect without `header` or `descriptor`");
    }
    let Shared { service, descriptor, deadline } = shared;
    Some(RateSettings { header, rate: rate?, burst, keys, hits, service, descriptor, deadline })
}

/// Why a site has removed the header before requests are counted, so that its rate would bound nobody; `None` if it may
/// be there.
fn taken_off(header: &str, site: &Level<'_>, r: &Reading<'_>) -> Option<&'static str> {
    const CONDITIONS: [&str; 5] = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range"];
    let cache = site.find("cache", r).map(|(value, _)| value);
    let has_country = || {
        let table = cache.as_ref().and_then(|value| Table::of(value, "[site.cache]", "a table").ok());
        table.is_some_and(|table| table.get("country").is_some())
    };
    let is_told = match header {
        "x-geoip-country" => has_country(),
        "x-forwarded-for" => site.says("trusted"),
        _ => false,
    };
    if is_told {
        return None;
    }
    if Owned::find(header.as_bytes()).is_some_and(|owned| !owned.is_disguise()) {
        return Some(
            "is a field that a site removes from its clients' requests, because anyone could forge it (docs/reference/serve.md lists these fields), so the rate would limit nobody; name another field, or remove `header` to limit all requests together; `per_client` limits each client",
        );
    }
    let keeps_odd_names = || site.find("underscores", r).is_some_and(|(value, _)| value.as_flag() == Some(true));
    if !is_plain(header.as_bytes()) && !keeps_odd_names() {
        return Some(
            "has characters other than letters, digits and hyphens, and a site drops such fields, so the rate would limit nobody; set `underscores = true`, or name another field",
        );
    }
    let is_cached = cache.is_none_or(|value| value.as_flag() != Some(false));
    (is_cached && CONDITIONS.contains(&header)).then_some(
        "is a conditional field, which the cache evaluates itself and replaces in its own requests, so the rate would limit nobody; name another field",
    )
}

/// A header's name (RFC 9110, 5.1), in small letters.
fn header(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    match http::HeaderName::from_bytes(text.as_bytes()) {
        Ok(name) => Ok(name.as_str().to_owned()),
        Err(_) => Err(value.refuse(format!("`{text}`"), "the name of a header field, such as \"X-Api-Key\"")),
    }
}

struct Shared {
    /// `None` if the bound is of this process alone.
    service: Option<RateServiceSettings>,
    descriptor: Vec<EntrySettings>,
    deadline: Duration,
}

const SERVICE: &str =
    "a rate limit service and one of its domains: \"grpc://limits.example:8081/DOMAIN\" (grpcs:// with TLS)";
const DESCRIPTOR: &str =
    "entries such as \"generic_key=login\", \"remote_address=$client\" or \"api_key=$header:X-Api-Key\"";
/// Envoy's default.
const DEADLINE: Duration = Duration::from_millis(20);
const DEADLINE_BOUNDS: std::ops::RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_secs(1);
const LONGEST: usize = 255;
const MOST_ENTRIES: usize = 8;

/// `header` separates buckets of this process, and is refused beside `service`.
fn shared(level: &Level<'_>, header: Option<&str>, r: &mut Reading<'_>) -> Shared {
    let service = level.optional("service", r, |value, _| service(value), |service| Shown::Text(service.to_string()));
    let is_of_site = level.whose.site().is_some();
    let entries = level.take(
        "descriptor",
        Vec::new(),
        r,
        |value, r| entries(value, is_of_site, r),
        |entries| Shown::list_or_none(entries),
    );
    let deadline = level.duration("deadline", DEADLINE_BOUNDS, DEADLINE, r);
    match (&service, entries.is_empty()) {
        (None, true) if level.at(&["deadline"]) != level.at(&[]) => {
            r.warn(level.at(&["deadline"]), "`rate.deadline` has no effect without `service`");
        }
        (None, true) => {}
        (None, false) => {
            level.alone("descriptor", "needs a rate limit service: add `service`", r);
        }
        (Some(_), true) => {
            let without = "needs to know which limit of its domain applies: add `descriptor`";
            level.alone("service", without, r);
        }
        (Some(_), false) if header.is_some() => {
            let without = "applies to this process's own buckets: with `service`, use `$header:NAME` in `descriptor`";
            level.alone("header", without, r);
        }
        (Some(_), false) => {}
    }
    Shared { service, descriptor: entries, deadline }
}

impl Shared {
    fn headers(&self) -> impl Iterator<Item = &str> {
        self.descriptor.iter().filter_map(|entry| match &entry.value {
            EntryValue::Header(name) => Some(name.as_str()),
            EntryValue::Fixed(_) | EntryValue::Client => None,
        })
    }
}

/// As in `grpc://limits.example:8081/shop`.
fn service(value: &Value<'_>) -> Result<RateServiceSettings, Bad> {
    let text = value.one_line()?;
    // A possible password is not repeated in messages.
    let refused = || value.refuse(if text.contains('@') { "a URL with a user" } else { text }, SERVICE);
    let (tls, rest) = match text.split_once("://") {
        Some(("grpc", rest)) => (false, rest),
        Some(("grpcs", rest)) => (true, rest),
        _ => return Err(refused()),
    };
    let (authority, domain) = rest.split_once('/').ok_or_else(refused)?;
    let url = Url::parse(&format!("none://{authority}")).map_err(|_| refused())?;
    let host = match url.host() {
        Some(Host::Domain(name)) if is_host(name) => name.to_ascii_lowercase(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        _ => return Err(refused()),
    };
    let is_bare = url.username().is_empty() && url.password().is_none() && url.path().is_empty();
    let is_bare = is_bare && url.query().is_none() && url.fragment().is_none();
    let port = url.port().filter(|port| *port > 0 && is_bare && is_word(domain)).ok_or_else(refused)?;
    Ok(RateServiceSettings { tls, host, port, domain: domain.to_owned() })
}

fn entries(value: &Value<'_>, is_of_site: bool, r: &mut Reading<'_>) -> Result<Vec<EntrySettings>, Bad> {
    let list = value.list(DESCRIPTOR)?;
    if list.is_empty() || list.len() > MOST_ENTRIES {
        return Err(value.refuse(format!("{} entries", list.len()), format!("1 to {MOST_ENTRIES} {DESCRIPTOR}")));
    }
    Ok(r.keep_each(list.iter().map(|one| entry(one, is_of_site))))
}

fn entry(value: &Value<'_>, is_of_site: bool) -> Result<EntrySettings, Bad> {
    let text = value.one_line()?;
    let refused = |expected: &str| value.refuse(format!("`{text}`"), expected);
    let (key, said) = text.split_once('=').filter(|(key, _)| is_word(key)).ok_or_else(|| refused(DESCRIPTOR))?;
    let value = match said {
        "$client" if !is_of_site => return Err(refused("no `$client`: only a [[site]] knows its clients' addresses")),
        "$client" => EntryValue::Client,
        said => match (said.strip_prefix("$header:"), said.starts_with('$')) {
            (Some(name), _) => EntryValue::Header(
                http::HeaderName::from_bytes(name.as_bytes())
                    .map_err(|_| refused("the name of a header field, such as \"api_key=$header:X-Api-Key\""))?
                    .as_str()
                    .to_owned(),
            ),
            (None, true) => {
                return Err(refused("`$client` or `$header:NAME`, or a value that does not begin with `$`"));
            }
            (None, false) if is_word(said) => EntryValue::Fixed(said.to_owned()),
            (None, false) => return Err(refused(DESCRIPTOR)),
        },
    };
    Ok(EntrySettings { key: key.to_owned(), value })
}

fn is_word(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && !text.chars().any(char::is_control)
}

fn is_host(name: &str) -> bool {
    name.len() < LONGEST && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
