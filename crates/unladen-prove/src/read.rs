//! Reads experiments, in two stages: [`unladen_toml::Document`] has the text's tables with the place of each word,
//! [`Experiment`](crate::Experiment) their meaning. Each part of the second has a file here, and uses [`Reading`]; each
//! kind of knob reads its own table in `kinds/`.

mod experiment;
mod knob;
mod load;
mod service;
mod variables;

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unladen_load::{RequestBuilder, RequestError, TlsOptions};
use unladen_toml::{Bad, BadPlace, Table, Value};
use url::Url;

use crate::error::CommandFault;
use crate::knob::Knob;
use crate::original::Content;

/// Why a file is no experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    #[error("cannot read the experiment {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("the experiment {file} is not UTF-8 text", file = file.display())]
    NoText { file: PathBuf },
    #[error(transparent)]
    Bad(Box<BadPlace>),
}

const LARGEST: u64 = 64 << 20;

/// Reads the bytes of a file that an experiment names.
pub type ReadFile<'a> = &'a dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// Context for reading the parts of a file.
pub(crate) struct Reading<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) read: ReadFile<'a>,
    pub(crate) tls: TlsOptions,
    pub(crate) services: Vec<String>,
}

impl Reading<'_> {
    pub(crate) fn path(&self, value: &Value<'_>) -> Result<PathBuf, Bad> {
        value.words().map(|text| self.folder.join(text))
    }

    pub(crate) fn file(&self, value: &Value<'_>) -> Result<(PathBuf, Vec<u8>), Bad> {
        let path = self.path(value)?;
        match (self.read)(&path) {
            Ok(bytes) => Ok((path, bytes)),
            Err(source) => Err(value.unusable(path, source)),
        }
    }
}

/// Reads a regular file: a named pipe would block, and a device not end.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 64 MiB")) } else { Ok(bytes) }
}

pub(crate) struct Side {
    pub(crate) on: bool,
    pub(crate) initial: bool,
}

/// What a table gives for one [`Side`] of a knob.
pub(crate) enum Given {
    Change(Arc<dyn Knob>),
    /// A file's content; the other side may give another.
    File {
        path: PathBuf,
        content: Content,
    },
}

pub(crate) fn url(value: &Value<'_>) -> Result<Url, Bad> {
    let text = value.text()?;
    let url = Url::parse(text).map_err(|source| value.other(RequestError::url(text, source)))?;
    RequestBuilder::new(http::Method::GET, url.clone())
        .and_then(RequestBuilder::build)
        .map_err(|error| value.other(error))?;
    Ok(url)
}

/// The right table for keys that are often put into the wrong one.
struct Home {
    keys: &'static [&'static str],
    place: &'static str,
}

fn open<'t>(value: &Value<'t>, place: &str, keys: &[&str], homes: &[Home]) -> Result<Table<'t>, Bad> {
    let table = Table::of(value, place, "a table")?;
    check(&table, keys, homes).map(|()| table)
}

fn check(table: &Table<'_>, keys: &[&str], homes: &[Home]) -> Result<(), Bad> {
    let home = |word: &str| {
        let home = homes.iter().find(|home| home.keys.contains(&word))?;
        Some(format!("it belongs in {}", home.place))
    };
    table.strangers(keys, home).into_iter().next().map_or(Ok(()), Err)
}

const TOP_KEYS: [&str; 14] = [
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
    "expect_change",
    "load",
    "service",
    "knob",
];
const LOAD_KEYS: [&str; 20] = [
    "rate",
    "concurrency",
    "arrivals",
    "requests",
    "time",
    "phase",
    "warmup",
    "timeout",
    "headers",
    "cookies",
    "method",
    "body",
    "expect_status",
    "insecure",
    "cacert",
    "http",
    "keep_alive",
    "keep_cookies",
    "resume",
    "from",
];
const KNOB_KEYS: [&str; 7] = ["name", "on", "off", "initial", "restart", "ready", "settle"];
const SERVICE_KEYS: [&str; 4] = ["name", "restart", "unit", "ready"];

/// Errors specific to experiments, as opposed to any TOML file.
#[derive(Debug, thiserror::Error)]
enum ExperimentProblem {
    #[error("the variables are not available: {fault}")]
    Variables { fault: Box<CommandFault> },
    #[error("there are two {what} with the name `{name}`: rename this one")]
    Twice { what: &'static str, name: String },
    #[error("there is no service `{name}`; {meant}")]
    UnknownService { name: String, meant: String },
    #[error(
        "the knob `{knob}` has a command for `{has}` but none for `{lacks}`: only another command can undo a command \
         (`true` does nothing)"
    )]
    OneWay { knob: String, has: &'static str, lacks: &'static str },
    /// Two changes of one thing, of which the second would undo the first.
    #[error("{what} is already changed by {first}: its value would depend on the order")]
    Claimed { what: String, first: String },
    #[error("the design `{design}` {needs}, but there are {knobs}: {instead}")]
    Design { design: &'static str, needs: &'static str, knobs: usize, instead: &'static str },
}

/// A kind of knob.
pub struct Kind {
    pub key: &'static str,
    pub with: &'static [&'static str],
    pub summary: &'static str,
    pub(crate) read: fn(&Table<'_>, &Side, &Reading<'_>) -> Result<Given, Bad>,
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("key", &self.key).field("with", &self.with).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
