//! The answers of an application's own loaders. The principal type is [`Answers`].

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice as _};
use serde_json::{Value, json};

use crate::{Problem, emit, read_whole};

/// Start of the file. It may be in a folder that a web server serves: as PHP it prints nothing.
const HEAD: &str = "<?php exit; __halt_compiler();\n";
/// Schema name; changes when an older version could not read the file.
const SCHEMA: &str = "unladen.classmap-answers/1";

/// The file that an application's loaders include for each class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// In the order in which PHP asks them.
    pub loaders: Vec<Asked>,
    /// Class and absolute file.
    pub classes: BTreeMap<BString, BString>,
    /// Classes for which a map would behave differently from the loaders, with the reason.
    pub left_out: BTreeMap<BString, String>,
}

/// A loader that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// `Smarty_Autoloader::autoload`, `a closure`
    pub name: String,
    /// `FILE:LINE`
    pub place: Option<String>,
    /// Whether it prepends itself to a loader registered before the application's script.
    pub front: bool,
}

impl Asked {
    /// Name and place, for people.
    pub fn words(&self) -> String {
        self.place.as_ref().map_or_else(|| self.name.clone(), |place| format!("{} in {place}", self.name))
    }
}

impl Answers {
    /// Contents of the file for the application in `root`. Names that are not UTF-8 are left out.
    pub fn text(&self, root: &Path) -> String {
        let loader = |one: &Asked| json!({ "name": one.name, "place": one.place, "front": one.front });
        let class = |(class, file): (&BString, &BString)| {
            let file = emit::relative(file.as_bstr(), root).to_str().ok()?.to_owned();
            Some((class.to_str().ok()?.to_owned(), Value::String(file)))
        };
        let classes: serde_json::Map<String, Value> = self.classes.iter().filter_map(class).collect();
        let left_out: serde_json::Map<String, Value> = self
            .left_out
            .iter()
            .filter_map(|(class, why)| Some((class.to_str().ok()?.to_owned(), why.as_str().into())))
            .collect();
        let value = json!({
            "schema": SCHEMA,
            "loaders": self.loaders.iter().map(loader).collect::<Vec<_>>(),
            "classes": classes,
            "left_out": left_out,
        });
        format!("{HEAD}{value:#}\n")
    }

    /// Reads what [`Answers::text`] wrote. Fails if the file cannot be read or is something else.
    pub fn read(file: &Path, root: &Path) -> Result<Self, Problem> {
        let source = read_whole(file).map_err(|error| {
            Problem::of(file, format!("cannot be read: {error}; `unladen classmap --ask` writes it"))
        })?;
        let what = "it has no answers of an application's loaders, or answers of another version: ask again with --ask";
        Self::of(&source, root).ok_or_else(|| Problem::of(file, what))
    }

    fn of(source: &[u8], root: &Path) -> Option<Self> {
        let value: Value = serde_json::from_slice(source.strip_prefix(HEAD.as_bytes())?).ok()?;
        (value.get("schema")? == SCHEMA).then_some(())?;
        let loader = |one: &Value| {
            Some(Asked {
                name: one.get("name")?.as_str()?.to_owned(),
                place: one.get("place")?.as_str().map(str::to_owned),
                front: one.get("front")?.as_bool()?,
            })
        };
        let class = |(class, file): (&String, &Value)| {
            let file = root.join(OsStr::from_bytes(file.as_str()?.as_bytes()));
            Some((BString::from(class.as_str()), BString::from(file.into_os_string().into_encoded_bytes())))
        };
        let left_out =
            |(class, why): (&String, &Value)| Some((BString::from(class.as_str()), why.as_str()?.to_owned()));
        Some(Self {
            loaders: value.get("loaders")?.as_array()?.iter().map(loader).collect::<Option<_>>()?,
            classes: value.get("classes")?.as_object()?.iter().map(class).collect::<Option<_>>()?,
            left_out: value.get("left_out")?.as_object()?.iter().map(left_out).collect::<Option<_>>()?,
        })
    }

    /// Location of the answers: beside the map.
    pub fn place(map: &Path) -> PathBuf {
        map.with_extension("answers.php")
    }
}

#[cfg(test)]
mod tests;
