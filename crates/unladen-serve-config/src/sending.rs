//! Reads `[site.files]`: how files are sent.

use std::path::PathBuf;
use std::time::Duration;

use unladen_toml::{Bad, Value};

use super::explain::{Origin, Shown};
use super::level::Level;
use super::reading::Reading;
use super::strings::{self, texts};
use crate::settings::FilesSettings;

const FORM: &str = "a path such as \"/build/*\", or a file name such as \"*.css\"";
/// The longest meaningful lifetime.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) fn read(site: &Level<'_>, r: &mut Reading<'_>) -> FilesSettings {
    let usual = FilesSettings::default();
    let place = (site.whose.clone(), None);
    let Some((_, origin)) = site.find("files", r) else {
        r.explain(place, (site.table, "files"), Shown::None, Origin::BuiltIn);
        return usual;
    };
    r.explain(place, (site.table, "files"), Shown::Flag(true), origin);
    let level = &site.group("files", r);
    let immutable = level.take(
        "immutable",
        usual.immutable,
        r,
        |value, r| texts(value, |value| pattern(value.one_line()?, value), r),
        |list| strings::show(list),
    );
    let age = |name: &str, value: &Value<'_>| Ok((pattern(name, value)?, value.duration(Duration::ZERO..=YEAR)?));
    let max_age = strings::map(level, "max_age", age, r);
    FilesSettings {
        immutable,
        max_age,
        precompressed: level.flag("precompressed", usual.precompressed, r),
        hidden: level.flag("hidden", usual.hidden, r),
        allow: level.take(
            "allow",
            usual.allow,
            r,
            |value, r| texts(value, |value| pattern(value.one_line()?, value), r),
            |list| strings::show(list),
        ),
        memory: level.flag("memory", usual.memory, r),
        links: level.take(
            "links",
            Vec::new(),
            r,
            |value, r| folders(value, r),
            |folders| strings::show(&folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>()),
        ),
    }
}

fn folders(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<PathBuf>, Bad> {
    let names = texts(value, |value| value.one_line().map(str::to_owned), r)?;
    Ok(names.iter().map(|name| r.path(name)).collect())
}

/// One `*`, at the end or at the beginning of a name.
fn pattern(text: &str, value: &Value<'_>) -> Result<String, Bad> {
    let is_path = text.starts_with('/');
    let name = if is_path { text.strip_suffix('*') } else { text.strip_prefix('*').or(text.strip_suffix('*')) };
    let name = name.unwrap_or(text);
    let is_pattern = !name.is_empty() && !name.contains(['*', '?', '#', '%', '\0']) && (is_path || !name.contains('/'));
    if is_pattern { Ok(text.to_owned()) } else { Err(value.refuse(format!("`{text}`"), FORM)) }
}
