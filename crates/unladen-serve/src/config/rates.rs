//! Reads the tables `[[beside.rate]]` and `[[front.rate]]`.

use super::explain::{Origin, Shown};
use super::keys;
use super::level::Level;
use super::problem::Bad;
use super::reading::Reading;
use super::table::Table;
use super::value::Value;
use crate::settings::RateSettings;

/// Those of a `[[beside]]` or a `[[front]]`; without any, those of `[defaults]`.
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
        r.bads.extend(table.strangers(&keys::names("rate")));
        let (own, defaults) = if of.says("rate") { (Some(table), None) } else { (None, Some(table)) };
        let level =
            Level { table: "rate", whose: of.whose.clone(), index: Some(index), own, defaults, around: value.span() };
        rates.extend(rate(&level, r));
    }
    rates
}

fn rate(level: &Level<'_>, r: &mut Reading<'_>) -> Option<RateSettings> {
    let header = level.take(
        "header",
        None,
        r,
        |value, _| header(value).map(Some),
        |header: &Option<String>| header.clone().map_or(Shown::None, Shown::Text),
    );
    let expected = "requests a second, from 0.001 to 1000000";
    let number = |value: &Value<'_>, _: &mut Reading<'_>| value.number(0.001..=1e6, expected);
    let rate = level.require("rate", expected, r, number, |rate| Shown::Number(*rate));
    // A second's worth, and at least one: a bucket that holds none lets nothing through.
    let burst = rate.map_or(1, |rate| rate.ceil().max(1.0) as u32);
    let burst = level.count("burst", 1..=1_000_000, burst, r);
    let keys = level.count("keys", 1..=1_000_000, 10_000, r);
    if header.is_none() && level.at(&["keys"]) != level.at(&[]) {
        r.warn(level.at(&["keys"]), "`rate.keys` has no effect without a `header`");
    }
    Some(RateSettings { header, rate: rate?, burst, keys })
}

/// A header's name (RFC 9110, 5.1), in small letters.
fn header(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.words()?;
    match http::HeaderName::from_bytes(text.as_bytes()) {
        Ok(name) => Ok(name.as_str().to_owned()),
        Err(_) => Err(value.refuse(format!("`{text}`"), "the name of a header, such as \"X-Api-Key\"")),
    }
}
