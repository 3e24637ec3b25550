//! Reads the tables `[[outbound.rate]]` and `[[site.rate]]`.

mod shared;

use unladen_toml::{Bad, Problem, Table, Value};

use super::explain::{Origin, Shown};
use super::keys;
use super::level::Level;
use super::reading::Reading;
use super::strangers::strangers;
use crate::owned::{Owned, is_plain};
use crate::settings::RateSettings;

/// The rates of an `[[outbound]]` or a `[[site]]`; without any, those of `[defaults]`.
pub(super) fn read_all(of: &Level<'_>, r: &mut Reading<'_>) -> Vec<RateSettings> {
    let place = (of.whose.clone(), None);
    let Some((value, origin)) = of.find("rate", r) else {
        r.explain(place, (of.table, "rate"), Shown::None, Origin::BuiltIn);
        return Vec::new();
    };
    let headed = format!("[[{}.rate]]", of.table);
    let place_of_table = if of.says("rate") { headed.as_str() } else { "[[defaults.rate]]" };
    let list = value.list(&format!("tables, each headed {headed}"));
    let list = r.keep(list).unwrap_or_default();
    r.explain(place, (of.table, "rate"), Shown::Count(list.len() as u64), origin);
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
    let header = level.take(
        "header",
        None,
        r,
        |value, _| header(value).map(Some),
        |header: &Option<String>| header.clone().map_or(Shown::None, Shown::Text),
    );
    if let Some(header) = &header
        && level.whose.site().is_some()
        && let Some(without) = taken_off(header, of, r)
    {
        r.refuse(level.at(&["header"]), Problem::Alone { key: "header", without });
    }
    let shared = shared::read(level, header.as_deref(), r);
    for name in shared.headers() {
        if level.whose.site().is_some()
            && let Some(without) = taken_off(name, of, r)
        {
            r.refuse(level.at(&["descriptor"]), Problem::Alone { key: "descriptor", without });
        }
    }
    let expected = "requests a second, from 0.001 to 1000000";
    let number = |value: &Value<'_>, _: &mut Reading<'_>| value.number(0.001..=1e6, expected);
    let rate = level.require("rate", expected, r, number, |rate| Shown::Number(*rate));
    // A second's worth, and at least one: a bucket that holds none lets nothing through.
    let burst = rate.map_or(1, |rate| rate.ceil().max(1.0) as u32);
    let burst = level.count("burst", 1..=1_000_000, burst, r);
    let keys = level.count("keys", 1..=1_000_000, 10_000, r);
    let hits = level.flag("hits", false, r);
    if hits && level.whose.site().is_none() {
        let without = "counts cache hits, which only a [[site]] has: remove this key";
        r.refuse(level.at(&["hits"]), Problem::Alone { key: "hits", without });
    }
    if header.is_none() && shared.service.is_none() && level.at(&["keys"]) != level.at(&[]) {
        r.warn(level.at(&["keys"]), "`rate.keys` has no effect without `header` or `descriptor`");
    }
    let shared::Shared { service, descriptor, deadline } = shared;
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
