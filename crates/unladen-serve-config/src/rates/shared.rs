//! Reads the keys of a `rate` table for a rate limit service: `service`, `descriptor`, `deadline`.

use std::time::Duration;

use unladen_toml::{Bad, Problem, Value};
use url::{Host, Url};

use crate::explain::Shown;
use crate::level::Level;
use crate::reading::Reading;
use crate::settings::{EntrySettings, EntryValue, RateServiceSettings};

pub(super) struct Shared {
    /// `None` if the bound is of this process alone.
    pub(super) service: Option<RateServiceSettings>,
    pub(super) descriptor: Vec<EntrySettings>,
    pub(super) deadline: Duration,
}

const SERVICE: &str =
    "a service of limits and a domain of it: \"grpc://limits.example:8081/DOMAIN\" (grpcs:// with TLS)";
const DESCRIPTOR: &str =
    "entries such as \"generic_key=login\", \"remote_address=$client\" or \"api_key=$header:X-Api-Key\"";
/// Envoy's default.
const DEADLINE: Duration = Duration::from_millis(20);
const DEADLINE_BOUNDS: std::ops::RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_secs(1);
const LONGEST: usize = 255;
const MOST_ENTRIES: usize = 8;

/// `header` separates buckets of this process, and is refused beside `service`.
pub(super) fn read(level: &Level<'_>, header: Option<&str>, r: &mut Reading<'_>) -> Shared {
    let service = level.take(
        "service",
        None,
        r,
        |value, _| service(value).map(Some),
        |service: &Option<RateServiceSettings>| {
            service.as_ref().map_or(Shown::None, |service| Shown::Text(service.to_string()))
        },
    );
    let is_of_site = level.whose.site().is_some();
    let entries = level.take(
        "descriptor",
        Vec::new(),
        r,
        |value, r| entries(value, is_of_site, r),
        |entries: &Vec<EntrySettings>| match entries.as_slice() {
            [] => Shown::None,
            entries => Shown::List(entries.iter().map(|entry| Shown::Text(entry.to_string())).collect()),
        },
    );
    let deadline = level.duration("deadline", DEADLINE_BOUNDS, DEADLINE, r);
    let alone = |key, without| Problem::Alone { key, without };
    match (&service, entries.is_empty()) {
        (None, true) if level.at(&["deadline"]) != level.at(&[]) => {
            r.warn(level.at(&["deadline"]), "`rate.deadline` has no effect without `service`");
        }
        (None, true) => {}
        (None, false) => {
            r.refuse(level.at(&["descriptor"]), alone("descriptor", "is for a service of limits: add `service`"));
        }
        (Some(_), true) => {
            let without = "has to be told which limit of its domain is meant: add `descriptor`";
            r.refuse(level.at(&["service"]), alone("service", without));
        }
        (Some(_), false) if header.is_some() => {
            let without = "is for buckets of this process: with `service`, say `$header:NAME` in `descriptor`";
            r.refuse(level.at(&["header"]), alone("header", without));
        }
        (Some(_), false) => {}
    }
    Shared { service, descriptor: entries, deadline }
}

impl Shared {
    pub(super) fn headers(&self) -> impl Iterator<Item = &str> {
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
    let read: Vec<_> = list.iter().map(|one| entry(one, is_of_site)).collect();
    Ok(read.into_iter().filter_map(|one| r.keep(one)).collect())
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
            (None, true) => return Err(refused("`$client` or `$header:NAME`, or a value that begins with no `$`")),
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
