//! Reads an [`Experiment`].

use std::path::Path;
use std::time::Duration;

use unladen_load::UrlLine;
use unladen_toml::{Bad, BadPlace, DAY, Document, Problem, Table, Value};

use crate::experiment::{Cold, Experiment, Quantile};
use crate::knob_spec::KnobSpec;
use crate::read::variables::{self, Variables};
use crate::read::{
    ExperimentError, ExperimentProblem, Home, KNOB_KEYS, LOAD_KEYS, ReadFile, Reading, SERVICE_KEYS, TOP_KEYS, check,
    knob, load, read_file, service, url,
};
use unladen_lockin::{Design, MOST_FACTORS};

/// Maximum of knobs: an ablation of 20 has 59 arms.
const MOST_KNOBS: usize = 20;
const MOST_RESTARTS: u64 = 10_000;

impl Experiment {
    /// Reads a file, and those that it names. Fails when one of them cannot be read, or the file is invalid; the error
    /// points at the place.
    pub fn read(file: &Path) -> Result<Self, ExperimentError> {
        let unreadable = |source| ExperimentError::Read { file: file.to_owned(), source };
        let bytes = read_file(file).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|_| ExperimentError::NoText { file: file.to_owned() })?;
        let whole = std::path::absolute(file).and_then(|whole| {
            let folder = whole.parent().unwrap_or(Path::new("/")).canonicalize()?;
            Ok(folder.join(whole.file_name().unwrap_or_default()))
        });
        let whole = whole.map_err(unreadable)?;
        let folder = whole.parent().unwrap_or(Path::new("/"));
        let variables = match variables::command(&text) {
            Some((command, place)) => Variables::ask(&command, folder).map_err(|fault| {
                ExperimentError::Bad(Box::new(BadPlace::new(&text, file, variables::failed(fault, place))))
            })?,
            None => Variables::default(),
        };
        let mut experiment = experiment(&text, file, folder, &read_file, &variables)?;
        experiment.file = Some(whole);
        Ok(experiment)
    }

    /// Parses a text as [`read`](Self::read) does a file; `file` is named in errors, and relative paths begin at
    /// `folder`. Files that the text names are read by `read`; its command for variables is not run. Fails when the
    /// text is invalid.
    pub fn parse(text: &str, file: &Path, folder: &Path, read: ReadFile<'_>) -> Result<Self, ExperimentError> {
        experiment(text, file, folder, read, &Variables::default())
    }
}

fn experiment(
    text: &str,
    file: &Path,
    folder: &Path,
    read: ReadFile<'_>,
    variables: &Variables,
) -> Result<Experiment, ExperimentError> {
    let bad = |bad: Bad| ExperimentError::Bad(Box::new(BadPlace::new(text, file, bad)));
    let (mut document, bads) = Document::parse(text);
    if let Some(first) = bads.into_iter().next() {
        return Err(bad(first));
    }
    variables.expand(&mut document);
    resolve(&document.root(), file, folder, read).map_err(bad)
}

fn resolve(table: &Table<'_>, file: &Path, folder: &Path, read: ReadFile<'_>) -> Result<Experiment, Bad> {
    let homes = [
        Home { keys: &LOAD_KEYS, place: "[load]" },
        Home { keys: &KNOB_KEYS, place: "[[knob]]" },
        Home { keys: &SERVICE_KEYS, place: "[[service]]" },
    ];
    check(table, &TOP_KEYS, &homes)?;
    table.get("variables").map_or(Ok(()), |value| value.words().map(drop))?;
    let load = table.require("load", "a table with `rate` or `concurrency`, and `requests` or `time`")?;
    let load = load::read(&load, folder)?;
    let mut reading = Reading { folder, read, tls: load.tls.clone(), services: Vec::new() };
    let services = match table.get("service") {
        Some(list) => service::read_all(&list, &reading)?,
        None => Vec::new(),
    };
    reading.services = services.iter().map(|service| service.name.clone()).collect();
    let list = table.require("knob", "a list of [[knob]] tables: the things to switch on and off")?;
    let words = Design::ALL.map(|design| (design.into_str(), design));
    let wanted = table.get("design").map(|value| value.choice(&words)).transpose()?;
    let knobs = knob::read_all(&list, &reading, wanted == Some(Design::Each))?;
    let design = design(table, &list, wanted, knobs.len())?;

    let title = match table.get("title") {
        Some(title) => title.words()?.to_owned(),
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let restarts = match table.get("restarts") {
        Some(value) if services.is_empty() => {
            let without = "restarts services, but there are none: add a [[service]], or leave it out";
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
    let expect_change = match table.get("expect_change") {
        Some(value) => value.each().iter().map(Value::parse).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let experiment = Experiment {
        file: Some(file.to_owned()),
        folder: folder.to_owned(),
        title,
        design,
        urls: urls(table, &reading, &list, &knobs)?,
        restarts,
        cold: cold(table)?,
        quantiles,
        within,
        expect_change,
        load,
        services,
        knobs,
    };
    // A bad request is better found now than during the measurement.
    for arm in experiment.arms() {
        experiment.requests(&arm).map_err(|error| Problem::other(error).at(0..0))?;
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
            "choose `each`, `ablate` or `factorial`, or combine them into one knob: `on` may be a list",
        ),
        Design::Factorial if knobs > MOST_FACTORS => {
            ("takes all combinations of at most 6 knobs", "choose `ablate`, which has three arms per knob")
        }
        _ if knobs > MOST_KNOBS => ("takes at most 20 knobs", "measure some first, and keep those that help"),
        _ => return Ok(design),
    };
    let span = value.as_ref().unwrap_or(list).span();
    Err(Problem::other(ExperimentProblem::Design { design: design.into_str(), needs, knobs, instead }).at(span))
}

fn cold(table: &Table<'_>) -> Result<Option<Cold>, Bad> {
    match (table.get("cold"), table.get("cold_requests")) {
        (None, None) => Ok(None),
        (None, Some(value)) => {
            let without = "counts cold requests: set `cold` to the command that makes requests cold";
            Err(Problem::Alone { key: "cold_requests", without }.at(table.key_span("cold_requests", &value)))
        }
        (Some(command), requests) => {
            let requests = requests.map_or(Ok(1), |value| value.whole(1..=10_000))?;
            Ok(Some(Cold { command: command.words()?.to_owned(), requests: u32::try_from(requests).unwrap_or(1) }))
        }
    }
}

fn urls(table: &Table<'_>, reading: &Reading<'_>, list: &Value<'_>, knobs: &[KnobSpec]) -> Result<Vec<UrlLine>, Bad> {
    let (one, many) = table.either("url", "urls", "`urls` also takes a single URL")?;
    let lines = match (&one, &many) {
        (Some(value), _) => vec![url_line(value)?],
        (None, Some(value)) if value.is_text() => {
            let (path, bytes) = reading.file(value)?;
            let text =
                String::from_utf8(bytes).map_err(|_| value.refuse("a file that is not UTF-8", "a list of URLs"))?;
            UrlLine::parse_list(&text, &path).map_err(|error| value.other(error))?
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
        (0, Some(url), Some(_)) => Ok(vec![UrlLine::get(url)]),
        (0, _, _) => Err(table.missing("url", "the URL to request, such as url = \"http://127.0.0.1:8080/\"")),
        (2.., None, None) | (1, _, _) => Ok(lines),
        (count, _, _) => {
            let value = many.as_ref().unwrap_or(list);
            Err(value.refuse(format!("a list of {count}"), "a single URL, because a knob changes it"))
        }
    }
}

fn url_line(value: &Value<'_>) -> Result<UrlLine, Bad> {
    Ok(UrlLine::get(url(value)?))
}
