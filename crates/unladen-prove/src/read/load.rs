//! Reads the table `[load]`.

use std::path::Path;
use std::time::Duration;

use unladen_load::{Arrivals, Expect, HttpVersion, Request, RequestError, Roots, TlsOptions};
use unladen_toml::{Bad, DAY, MILLISECOND, Problem, Table, Value};

use crate::load::{Budget, Load, Pace};
use crate::read::{Home, LOAD_KEYS, SERVICE_KEYS, TOP_KEYS, open};

/// Maximum requests of an arm: more than a year at a thousand a second.
const MOST_REQUESTS: u64 = 1 << 36;

pub(crate) fn read(value: &Value<'_>, folder: &Path) -> Result<Load, Bad> {
    let homes = [
        Home { keys: &TOP_KEYS, place: "the top of the file, before the first table" },
        Home { keys: &SERVICE_KEYS, place: "[[service]]" },
    ];
    let table = open(value, "[load]", &LOAD_KEYS, &homes)?;
    let mut load = Load::new(pace(&table)?, budget(&table)?);
    if let Some(value) = table.get("phase") {
        load.phase = Some(value.duration(MILLISECOND..=DAY)?);
    }
    if let Some(value) = table.get("warmup") {
        load.warmup = value.duration(Duration::ZERO..=DAY)?;
    }
    if let Some(value) = table.get("timeout") {
        load.timeout = value.duration(MILLISECOND..=DAY)?;
    }
    if let Some(value) = table.get("headers") {
        load.headers = value.each().iter().map(Value::parse).collect::<Result<_, _>>()?;
    }
    if let Some(value) = table.get("cookies") {
        load.cookies = value.each().iter().map(cookie).collect::<Result<_, _>>()?;
    }
    if let Some(value) = table.get("method") {
        load.method = Some(method(&value)?);
    }
    if let Some(value) = table.get("body") {
        load.body = value.text()?.to_owned();
    }
    if let Some(value) = table.get("expect_status") {
        load.expect = Expect { statuses: value.parse()?, ..Expect::default() };
    }
    if let Some(value) = table.get("http") {
        let words = [("1.1", HttpVersion::Http1), ("2", HttpVersion::Http2), ("auto", HttpVersion::Auto)];
        load.http = value.choice(&words)?;
    }
    if let Some(value) = table.get("keep_alive") {
        load.keep_alive = value.flag()?;
    }
    if let Some(value) = table.get("keep_cookies") {
        load.keep_cookies = value.flag()?;
    }
    if let Some(value) = table.get("from") {
        load.from = value.each().iter().map(|one| one.words().map(str::to_owned)).collect::<Result<_, _>>()?;
    }
    load.tls = tls(&table, folder)?;
    Ok(load)
}

fn pace(table: &Table<'_>) -> Result<Pace, Bad> {
    let why = "`rate` sends at fixed times, whatever the answers take; `concurrency` sends when the last answer has \
               arrived; choose one";
    let (rate, concurrency) = table.either("rate", "concurrency", why)?;
    let arrivals = table.get("arrivals");
    if let Some(rate) = rate {
        let words = [Arrivals::Constant, Arrivals::Poisson].map(|arrivals| (arrivals.into_str(), arrivals));
        let arrivals = arrivals.map_or(Ok(Arrivals::default()), |value| value.choice(&words))?;
        return Ok(Pace::Open { rate: rate.number(1e-3..=1e7, "a number from 0.001 to 10000000 a second")?, arrivals });
    }
    if let Some(value) = arrivals {
        let without = "sets how the requests of a rate are spaced: add `rate`, or leave it out";
        return Err(Problem::Alone { key: "arrivals", without }.at(table.key_span("arrivals", &value)));
    }
    let expected = "`rate` (requests a second, whatever the answers take) or `concurrency` (so many at once)";
    let workers = concurrency.ok_or_else(|| table.missing("rate", expected))?.whole(1..=10_000)?;
    Ok(Pace::Closed { concurrency: usize::try_from(workers).unwrap_or(1) })
}

fn budget(table: &Table<'_>) -> Result<Budget, Bad> {
    let why = "`requests` is for each arm, `time` for the whole experiment; choose one";
    match table.either("requests", "time", why)? {
        (Some(requests), _) => Ok(Budget::Requests(requests.whole(1..=MOST_REQUESTS)?)),
        (None, Some(time)) => Ok(Budget::Time(time.duration(Duration::from_secs(1)..=30 * DAY)?)),
        (None, None) => {
            let expected = "`requests` (of each arm) or `time` (for the whole experiment, such as \"5min\")";
            Err(table.missing("requests", expected))
        }
    }
}

fn cookie(value: &Value<'_>) -> Result<String, Bad> {
    let cookie = value.text()?;
    let checked = Request::get("http://localhost/").and_then(|builder| builder.cookie(cookie));
    checked.map(|_| cookie.to_owned()).map_err(|error| value.other(error))
}

fn method(value: &Value<'_>) -> Result<http::Method, Bad> {
    let text = value.text()?;
    Request::get("http://localhost/").and_then(|builder| builder.method(text)).map_err(|error| value.other(error))?;
    http::Method::from_bytes(text.as_bytes())
        .map_err(|source| value.other(RequestError::Method { method: text.to_owned(), source }))
}

fn tls(table: &Table<'_>, folder: &Path) -> Result<TlsOptions, Bad> {
    let why = "`insecure` accepts any certificate, so authorities would have no effect";
    let (insecure, cacert) = table.either("insecure", "cacert", why)?;
    let mut tls = TlsOptions::default();
    if let Some(value) = insecure {
        tls.insecure = value.flag()?;
    }
    if let Some(value) = cacert {
        tls.roots = Roots::Only(folder.join(value.words()?));
    }
    if let Some(value) = table.get("resume") {
        tls.resume = value.flag()?;
    }
    Ok(tls)
}
