//! JSON files of Composer ([`read`]), and a package's composer.json. The principal type is [`Package`].

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Problem;
use crate::input::read_whole;

#[derive(Debug, Clone, Default)]
pub(super) struct Package {
    pub(super) is_root: bool,
    /// In lower case.
    pub(super) name: String,
    /// Including its `target-dir`.
    pub(super) folder: PathBuf,
    pub(super) target: Option<String>,
    pub(super) requires: Vec<String>,
    pub(super) requires_dev: Vec<String>,
    pub(super) replaces: Vec<String>,
    pub(super) provides: Vec<String>,
    pub(super) autoload: Autoload,
    pub(super) autoload_dev: Autoload,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Autoload {
    pub(super) psr4: Vec<(String, Vec<String>)>,
    pub(super) psr0: Vec<(String, Vec<String>)>,
    pub(super) classmap: Vec<String>,
    pub(super) excluded: Vec<String>,
}

impl Package {
    pub(super) fn of(json: &Value, folder: PathBuf) -> Self {
        let text = |key: &str| json.get(key).and_then(Value::as_str);
        Self {
            is_root: false,
            name: text("name").unwrap_or_default().to_lowercase(),
            folder,
            target: text("target-dir")
                .map(|target| target.trim_matches('/').to_owned())
                .filter(|target| !target.is_empty()),
            requires: links(json, "require"),
            requires_dev: links(json, "require-dev"),
            replaces: links(json, "replace"),
            provides: links(json, "provide"),
            autoload: Autoload::of(json.get("autoload")),
            autoload_dev: Autoload::of(json.get("autoload-dev")),
        }
    }

    /// The base folder of its `autoload` paths: above the package's folder if it has a `target-dir`.
    pub(super) fn base(&self) -> &Path {
        let levels = self.target.as_ref().map_or(0, |target| Path::new(target).components().count());
        self.folder.ancestors().nth(levels).unwrap_or(&self.folder)
    }

    /// Its name, and those it replaces or provides.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        [&self.name].into_iter().chain(&self.provides).chain(&self.replaces)
    }
}

impl Autoload {
    fn of(json: Option<&Value>) -> Self {
        let part = |key: &str| json.and_then(|json| json.get(key));
        Self {
            psr4: prefixes(part("psr-4")),
            psr0: prefixes(part("psr-0")),
            classmap: part("classmap").map(strings).unwrap_or_default(),
            excluded: part("exclude-from-classmap").map(strings).unwrap_or_default(),
        }
    }

    pub(super) fn and(mut self, more: &Self) -> Self {
        for (mine, theirs) in [(&mut self.psr4, &more.psr4), (&mut self.psr0, &more.psr0)] {
            for (prefix, folders) in theirs {
                match mine.iter_mut().find(|(known, _)| known == prefix) {
                    Some((_, known)) => known.extend_from_slice(folders),
                    None => mine.push((prefix.clone(), folders.clone())),
                }
            }
        }
        self.classmap.extend_from_slice(&more.classmap);
        self.excluded.extend_from_slice(&more.excluded);
        self
    }
}

fn prefixes(json: Option<&Value>) -> Vec<(String, Vec<String>)> {
    let Some(Value::Object(prefixes)) = json else { return Vec::new() };
    prefixes.iter().map(|(prefix, folders)| (prefix.clone(), strings(folders))).collect()
}

fn links(json: &Value, key: &str) -> Vec<String> {
    json.get(key)
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|links| links.keys())
        .map(|name| name.to_lowercase())
        .collect()
}

/// Parses the file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Value>, Problem> {
    let source = match read_whole(path) {
        Ok(source) => source,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Problem::of(path, format!("it cannot be read: {error}")).hiding()),
    };
    serde_json::from_slice(&source).map(Some).map_err(|error| {
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or(&words);
        Problem::at(path, line, format!("not JSON, at column {}: {words}", error.column())).hiding()
    })
}

/// Parses the file, which must hold an object.
pub(super) fn read_object(path: &Path) -> Result<Option<Value>, Problem> {
    let value = read(path)?;
    match &value {
        // An empty list is an empty object to PHP.
        Some(Value::Array(list)) if list.is_empty() => Ok(value),
        None | Some(Value::Object(_)) => Ok(value),
        Some(_) => Err(Problem::of(path, "expected an object, `{ … }`").hiding()),
    }
}

/// The strings in a list, or a single string instead.
pub(super) fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(one) => vec![one.clone()],
        Value::Array(list) => list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        Value::Object(object) => object.values().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}
