//! A written map: whether it is still right ([`Check`]), and how it was made ([`Made`]): a line at its head, so that
//! checking it needs no options.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};
use serde_json::{Map as Object, Value as Json, json};

use crate::php::constant::{Value, assigned};
use crate::readers::path::lexical;
use crate::{Extensions, Map, Options, Problem, Tree};

/// Differences between a written map and the one that would be written now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Classes whose file is missing, by name, each with the file.
    pub gone: Vec<(BString, BString)>,
    pub undeclared: Vec<(BString, BString)>,
    pub lacking: Vec<(BString, BString)>,
    /// Classes that the loaders find in another file: the written one, then the other.
    pub moved: Vec<(BString, BString, BString)>,
    /// Classes whose files declare them, but which the loaders do not find.
    pub unfound: Vec<(BString, BString)>,
}

impl Check {
    /// Compares the written map with what would be written now.
    pub fn of(written: &Written, map: &Map, tree: &Tree) -> Self {
        let mut check = Self::default();
        let now: BTreeMap<&BStr, &BStr> =
            map.entries.iter().map(|entry| (entry.class.as_bstr(), entry.path.as_bstr())).collect();
        for (class, path) in &written.classes {
            let pair = || (class.clone(), path.clone());
            let declares = match tree.file(path.as_bstr()) {
                Some(file) => Some(file.declaration_of(class.as_bstr()).is_some()),
                None => Tree::look(Path::new(std::ffi::OsStr::from_bytes(path)))
                    .map(|file| file.declaration_of(class.as_bstr()).is_some()),
            };
            match (declares, now.get(class.as_bstr())) {
                (None, _) => check.gone.push(pair()),
                (Some(false), _) => check.undeclared.push(pair()),
                (Some(true), None) => check.unfound.push(pair()),
                (Some(true), Some(other)) if *other != path => {
                    check.moved.push((class.clone(), path.clone(), (*other).to_owned()));
                }
                (Some(true), Some(_)) => {}
            }
        }
        for (class, path) in now {
            if !written.classes.contains_key(class) {
                check.lacking.push((class.to_owned(), path.to_owned()));
            }
        }
        check
    }

    /// Whether there is no difference.
    pub fn is_current(&self) -> bool {
        *self == Self::default()
    }
}

/// A map as read from a file.
#[derive(Debug, Default)]
pub struct Written {
    pub classes: BTreeMap<BString, BString>,
}

impl Written {
    /// Reads the PHP form from the bytes of `file`. Fails if it is no map of ours.
    pub fn read(source: &[u8], file: &Path) -> Result<Self, Problem> {
        let foreign = || {
            Problem::of(
                file,
                "it is not a class map of unladen, which has a constant FILES: write it \
            again",
            )
        };
        let Some(Value::Array(entries)) = assigned(source, file, "FILES")? else { return Err(foreign()) };
        let mut classes = BTreeMap::new();
        for (class, path) in entries {
            let (Value::String(class), Value::String(path)) = (class, path) else { return Err(foreign()) };
            classes.insert(class, path);
        }
        Ok(Self { classes })
    }
}

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
        let from_here = |path: &Path| text(from(folder, path).as_os_str().as_bytes());
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
        format!("{MARK}{}\n", Json::Object(object).to_string().replace('>', "\\u003e"))
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
                "the map does not say how it was made: use --reader and similar options, or write it again",
            )
        };
        let folder = target.parent().unwrap_or(Path::new("/"));
        let value: Json = serde_json::from_slice(&line[MARK.len()..]).map_err(|_| wrong())?;
        Self::of(&value, folder).ok_or_else(wrong).map(Some)
    }

    fn of(value: &Json, folder: &Path) -> Option<Self> {
        let object = value.as_object()?;
        let flag = |key: &str| object.get(key).map_or(Some(false), Json::as_bool);
        // By names alone, as it was written, whatever links there are.
        let from_there = |value: &Json| Some(lexical(folder, &bytes(value)?));
        let pair = |value: &Json| match value.as_array()?.as_slice() {
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

/// `root` relative to `folder`, unchanged if they have nothing in common. Both are absolute.
pub(crate) fn from(folder: &Path, root: &Path) -> PathBuf {
    let common = folder.components().zip(root.components()).take_while(|(a, b)| a == b).count();
    if common == 1 && folder != Path::new("/") {
        return root.to_owned();
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(root.components().skip(common)).collect();
    if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative }
}

/// Bytes in JSON: a string if they are UTF-8, else numbers.
fn text(bytes: &[u8]) -> Json {
    bytes.to_str().map_or_else(|_| bytes.iter().map(|byte| Json::from(*byte)).collect(), Json::from)
}

fn bytes(value: &Json) -> Option<Vec<u8>> {
    match value {
        Json::String(text) => Some(text.clone().into_bytes()),
        Json::Array(numbers) => numbers.iter().map(|number| u8::try_from(number.as_u64()?).ok()).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
