//! [`CacheSettings`]: `[site.cache]`, and how it is read.

use std::hash::Hasher;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;
use unladen_toml::{Bad, DAY, Value};

use super::explain::{Origin, Showable, Shown};
use super::level::Level;
use super::reading::Reading;
use super::strings;
use super::trusted::nets;

/// Cache settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheSettings {
    /// Bytes, all together.
    pub memory: u64,
    pub largest: u64,
    /// Variants of one address.
    pub variants: usize,
    /// Cookies that must not split the cache: names, or prefixes with `*` at the end.
    pub ignore_cookies: Vec<String>,
    /// If not empty: the only cookies that `Vary: Cookie` distinguishes.
    pub vary_cookies: Vec<String>,
    /// Whether a lifetime or `public` alone permits sharing with clients that have cookies.
    pub share_with_cookies: bool,
    /// Statuses besides 200, 203 and 204 that are kept under a validator.
    pub statuses: Vec<u16>,
    /// Longest lifetime of an error other than 404 and 410.
    pub error_max: Duration,
    /// Whether a client's wish to have the stored page fetched anew is ignored.
    pub ignore_reload: bool,
    /// Whether answers with `Set-Cookie` are stored, with the field.
    pub store_set_cookie: bool,
    pub languages: Vec<String>,
    /// Query parameters that are not part of the key.
    pub ignore_query: Vec<String>,
    /// Without an explicit lifetime: this share of the time since `Last-Modified` …
    pub heuristic: f64,
    /// … and no longer.
    pub heuristic_max: Duration,
    /// Where the response does not say.
    pub stale_if_error: Duration,
    /// Where the response does not say.
    pub stale_while_revalidate: Duration,
    /// How long after an unstored response requests do not wait for each other's answer.
    pub uncacheable: Duration,
    /// Database of `X-GeoIP-Country`.
    pub country: Option<PathBuf>,
    /// Addresses that may send PURGE.
    pub purge: Vec<IpNet>,
    /// Whether clients on a Unix socket may.
    pub purge_unix: bool,
    /// Whether peers are asked before the application.
    /// Stored pages are found by their site's settings: those from before this key existed must stay the same.
    #[serde(skip_serializing_if = "std::clone::Clone::clone")]
    pub tier: bool,
}

const MEMORY: u64 = 256 << 20;
const LARGEST: u64 = 16 << 20;
const VARIANTS: usize = 64;
/// Varnish's default (`beresp.ttl` of a hit-for-miss in its built-in VCL).
const UNCACHEABLE: Duration = Duration::from_secs(120);
/// Long enough to spare a failing application a busy page; and somebody who provokes an error has to keep doing so.
const ERROR_MAX: Duration = Duration::from_secs(10);
/// Statuses that say a page is elsewhere or gone, kept until a validator's answer changes.
const OF_THE_PAGE: [u16; 9] = [300, 301, 302, 303, 307, 308, 404, 410, 451];
/// The longest meaningful lifetime.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// The cache settings, and a stamp that changes with the country database.
pub(super) fn read(level: &Level<'_>, r: &mut Reading<'_>) -> (CacheSettings, u64) {
    let memory = level.bytes("memory", 1 << 20..=1 << 50, MEMORY, r);
    let largest = level.bytes("largest", 1..=1 << 50, LARGEST.min(memory), r);
    if largest > memory {
        let (most, all) = (Shown::Bytes(largest), Shown::Bytes(memory));
        let why = "a body longer than `memory` cannot be stored; raise `memory`";
        level.contradict(r, ("largest", most), ("memory", all), why);
    }
    let tier = level.flag("tier", true, r);
    let variants = level.count("variants", 1..=10_000, VARIANTS, r);
    let ignore_cookies = texts(level, "ignore_cookies", cookie, r);
    let vary_cookies = texts(level, "vary_cookies", cookie, r);
    if let Some(both) = vary_cookies.iter().find(|name| ignore_cookies.contains(name)) {
        let why = "an ignored cookie cannot tell variants apart; remove it from one of the two lists";
        let one = || Shown::List(vec![Shown::Text(both.clone())]);
        level.contradict(r, ("vary_cookies", one()), ("ignore_cookies", one()), why);
    }
    let share_with_cookies = level.flag("share_with_cookies", false, r);
    if share_with_cookies {
        r.warn(
            level.at(&["share_with_cookies"]),
            "`cache.share_with_cookies` stores a page with `max-age` or `public` and shows it to others, although the \
             request had cookies: if the application renders that page for a logged-in user or for a commenter, \
             strangers see it; let the application send `s-maxage` with pages that are the same for all, and list \
             cookies that do not matter in `cache.ignore_cookies`",
        );
    }
    let mut cache = CacheSettings {
        memory,
        largest,
        tier,
        variants,
        ignore_cookies,
        vary_cookies,
        share_with_cookies,
        statuses: statuses(level, r),
        error_max: level.duration("error_max", Duration::ZERO..=DAY, ERROR_MAX, r),
        ignore_reload: level.flag("ignore_reload", false, r),
        store_set_cookie: level.flag("store_set_cookie", false, r),
        languages: texts(level, "languages", language, r),
        ignore_query: texts(level, "ignore_query", parameter, r),
        heuristic: level.share("heuristic", 0.1, r),
        heuristic_max: level.duration("heuristic_max", Duration::ZERO..=YEAR, DAY, r),
        stale_if_error: level.duration("stale_if_error", Duration::ZERO..=YEAR, Duration::ZERO, r),
        stale_while_revalidate: level.duration("stale_while_revalidate", Duration::ZERO..=YEAR, Duration::ZERO, r),
        uncacheable: level.duration("uncacheable", Duration::ZERO..=DAY, UNCACHEABLE, r),
        country: None,
        purge: Vec::new(),
        purge_unix: false,
    };
    let stamp;
    (cache.country, stamp) = country(level, r);
    (cache.purge, cache.purge_unix) = nets(level, "purge", r);
    if cache.purge.iter().any(|net| net.prefix_len() == 0) {
        r.warn(level.at(&["purge"]), "`cache.purge` covers all addresses: anyone can empty the cache, and the application then has to render everything");
    }
    (cache, stamp)
}

/// The country database. Its content is checked when it is opened: it is too large to be read twice.
fn country(level: &Level<'_>, r: &mut Reading<'_>) -> (Option<PathBuf>, u64) {
    let mut stamp = std::hash::DefaultHasher::new();
    let Some((value, origin)) = level.find("country", r) else {
        level.explain("country", Shown::None, Origin::BuiltIn, r);
        return (None, stamp.finish());
    };
    if !value.is_table() {
        r.bads.push(value.wrong_type("a table, such as { database = \"country.mmdb\" }"));
        return (None, stamp.finish());
    }
    let read = |value: &Value<'_>, r: &mut Reading<'_>| {
        let path = r.path(value.one_line()?);
        let unusable = |source| value.unusable(path.clone(), source);
        stamp.write_u64(r.machine.stamp(&path).map_err(unusable)?);
        Ok(path)
    };
    level.explain("country", Shown::Flag(true), origin, r);
    let about = "the file of the country database, such as database = \"country.mmdb\"";
    let database = level.group("country", r).require("database", about, r, read, PathBuf::shown);
    (database, stamp.finish())
}

/// Statuses that may be kept until a validator's answer changes: none that a request can bring about, and no failure.
fn statuses(level: &Level<'_>, r: &mut Reading<'_>) -> Vec<u16> {
    let read = |value: &Value<'_>, _: &mut Reading<'_>| {
        let each = value.list("a list of statuses, such as [301, 404]")?;
        let status = |value: &Value<'_>| {
            let status = value.whole(100..=599)?;
            let known = OF_THE_PAGE.iter().find(|known| u64::from(**known) == status);
            known.copied().ok_or_else(|| {
                let expected = "300, 301, 302, 303, 307, 308, 404, 410 or 451 (200, 203 and 204 are stored anyway; an error would be shown to everybody until the validator's answer changes)";
                value.refuse(status.to_string(), expected)
            })
        };
        each.iter().map(status).collect::<Result<Vec<u16>, Bad>>()
    };
    let show = |list: &Vec<u16>| Shown::List(list.iter().map(|status| Shown::Count(u64::from(*status))).collect());
    level.take("statuses", Vec::new(), r, read, show)
}

fn texts(
    level: &Level<'_>,
    name: &'static str,
    read: impl Fn(&Value<'_>) -> Result<String, Bad>,
    r: &mut Reading<'_>,
) -> Vec<String> {
    let list = |value: &Value<'_>, r: &mut Reading<'_>| strings::list(value, "a list of strings", read, r);
    level.take(name, Vec::new(), r, list, |texts| Shown::list(texts))
}

/// A token (RFC 6265, 4.1.1; RFC 9110, 5.6.2), with or without `*` at its end.
fn cookie(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let name = text.strip_suffix('*').unwrap_or(text);
    let is_token = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'+-.^_`|~".contains(&byte));
    if name.is_empty() || !is_token {
        return Err(value.refuse(format!("`{text}`"), "a cookie's name such as \"_ga\", or its beginning: \"_ga*\""));
    }
    Ok(text.to_owned())
}

/// A parameter's name, with or without `*` at its end.
fn parameter(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let name = text.strip_suffix('*').unwrap_or(text);
    if name.is_empty() || name.contains(['*', '&', '=', '?', '#', ' ']) {
        return Err(
            value.refuse(format!("`{text}`"), "a parameter's name such as \"fbclid\", or its beginning: \"utm_*\"")
        );
    }
    Ok(text.to_owned())
}

/// A language tag (RFC 5646): parts of one to eight letters or digits.
fn language(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let is_part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let mut parts = text.split('-');
    let is_first =
        parts.next().is_some_and(|part| is_part(part) && part.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if !is_first || !parts.all(is_part) {
        return Err(value.refuse(format!("`{text}`"), "a language's tag, such as \"en\" or \"pt-BR\""));
    }
    Ok(text.to_owned())
}
