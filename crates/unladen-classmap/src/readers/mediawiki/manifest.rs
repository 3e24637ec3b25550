//! The `extension.json` or `skin.json` of one extension or skin. The principal type is [`Manifest`].

use std::path::{Path, PathBuf};

use bstr::BString;
use serde_json::{Map, Value};

use crate::Problem;
use crate::input::read_whole;
use crate::readers::path;

/// What MediaWiki's ExtensionProcessor takes from it for classes, except entries for tests.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    pub(super) origin: PathBuf,
    /// `AutoloadClasses`: classes and files.
    pub(super) classes: Vec<(BString, BString)>,
    /// `AutoloadNamespaces`: prefixes and folders, joined as the code does: a trailing `/` matters in some releases.
    pub(super) namespaces: Vec<(BString, BString)>,
    /// `load_composer_autoloader`: the folder of Composer's own loader.
    pub(super) vendor: Option<PathBuf>,
}

impl Manifest {
    /// All extensions and skins present, by name.
    pub(super) fn all(root: &Path) -> Vec<PathBuf> {
        let mut manifests = Vec::new();
        for (folder, file) in [("extensions", "extension.json"), ("skins", "skin.json")] {
            let names = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
            let mut of_kind: Vec<_> = names.map(|name| name.path().join(file)).filter(|path| path.is_file()).collect();
            of_kind.sort();
            manifests.append(&mut of_kind);
        }
        manifests
    }

    /// Fails if MediaWiki would refuse it, too: the wiki does not work then, so there is nothing to save.
    pub(super) fn read(origin: &Path) -> Result<Self, Problem> {
        let text = read_whole(origin).map_err(|error| {
            let what = match error.kind() {
                std::io::ErrorKind::NotFound => {
                    "is enabled, but not there; MediaWiki itself would stop here".to_owned()
                }
                _ => format!("cannot be read ({error}): none of its classes is in the map"),
            };
            Problem::of(origin, what)
        })?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
            let what = format!("is not JSON: {error}; none of its classes is in the map");
            Problem::at(origin, line, what)
        })?;
        let Value::Object(value) = value else {
            return Err(Problem::of(origin, "an object in JSON was expected; none of its classes is in the map"));
        };
        let folder = origin.parent().unwrap_or(origin);
        let classes = pairs(origin, &value, "AutoloadClasses")?
            .map(|(class, file)| (class, path::bytes(path::plain(&joined(folder, file)))))
            .collect();
        let namespaces =
            pairs(origin, &value, "AutoloadNamespaces")?.map(|(prefix, to)| (prefix, joined(folder, to))).collect();
        let vendor = (value.get("load_composer_autoloader") == Some(&Value::Bool(true))).then(|| folder.join("vendor"));
        Ok(Self { origin: origin.to_owned(), classes, namespaces, vendor })
    }
}

/// As ExtensionProcessor does: the result is below the folder, even if `to` begins with `/`.
fn joined(folder: &Path, to: &str) -> BString {
    let mut joined = path::bytes(folder.to_owned());
    joined.push(b'/');
    joined.extend_from_slice(to.as_bytes());
    joined
}

fn pairs<'a>(
    origin: &Path,
    value: &'a Map<String, Value>,
    key: &str,
) -> Result<impl Iterator<Item = (BString, &'a str)> + use<'a>, Problem> {
    let wrong = || {
        Problem::of(
            origin,
            format!("`{key}` was expected to name strings by strings; none of its classes is in the map"),
        )
    };
    let object = match value.get(key) {
        Some(Value::Object(object)) => Some(object),
        // To PHP, an empty list and an empty object are the same.
        None | Some(Value::Null) => None,
        Some(Value::Array(list)) if list.is_empty() => None,
        Some(_) => return Err(wrong()),
    };
    let pairs: Vec<_> = object
        .into_iter()
        .flatten()
        .map(|(name, to)| Some((BString::from(name.as_str()), to.as_str()?)))
        .collect::<Option<_>>()
        .ok_or_else(wrong)?;
    Ok(pairs.into_iter())
}
