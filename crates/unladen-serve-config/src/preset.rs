//! [`read`]: the preset of a `[[site]]`, whose values stand below its own; [`validators`]: its validators.

use std::path::{Path, PathBuf};
use std::time::Duration;

use unladen_toml::{Bad, Value};
use unladen_validator::{ValidatorSettings, ValidatorSource};

use super::database::{self, Database};
use super::explain::{Origin, Shown};
use super::level::Level;
use super::presets::{self, Asked, Preset, PresetValidator};
use super::reading::Reading;
use super::validators::CONNECTIONS;

/// A PHP page takes longer.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Where the application stores the data of its pages.
#[derive(Clone, Debug)]
enum Kept {
    Database(Database),
    Folder(PathBuf),
}

/// The level with the preset's values below its own.
pub(super) fn read<'t>(level: Level<'t>, r: &mut Reading<'_>) -> (Level<'t>, Option<&'static Preset>) {
    let read = |value: &Value<'t>, _: &mut Reading<'_>| {
        let words: Vec<(&'static str, &'static Preset)> =
            presets::PRESETS.iter().map(|preset| (preset.name, *preset)).collect();
        value.choice(&words)
    };
    let preset = level.optional("preset", r, read, |preset| Shown::Text(preset.name.into()));
    let Some(preset) = preset else { return (level, None) };
    if let Some((sign, folder)) = preset.wrong_root
        && let Some(root) = level.own.as_ref().and_then(|own| own.get("root"))
        && let Some(text) = root.as_text()
        && r.machine.mode(&r.path(text).join(sign)).is_some()
    {
        let meant = Path::new(text).join(folder);
        let expected =
            format!("\"{}\": with `{text}` visitors could read the application's own files", meant.display());
        r.refuse(root.span(), *root.refuse(format!("`{text}`, which has {sign}"), expected).problem);
    }
    (Level { defaults: Some(preset.table()), preset: Some(preset.name), ..level }, Some(preset))
}

/// The preset's validators, where the site names the source; its own `[[site.validator]]` replace them.
pub(super) fn validators(
    site: &Level<'_>,
    preset: Option<&'static Preset>,
    r: &mut Reading<'_>,
) -> Vec<ValidatorSettings> {
    let show = |kept: &Kept| match kept {
        Kept::Database(database) => database.shown(),
        Kept::Folder(folder) => Shown::Text(format!("file:{}", folder.display())),
    };
    let kept = site.optional("database", r, kept, show);
    let Some(preset) = preset else {
        if site.says("database") {
            let without = "applies to the validator of a preset: set `preset` too, or write a [[site.validator]]";
            site.alone("database", without, r);
        }
        return Vec::new();
    };
    let Some(kept) = kept else { return Vec::new() };
    if preset.validators.is_empty() {
        let message = format!("`database` has no effect: the preset {} has no validator", preset.name);
        r.warn(site.at(&["database"]), message);
    }
    if site.says("validator") {
        return Vec::new();
    }
    let mut validators = Vec::new();
    for (index, one) in preset.validators.iter().enumerate() {
        let Some(source) = source(one, &kept) else {
            let expected = format!("one that the preset {} has a query for: see its page", preset.name);
            site.refuse("database", "another kind of database", expected, r);
            return Vec::new();
        };
        let (mine, value) = match &source {
            ValidatorSource::File { path } => ("file", path.clone()),
            ValidatorSource::Postgres { query, .. }
            | ValidatorSource::MySql { query, .. }
            | ValidatorSource::Sqlite { query, .. } => ("query", query.clone()),
            ValidatorSource::Head => ("head", String::new()),
        };
        let place = || (site.whose.clone(), Some(index));
        let origin = Origin::Preset(preset.name);
        r.explain(place(), ("validator", "path"), Shown::Text(one.path.into()), origin);
        if let Kept::Database(database) = &kept {
            r.explain(place(), ("validator", "database"), database.shown(), origin);
        }
        r.explain(place(), ("validator", mine), Shown::Text(value), origin);
        let settings = ValidatorSettings {
            path: one.path.to_owned(),
            source,
            timeout: TIMEOUT,
            connections: CONNECTIONS,
            stale: None,
            listen: None,
            shared: None,
        };
        validators.push(settings);
    }
    validators
}

/// The source of a validator; `None` if it has no query for this kind of database.
fn source(one: &PresetValidator, kept: &Kept) -> Option<ValidatorSource> {
    match (&one.asked, kept) {
        (Asked::File(name), Kept::Folder(folder)) => {
            Some(ValidatorSource::File { path: folder.join(name).into_os_string().into_string().ok()? })
        }
        (Asked::Query { mysql, postgres, sqlite }, Kept::Database(database)) => {
            let query = match database {
                Database::MySql(_) => mysql,
                Database::Postgres(_) => postgres,
                Database::Sqlite(_) => sqlite,
            };
            let query = (*query)?;
            let named = unladen_validator::PathPattern::parse(one.path).map(|path| path.names().to_vec()).ok()?;
            let wanted = database.placeholders(query).ok()?;
            Some(database.clone().source(query.to_owned(), named.into_iter().take(wanted).collect()))
        }
        (Asked::File(_), Kept::Database(_)) | (Asked::Query { .. }, Kept::Folder(_)) => None,
    }
}

fn kept(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Kept, Bad> {
    let text = value.one_line()?;
    match text.strip_prefix("file:") {
        Some("") => {
            Err(value.refuse(format!("`{text}`"), "a folder after `file:`, such as \"file:/var/www/dokuwiki/data\""))
        }
        Some(path) if path.contains(['{', '}']) => Err(value.refuse(format!("`{text}`"), "a path without braces")),
        Some(path) => Ok(Kept::Folder(r.path(path))),
        None => database::read(value, r).map(Kept::Database),
    }
}

#[cfg(test)]
mod tests;
