//! The lists of the loader. The principal type is [`Lists`].

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use super::source::source;
use super::vendor_loader::VendorLoader;
use crate::Problem;
use crate::php::constant::{Value, assigned_all, returned};
use crate::readers::composer::path::plain;

type Prefixes = Vec<(BString, Vec<PathBuf>)>;

#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) classes: Vec<(BString, BString)>,
    pub(super) classes_in: PathBuf,
    pub(super) psr4: Prefixes,
    pub(super) psr4_in: PathBuf,
    pub(super) psr0: Prefixes,
    pub(super) psr0_in: PathBuf,
}

const PROPERTIES: [&str; 5] = ["classMap", "prefixDirsPsr4", "fallbackDirsPsr4", "prefixesPsr0", "fallbackDirsPsr0"];

impl Lists {
    /// From autoload_static.php, which Composer's loader uses.
    pub(super) fn of_static(folder: &Path, found: &mut VendorLoader) -> Result<Self, Problem> {
        let file = folder.join("autoload_static.php");
        let source = source(&file)?;
        found.inputs.push(file.clone());
        let names = PROPERTIES.map(|name| format!("${name}"));
        let values = assigned_all(&source, &file, &names.each_ref().map(String::as_str)).map_err(Problem::hiding)?;
        // The loader gets only those that the initializer passes on.
        let mut values = PROPERTIES.iter().zip(values).map(|(name, value)| {
            let handed = source.contains_str(format!("->{name} ="));
            value.filter(|_| handed).unwrap_or(Value::Array(Vec::new()))
        });
        let mut next = || values.next().unwrap_or(Value::Null);
        let mut read = Read { file: &file, problems: &mut found.problems };
        let classes = read.classes(next());
        let mut psr4 = read.prefixes(next());
        let fallback = read.folders(next());
        psr4.extend((!fallback.is_empty()).then(|| (BString::default(), fallback)));
        // They are grouped by first letter.
        let by_letter = read.array(next(), "prefixes by their first letters");
        let mut psr0: Prefixes = by_letter.into_iter().flat_map(|(_, prefixes)| read.prefixes(prefixes)).collect();
        let fallback = read.folders(next());
        psr0.extend((!fallback.is_empty()).then(|| (BString::default(), fallback)));
        Ok(Self { classes, psr4, psr0, classes_in: file.clone(), psr4_in: file.clone(), psr0_in: file.clone() })
    }

    /// From the files that older versions of Composer read.
    pub(super) fn of_files(folder: &Path, found: &mut VendorLoader) -> Result<Self, Problem> {
        let files = ["classmap", "psr4", "namespaces"].map(|name| folder.join(format!("autoload_{name}.php")));
        let [classes_in, psr4_in, psr0_in] = files;
        let mut value = |file: &PathBuf| {
            let source = source(file)?;
            found.inputs.push(file.clone());
            returned(&source, file).map_err(Problem::hiding)
        };
        let (classes, psr4, psr0) = (value(&classes_in)?, value(&psr4_in)?, value(&psr0_in)?);
        let problems = &mut found.problems;
        let classes = Read { file: &classes_in, problems }.classes(classes);
        let psr4 = last_fallback(Read { file: &psr4_in, problems }.prefixes(psr4));
        let psr0 = last_fallback(Read { file: &psr0_in, problems }.prefixes(psr0));
        Ok(Self { classes, classes_in, psr4, psr4_in, psr0, psr0_in })
    }
}

/// The empty prefix is tried when no other has led to a file.
fn last_fallback(mut prefixes: Prefixes) -> Prefixes {
    prefixes.sort_by_key(|(prefix, _)| prefix.is_empty());
    prefixes
}

struct Read<'a> {
    file: &'a Path,
    problems: &'a mut Vec<Problem>,
}

impl Read<'_> {
    fn classes(&mut self, value: Value) -> Vec<(BString, BString)> {
        let mut classes = Vec::new();
        for (class, path) in self.array(value, "classes and their files") {
            // A name of digits alone becomes an integer key, and no class.
            if let (Value::String(class), Some(path)) = (class, self.path(path)) {
                classes.push((class, path.into_os_string().into_encoded_bytes().into()));
            }
        }
        classes
    }

    fn prefixes(&mut self, value: Value) -> Prefixes {
        let mut prefixes = Vec::new();
        for (prefix, folders) in self.array(value, "prefixes and their folders") {
            if let Value::String(prefix) = prefix {
                prefixes.push((prefix, self.folders(folders)));
            }
        }
        prefixes
    }

    fn folders(&mut self, value: Value) -> Vec<PathBuf> {
        let folders = match value {
            Value::Array(folders) => folders.into_iter().map(|(_, folder)| folder).collect(),
            one => vec![one],
        };
        folders.into_iter().filter_map(|folder| self.path(folder)).collect()
    }

    fn path(&mut self, value: Value) -> Option<PathBuf> {
        match value {
            Value::String(path) if path.starts_with(b"/") => Some(plain(Path::new("/"), &path)),
            other => {
                let what = match &other {
                    Value::String(path) => format!("`{path}`"),
                    other => other.kind().to_owned(),
                };
                self.wrong(format!("an absolute path was expected, not {what}; it is passed over"));
                None
            }
        }
    }

    fn array(&mut self, value: Value, of: &str) -> Vec<(Value, Value)> {
        match value {
            Value::Array(elements) => elements,
            other => {
                self.wrong(format!("an array of {of} was expected, not {}; run composer dump-autoload", other.kind()));
                Vec::new()
            }
        }
    }

    fn wrong(&mut self, what: String) {
        self.problems.push(Problem::of(self.file, what).hiding());
    }
}
