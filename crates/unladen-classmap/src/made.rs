//! How a map was made. The principal type is [`Made`]: a line at the head of the map, so that checking the map needs no
//! options.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use bstr::{BString, ByteSlice};
use serde_json::{Map as Object, Value, json};

use crate::{Extensions, Options, Problem, emit};

const MARK: &str = "// Made with: ";
/// The line is near the beginning: arrays follow.
const HEAD: usize = 64 << 10;

/// How a map was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub reader: String,
    pub root: PathBuf,
    pub options: Options,
}

impl Made {
    /// A line for the head of the map in `target`. Paths are relative to it: the application may be moved with its map.
    pub fn line(&self, target: &Path) -> String {
        let folder = target.parent().unwrap_or(Path::new("/"));
        let from_here = |path: &Path| text(emit::from(folder, path).as_os_str().as_bytes());
        let mut object = Object::new();
        object.insert("reader".into(), self.reader.as_str().into());
        object.insert("root".into(), from_here(&self.root));
        let Options { extensions, settings, dev, psr4, answers, .. } = &self.options;
        if *extensions == Extensions::All {
            object.insert("all_extensions".into(), true.into());
        }
        if let Some(settings) = settings {
            object.insert("settings".into(), from_here(settings));
        }
        if let Some(answers) = answers {
            object.insert("answers".into(), from_here(answers));
        }
        if *dev {
            object.insert("dev".into(), true.into());
        }
        if !psr4.is_empty() {
            let pair =
                |(prefix, folder): &(BString, PathBuf)| json!([text(prefix), text(folder.as_os_str().as_bytes())]);
            object.insert("psr4".into(), psr4.iter().map(pair).collect());
        }
        // It must contain neither PHP's end mark nor a line's end; JSON escapes the latter.
        format!("{MARK}{}\n", Value::Object(object).to_string().replace('>', "\\u003e"))
    }

    /// Reads the line of the map in `target`; `None` if there is none. Fails if the line cannot be read.
    pub fn read(source: &[u8], target: &Path) -> Result<Option<Self>, Problem> {
        let head = &source[..source.len().min(HEAD)];
        let Some((at, line)) = head.lines().enumerate().find(|(_, line)| line.starts_with(MARK.as_bytes())) else {
            return Ok(None);
        };
        let wrong = || {
            let line = u32::try_from(at + 1).unwrap_or(u32::MAX);
            Problem::at(
                target,
                line,
                "how the map was made cannot be read: say it with --reader and the like, or make it anew",
            )
        };
        let folder = target.parent().unwrap_or(Path::new("/"));
        let value: Value = serde_json::from_slice(&line[MARK.len()..]).map_err(|_| wrong())?;
        Self::of(&value, folder).ok_or_else(wrong).map(Some)
    }

    fn of(value: &Value, folder: &Path) -> Option<Self> {
        let object = value.as_object()?;
        let flag = |key: &str| object.get(key).map_or(Some(false), Value::as_bool);
        let from_there = |value: &Value| Some(lexical(&folder.join(OsStr::from_bytes(&bytes(value)?))));
        let pair = |value: &Value| match value.as_array()?.as_slice() {
            [prefix, folder] => Some((BString::from(bytes(prefix)?), OsStr::from_bytes(&bytes(folder)?).into())),
            _ => None,
        };
        let psr4 = match object.get("psr4") {
            Some(pairs) => pairs.as_array()?.iter().map(pair).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        let file = |key: &str| match object.get(key) {
            Some(file) => from_there(file).map(Some),
            None => Some(None),
        };
        let (settings, answers) = (file("settings")?, file("answers")?);
        let extensions = if flag("all_extensions")? { Extensions::All } else { Extensions::Enabled };
        Some(Self {
            reader: object.get("reader")?.as_str()?.to_owned(),
            root: from_there(object.get("root")?)?,
            options: Options { extensions, settings, dev: flag("dev")?, psr4, anew: false, answers },
        })
    }

    /// The options as on the command line, without the folder.
    pub fn words(&self) -> String {
        let Options { extensions, settings, dev, psr4, answers, .. } = &self.options;
        let mut words = vec![format!("--reader {}", self.reader)];
        words.extend((*extensions == Extensions::All).then(|| "--all-extensions".to_owned()));
        words.extend(settings.iter().map(|settings| format!("--settings {}", settings.display())));
        words.extend(answers.iter().map(|answers| format!("with the answers in {}", answers.display())));
        words.extend(dev.then(|| "--dev".to_owned()));
        words.extend(psr4.iter().map(|(prefix, folder)| format!("--psr4 '{prefix}={}'", folder.display())));
        words.join(" ")
    }
}

/// Removes `..` by names alone, as it was written, whatever links there are.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Bytes in JSON: a string if they are UTF-8, else numbers.
fn text(bytes: &[u8]) -> Value {
    bytes.to_str().map_or_else(|_| bytes.iter().map(|byte| Value::from(*byte)).collect(), Value::from)
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Array(numbers) => numbers.iter().map(|number| u8::try_from(number.as_u64()?).ok()).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
