//! The principal type is [`Reading`]: what the parts of a file need of the rest while they are read.
//!
//! Two stages: [`DeTable`] has the text's tables with the place of each word, [`Experiment`] what they mean. Each part
//! of the second has a file here; each kind of knob reads its own table in `kinds/`.

mod error;
mod knob;
mod load;
mod problem;
mod ready;
mod service;
mod table;
mod value;
pub(crate) mod variables;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::de::DeTable;
use unladen_load::{RequestBuilder, TlsOptions, UrlLine};
use url::Url;

pub use self::error::{BadFile, ExperimentError};
pub(crate) use self::knob::{Given, Side};
pub(crate) use self::problem::Bad;
pub use self::problem::Problem;
use self::table::Home;
pub(crate) use self::table::Table;
pub(crate) use self::value::Value;
use self::variables::Variables;
use crate::design::{Design, MOST_FACTORS};
use crate::experiment::{Cold, Experiment};
use crate::knob::KnobSpec;
use crate::quantile::Quantile;

/// The keys of the file's top level.
pub(crate) const KEYS: [&str; 13] = [
    "variables",
    "title",
    "design",
    "url",
    "urls",
    "restarts",
    "cold",
    "cold_requests",
    "quantiles",
    "within",
    "load",
    "service",
    "knob",
];
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;
/// The longest duration of a file: a day.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);
/// The most knobs: an ablation of 20 has 59 arms.
const MOST_KNOBS: usize = 20;
/// The most restarts of all services.
const MOST_RESTARTS: u64 = 10_000;

/// Reads the bytes of a file that an experiment names.
pub type ReadFile<'a> = &'a dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// What the parts of a file need of the rest.
pub(crate) struct Reading<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) read: ReadFile<'a>,
    /// Whom ready checks trust.
    pub(crate) tls: TlsOptions,
    /// The names of the services.
    pub(crate) services: Vec<String>,
}

// === impl Reading ===

impl Reading<'_> {
    /// The path that a value names.
    pub(crate) fn path(&self, value: &Value<'_>) -> Result<PathBuf, Bad> {
        value.words().map(|text| self.folder.join(text))
    }

    /// The path that a value names, and what the file holds.
    pub(crate) fn file(&self, value: &Value<'_>) -> Result<(PathBuf, Vec<u8>), Bad> {
        let path = self.path(value)?;
        match (self.read)(&path) {
            Ok(bytes) => Ok((path, bytes)),
            Err(source) => Err(value.problem(Problem::Unreadable { path, source })),
        }
    }
}

/// Reads a regular file: a named pipe would hang, and a device not end.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 64 MiB")) } else { Ok(bytes) }
}

/// Reads an experiment.
pub(crate) fn experiment(
    text: &str,
    file: &Path,
    folder: &Path,
    read: ReadFile<'_>,
    variables: &Variables,
) -> Result<Experiment, ExperimentError> {
    let bad = |bad: Bad| ExperimentError::Bad(Box::new(BadFile::new(text, file, bad)));
    let mut parsed = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        // The parser says what a value could begin with, and not that there is none.
        let (before, after) = text.split_at_checked(span.start).unwrap_or_default();
        let no_value = before.trim_end_matches([' ', '\t']).ends_with('=')
            && after.trim_start_matches([' ', '\t']).starts_with(['\n', '\r', '#']);
        let message = match no_value {
            true => "there is no value after `=`".into(),
            false => error.message().lines().collect::<Vec<_>>().join(", "),
        };
        bad(Problem::Syntax { message }.at(span))
    })?;
    variables.expand(&mut parsed);
    resolve(&parsed, file, folder, read).map_err(bad)
}

fn resolve(
    parsed: &toml::Spanned<DeTable<'_>>,
    file: &Path,
    folder: &Path,
    read: ReadFile<'_>,
) -> Result<Experiment, Bad> {
    let homes = [
        Home { keys: &load::KEYS, place: "[load]" },
        Home { keys: &knob::KEYS, place: "[[knob]]" },
        Home { keys: &service::KEYS, place: "[[service]]" },
    ];
    let table = Table::root(parsed, &KEYS, &homes)?;
    table.get("variables").map_or(Ok(()), |value| value.words().map(drop))?;
    let load = table.require("load", "a table with `rate` or `concurrency`, and `requests` or `time`")?;
    let load = load::read(&load, folder)?;
    let mut reading = Reading { folder, read, tls: load.tls.clone(), services: Vec::new() };
    let services = match table.get("service") {
        Some(list) => service::read_all(&list, &reading)?,
        None => Vec::new(),
    };
    reading.services = services.iter().map(|service| service.name.clone()).collect();
    let list = table.require("knob", "a list of [[knob]] tables, what is switched on and off")?;
    let words = Design::ALL.map(|design| (design.as_str(), design));
    let wanted = table.get("design").map(|value| value.choice(&words)).transpose()?;
    let knobs = knob::read_all(&list, &reading, wanted == Some(Design::Each))?;
    let design = design(&table, &list, wanted, knobs.len())?;

    let title = match table.get("title") {
        Some(title) => title.words()?.to_owned(),
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let restarts = match table.get("restarts") {
        Some(value) if services.is_empty() => {
            let without = "restarts services, and there is none: add a [[service]], or leave it out";
            return Err(Problem::Alone { key: "restarts", without }.at(table.key_span("restarts", &value)));
        }
        Some(value) => u32::try_from(value.whole(1..=MOST_RESTARTS)?).unwrap_or(1),
        None => 1,
    };
    let quantiles = match table.get("quantiles") {
        Some(value) => {
            value.list("a list such as [\"p50\", \"p95\"]")?.iter().map(Value::parse).collect::<Result<_, _>>()?
        }
        None => Quantile::USUAL.to_vec(),
    };
    let within = match table.get("within") {
        Some(value) => {
            let list = value.list("a list such as [\"50ms\", \"1s\"]")?;
            list.iter().map(|value| value.duration(Duration::from_micros(1)..=DAY)).collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };
    let experiment = Experiment {
        file: Some(file.to_owned()),
        folder: folder.to_owned(),
        title,
        design,
        urls: urls(&table, &reading, &list, &knobs)?,
        restarts,
        cold: cold(&table)?,
        quantiles,
        within,
        load,
        services,
        knobs,
    };
    // What cannot be sent is better found now than amid the measurement.
    for arm in experiment.arms() {
        experiment.requests(&arm).map_err(|error| Problem::from(error).at(0..0))?;
    }
    Ok(experiment)
}

fn design(table: &Table<'_>, list: &Value<'_>, wanted: Option<Design>, knobs: usize) -> Result<Design, Bad> {
    let value = table.get("design");
    let design = match wanted {
        Some(design) => design,
        None if knobs == 1 => Design::Ab,
        None => Design::Ablate,
    };
    let (needs, instead) = match design {
        Design::Ab if knobs > 1 => (
            "compares one knob",
            "choose `each`, `ablate` or `factorial`, or make one knob of them: `on` may be a list",
        ),
        Design::Factorial if knobs > MOST_FACTORS => {
            ("has all combinations of at most 6 knobs", "choose `ablate`, whose arms are thrice the knobs")
        }
        _ if knobs > MOST_KNOBS => ("has room for 20 knobs", "measure some first, and keep what gains"),
        _ => return Ok(design),
    };
    let span = value.as_ref().unwrap_or(list).span();
    Err(Problem::Design { design: design.as_str(), needs, knobs, instead }.at(span))
}

fn cold(table: &Table<'_>) -> Result<Option<Cold>, Bad> {
    match (table.get("cold"), table.get("cold_requests")) {
        (None, None) => Ok(None),
        (None, Some(value)) => {
            let without = "counts cold requests: give the command that makes them cold as `cold`";
            Err(Problem::Alone { key: "cold_requests", without }.at(table.key_span("cold_requests", &value)))
        }
        (Some(command), requests) => {
            let requests = requests.map_or(Ok(1), |value| value.whole(1..=10_000))?;
            Ok(Some(Cold { command: command.words()?.to_owned(), requests: u32::try_from(requests).unwrap_or(1) }))
        }
    }
}

/// What is requested. Where a knob says it for both sides, the file need not.
fn urls(table: &Table<'_>, reading: &Reading<'_>, list: &Value<'_>, knobs: &[KnobSpec]) -> Result<Vec<UrlLine>, Bad> {
    let (one, many) = table.either("url", "urls", "`urls` takes one as well")?;
    let lines = match (&one, &many) {
        (Some(value), _) => vec![url_line(value)?],
        (None, Some(value)) if value.is_text() => {
            let (path, bytes) = reading.file(value)?;
            let text =
                String::from_utf8(bytes).map_err(|_| value.refuse("a file that is not UTF-8", "a list of URLs"))?;
            UrlLine::parse_list(&text, &path).map_err(|error| value.problem(error))?
        }
        (None, Some(value)) => {
            let list = value.list("a list of URLs, or the name of a file that lists them")?;
            if list.is_empty() {
                return Err(value.refuse("empty", "at least one URL"));
            }
            list.iter().map(url_line).collect::<Result<_, _>>()?
        }
        (None, None) => Vec::new(),
    };
    let of_knobs = |on: bool| knobs.iter().find_map(|knob| knob.url(on));
    match (lines.len(), of_knobs(false), of_knobs(true)) {
        (0, Some(url), Some(_)) => {
            Ok(vec![UrlLine { method: http::Method::GET, is_method_named: false, url, label: None, weight: 1.0 }])
        }
        (0, _, _) => Err(table.missing("url", "what is requested, such as url = \"http://127.0.0.1:8080/\"")),
        (2.., None, None) | (1, _, _) => Ok(lines),
        (count, _, _) => {
            let value = many.as_ref().unwrap_or(list);
            Err(value.refuse(format!("a list of {count}"), "one URL, as a knob changes it"))
        }
    }
}

fn url_line(value: &Value<'_>) -> Result<UrlLine, Bad> {
    Ok(UrlLine { method: http::Method::GET, is_method_named: false, url: url(value)?, label: None, weight: 1.0 })
}

/// A URL that can be requested.
pub(crate) fn url(value: &Value<'_>) -> Result<Url, Bad> {
    let text = value.text()?;
    let url = Url::parse(text).map_err(|source| value.problem(unladen_load::RequestError::url(text, source)))?;
    RequestBuilder::new(http::Method::GET, url.clone())
        .and_then(RequestBuilder::build)
        .map_err(|error| value.problem(error))?;
    Ok(url)
}

#[cfg(test)]
mod tests;
