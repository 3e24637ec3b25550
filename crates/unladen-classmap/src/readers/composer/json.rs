//! JSON files. The principal function is [`read`].

use std::path::Path;

use serde_json::Value;

use crate::Problem;
use crate::input::read_whole;

/// Parses the file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Value>, Problem> {
    let source = match read_whole(path) {
        Ok(source) => source,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Problem::of(path, format!("it can't be read: {error}")).hiding()),
    };
    serde_json::from_slice(&source).map(Some).map_err(|error| {
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or(&words);
        Problem::at(path, line, format!("no JSON, at column {}: {words}", error.column())).hiding()
    })
}

/// Parses the file, which must hold an object.
pub(super) fn read_object(path: &Path) -> Result<Option<Value>, Problem> {
    let value = read(path)?;
    match &value {
        // An empty list is an empty object to PHP.
        Some(Value::Array(list)) if list.is_empty() => Ok(value),
        None | Some(Value::Object(_)) => Ok(value),
        Some(_) => Err(Problem::of(path, "an object was expected, `{ … }`").hiding()),
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
