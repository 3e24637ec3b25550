//! The map as JSON: `unladen.classmap/1`.

use std::path::Path;

use bstr::{BStr, ByteSlice};
use serde_json::{Map as Object, Value, json};

use crate::{Application, Map, Problem};

/// Schema name; changes when a reading program would have to.
const SCHEMA: &str = "unladen.classmap/1";

/// One document. Paths below `root` are relative to it. JSON cannot hold names that are not UTF-8: those classes are in
/// `not_utf8`, in hexadecimal.
pub fn json(map: &Map, application: &Application, root: &Path) -> Value {
    let mut classes = Object::with_capacity(map.entries.len());
    let mut not_utf8 = Vec::new();
    for entry in &map.entries {
        match (entry.class.to_str(), relative(entry.path.as_bstr(), root).to_str()) {
            (Ok(class), Ok(path)) => {
                classes.insert(class.to_owned(), path.into());
            }
            _ => not_utf8.push(json!({ "class": hex(&entry.class), "path": hex(&entry.path) })),
        }
    }
    let path = |path: &[u8]| relative(path.as_bstr(), root).to_str_lossy().into_owned();
    let duplicates: Vec<_> = map
        .duplicates
        .iter()
        .map(|one| {
            json!({
                "class": one.class.to_str_lossy(),
                "wins": one.wins.as_ref().map(|wins| path(wins)),
                "why": one.why,
                "others": one.others.iter().map(|other| path(other)).collect::<Vec<_>>(),
            })
        })
        .collect();
    let violations: Vec<_> = map
        .violations
        .iter()
        .map(|one| {
            let expected = one.expected.to_string_lossy();
            json!({ "class": one.class.to_str_lossy(), "path": path(&one.path), "expected": path(expected.as_bytes()) })
        })
        .collect();
    json!({
        "schema": SCHEMA,
        "root": root.to_string_lossy(),
        "loaders": application.loaders.iter().map(|loader| &loader.name).collect::<Vec<_>>(),
        "classes": classes,
        "not_utf8": not_utf8,
        "duplicates": duplicates,
        "violations": violations,
        "problems": map.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// A problem as an object.
pub fn problem(problem: &Problem) -> Value {
    json!({
        "path": problem.path.to_string_lossy(),
        "line": problem.line,
        "what": problem.what,
        "hides": problem.hides,
    })
}

/// The path relative to `root`, if below it.
pub fn relative<'a>(path: &'a BStr, root: &Path) -> &'a BStr {
    use std::os::unix::ffi::OsStrExt;
    let below = path.strip_prefix(root.as_os_str().as_bytes()).and_then(|rest| rest.strip_prefix(b"/"));
    below.map_or(path, |rest| rest.as_bstr())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
