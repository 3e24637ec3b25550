//! Reads the tables `[[site.validator]]`.

use std::time::Duration;

use unladen_toml::{Bad, DAY, MILLISECOND, Problem, Table, Value};
use unladen_validator::{ListenSettings, PathPattern, SharedSettings, ValidatorSettings, ValidatorSource};

use super::database::{self, Database};
use super::explain::{Origin, Showable, Shown};
use super::groups::or_none;
use super::keys::{self, strangers};
use super::level::Level;
use super::maximum::is_maximum;
use super::reading::Reading;
use super::strings;

const TIMEOUT: Duration = Duration::from_millis(100);
pub(super) const CONNECTIONS: usize = 2;
const WHAT: &str = "the source: `database` and `query`, or `file`, or `head = true`";

pub(super) fn read_all(site: &Level<'_>, r: &mut Reading<'_>) -> Vec<ValidatorSettings> {
    let Some((value, origin)) = site.find("validator", r) else {
        site.explain("validator", Shown::None, Origin::BuiltIn, r);
        return Vec::new();
    };
    let list = value.list("tables, each headed [[site.validator]]");
    let list = r.keep(list).unwrap_or_default();
    site.explain("validator", Shown::Count(list.len() as u64), origin, r);
    let mut validators = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let table = Table::of(value, "[[site.validator]]", "a table");
        let Some(table) = r.keep(table) else { continue };
        r.bads.extend(strangers(&table, &keys::names("validator")));
        let (whose, around) = (site.whose.clone(), value.span());
        let level = Level { whose, index: Some(index), around, ..Level::of("validator", table) };
        validators.extend(validator(&level, r));
    }
    validators
}

fn validator(level: &Level<'_>, r: &mut Reading<'_>) -> Option<ValidatorSettings> {
    let read = |value: &Value<'_>, _: &mut Reading<'_>| {
        let text = value.one_line()?;
        let form = "a path such as \"/{ref}\" or \"/list/{name}/archive/{page*}\"";
        let names = PathPattern::parse(text)
            .map(|pattern| pattern.names().to_vec())
            .map_err(|error| value.refuse(format!("`{text}`, and {error}"), form))?;
        Ok((text.to_owned(), names))
    };
    let about = "the pages that it covers, such as path = \"/{ref}\"";
    let path = level.require("path", about, r, read, |(path, _)| Shown::Text(path.clone()));
    let names = path.as_ref().map(|(_, names)| names.as_slice());
    let source = source(level, names, r);
    let timeout = level.duration("timeout", MILLISECOND..=Duration::from_secs(60), TIMEOUT, r);
    let connections = level.count("connections", 1..=1000, CONNECTIONS, r);
    let read = |value: &Value<'_>, _: &mut Reading<'_>| or_none(value, |value| value.duration(MILLISECOND..=DAY));
    let stale = level.take("stale", None, r, read, Option::shown);
    let listen = pushed(level, source.as_ref(), r);
    let shared = shared(level, source.as_ref(), r);
    Some(ValidatorSettings { path: path?.0, source: source?, timeout, connections, stale, listen, shared })
}

/// One of three kinds of source.
fn source(level: &Level<'_>, names: Option<&[String]>, r: &mut Reading<'_>) -> Option<ValidatorSource> {
    let database = level.optional("database", r, |value, r| database::read(value, r), Database::shown);
    let query = level.optional("query", r, |value, _| query(value), String::shown);
    let parameters = level.optional("parameters", r, listed, |list| Shown::list(list));
    let file = level.optional("file", r, |value, r| template(value, names, r), String::shown);
    let head = level.flag("head", false, r);
    for (key, without) in [
        ("query", "needs a `database`: set `database` too, or remove this key"),
        ("parameters", "needs a `database` with a `query`: set both, or remove this key"),
    ] {
        if level.says(key) && !level.says("database") {
            level.alone(key, without, r);
        }
    }
    let said: Vec<&'static str> =
        ["database", "file", "head"].into_iter().filter(|key| level.says(key) && (*key != "head" || head)).collect();
    match said.as_slice() {
        [] => {
            let place = "[[site.validator]]".into();
            r.refuse(level.at(&[]), Problem::Missing { place, key: "database", expected: WHAT });
            None
        }
        ["file"] => file.map(|path| ValidatorSource::File { path }),
        ["head"] => Some(ValidatorSource::Head),
        [_] => {
            if !level.says("query") {
                let place = "[[site.validator]]".into();
                let expected = "the query, such as query = \"select changed from pages where path = $1\"";
                r.refuse(level.at(&[]), Problem::Missing { place, key: "query", expected });
            }
            let (database, query) = (database?, query?);
            if is_maximum(&query) {
                r.warn(
                    level.at(&["query"]),
                    format!(
                        "`{}` asks only for a maximum: a maximum misses deletions, \
                    except of the latest row, and with times in whole seconds it misses the later of two changes \
                    within one second; let triggers count changes instead (docs/concepts/caching.md, \"What a \
                    validator must cover\")",
                        shown(&query)
                    ),
                );
            }
            let parameters = in_order(level, &database, &query, parameters, names?, r)?;
            Some(database.source(query, parameters))
        }
        [one, other, ..] => {
            let expected = "only one of them: a page has one version";
            level.refuse(other, format!("given in addition to `{one}`"), expected, r);
            None
        }
    }
}

/// On one line, and shortened if it is long.
fn shown(query: &str) -> String {
    const SHOWN: usize = 120;
    let line: Vec<&str> = query.split_whitespace().collect();
    let line = line.join(" ");
    if line.chars().count() <= SHOWN { line } else { line.chars().take(SHOWN).chain(['…']).collect() }
}

fn query(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.text_as("a string in quotes")?;
    if text.trim().is_empty() {
        return Err(value.refuse("empty", "a query such as \"select changed from pages where path = $1\""));
    }
    if text.contains('\0') {
        return Err(value.refuse("a string with a NUL character", "a string without it"));
    }
    Ok(text.to_owned())
}

fn listed(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<String>, Bad> {
    let name = |value: &Value<'_>| value.one_line().map(str::to_owned);
    strings::list(value, "a list of names in `path`, such as [\"ref\"]", name, r)
}

fn in_order(
    level: &Level<'_>,
    database: &Database,
    query: &str,
    parameters: Option<Vec<String>>,
    names: &[String],
    r: &mut Reading<'_>,
) -> Option<Vec<String>> {
    let wanted = match database.placeholders(query) {
        Ok(wanted) => wanted,
        Err(expected) => {
            level.refuse("query", format!("`{query}`"), expected, r);
            return None;
        }
    };
    let has = match &parameters {
        Some(parameters) => {
            let stranger = parameters.iter().find(|name| !names.contains(name));
            if let Some(stranger) = stranger {
                let known: Vec<&str> = names.iter().map(String::as_str).collect();
                let meant =
                    if known.is_empty() { "`path` has no names".into() } else { unladen_toml::meant(stranger, &known) };
                let problem = Problem::UnknownWord { key: "parameters".into(), value: stranger.clone(), meant };
                r.refuse(level.at(&["parameters"]), problem);
                return None;
            }
            parameters.len()
        }
        None => names.len(),
    };
    if wanted > has || (parameters.is_some() && wanted != has) {
        let of = if parameters.is_some() { "`parameters`" } else { "`path`" };
        let expected = format!("as many parameters as {of} has names: {has}");
        level.refuse("query", format!("a query with {wanted} parameters"), expected, r);
        return None;
    }
    Some(parameters.unwrap_or_else(|| names.iter().take(wanted).cloned().collect()))
}

/// A file's path; `{name}` stands for what the page's path has there.
fn template(value: &Value<'_>, names: Option<&[String]>, r: &mut Reading<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let form = "a path such as \"pages/{ref}.txt\", with names from `path`";
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let name = rest[at..].strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((name, after)) = name else { return Err(value.refuse(format!("`{text}`"), form)) };
        if names.is_some_and(|names| !names.iter().any(|known| known == name)) {
            let known: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
            let meant = if known.is_empty() { "`path` has no names".into() } else { unladen_toml::meant(name, &known) };
            return Err(
                Problem::UnknownWord { key: "file".into(), value: format!("{{{name}}}"), meant }.at(value.span())
            );
        }
        rest = after;
    }
    match r.path(text).into_os_string().into_string() {
        Ok(path) => Ok(path),
        Err(_) => Err(value.refuse(format!("`{text}`"), "a path in UTF-8")),
    }
}

/// Longer than a pause of a busy machine; a page that is a second old harms few.
const HEARTBEAT: Duration = Duration::from_secs(1);
const HEARTBEAT_BOUNDS: std::ops::RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(60);
/// PostgreSQL's bound.
const LONGEST_CHANNEL: usize = 63;

/// `None` if the database is asked each time.
fn pushed(level: &Level<'_>, source: Option<&ValidatorSource>, r: &mut Reading<'_>) -> Option<ListenSettings> {
    let channel = level.optional("listen", r, |value, _| channel(value), String::shown);
    let heartbeat = level.duration("heartbeat", HEARTBEAT_BOUNDS, HEARTBEAT, r);
    if heartbeat != HEARTBEAT && !level.says("listen") {
        r.warn(level.at(&["heartbeat"]), "`heartbeat` has no effect without `listen`");
    }
    let channel = channel?;
    if source.is_some_and(|source| !matches!(source, ValidatorSource::Postgres { .. })) {
        level.alone(
            "listen",
            "needs a PostgreSQL `database`, the only one that notifies of changes: remove this key",
            r,
        );
    }
    Some(ListenSettings { channel, heartbeat })
}

/// Names that are the same with and without quotes.
fn channel(value: &Value<'_>) -> Result<String, Bad> {
    let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let expected = format!("1 to {LONGEST_CHANNEL} small letters, digits and `_`, such as \"pledge_changed\"");
    strings::checked(value, &expected, |text| (1..=LONGEST_CHANNEL).contains(&text.len()) && text.bytes().all(is_known))
}

/// Sites that can bear more are better off with a lifetime.
const LONGEST_SHARED: Duration = Duration::from_secs(10);
const SCHEMES: [&str; 4] = ["valkey", "valkeys", "redis", "rediss"];

/// `None` if each node asks for itself.
fn shared(level: &Level<'_>, source: Option<&ValidatorSource>, r: &mut Reading<'_>) -> Option<SharedSettings> {
    let bounds = MILLISECOND..=LONGEST_SHARED;
    let read = |value: &Value<'_>, _: &mut Reading<'_>| or_none(value, |value| value.duration(bounds));
    let within = level.take("shared", None, r, read, Option::shown)?;
    let is_same =
        |source: &ValidatorSource| matches!(source, ValidatorSource::Postgres { .. } | ValidatorSource::MySql { .. });
    if !source.is_none_or(is_same) {
        let without = "needs a `database` that all nodes ask (PostgreSQL, MariaDB or MySQL): remove this key";
        level.alone("shared", without, r);
    }
    let fleet = r.fleet.clone().filter(|fleet| SCHEMES.contains(&fleet.purges.scheme()));
    let Some(fleet) = fleet else {
        let without = "needs Valkey or Redis, which keeps the answers: set `purges = \"valkey://…\"` in [fleet], or remove this key";
        level.alone("shared", without, r);
        return None;
    };
    let site = level.whose.site().unwrap_or_default().to_owned();
    Some(SharedSettings { within, url: fleet.purges, ca: fleet.ca, stamp: fleet.stamp, fleet: fleet.name, site })
}
