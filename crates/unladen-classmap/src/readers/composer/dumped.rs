//! The loader that Composer has written: [`vendor`]; and those in plugins: [`vendors`].

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use crate::input::read_whole;
use crate::php::constant::{Value, assigned_all, returned};
use crate::php::token::{Tokens, What};
use crate::readers::composer;
use crate::readers::path::lexical;
use crate::{Application, Loader, Problem, Rule, Standing};

pub(crate) fn is_dumped(vendor: &Path) -> bool {
    vendor.join("composer/autoload_real.php").is_file()
}

/// The loader that Composer has written; `name` is the folder's name for people. Fails if it is missing or unreadable.
pub(crate) fn vendor(vendor: &Path, name: &str) -> Result<VendorLoader, Problem> {
    // PHP's `__DIR__` has no links.
    let folder = vendor.join("composer");
    let folder = folder
        .canonicalize()
        .map_err(|error| Problem::of(folder, format!("it cannot be read: {error}; run composer install")).hiding())?;
    let real = folder.join("autoload_real.php");
    let source = source(&real)?;
    let flags = Flags::of(&source);
    let mut found = VendorLoader { prepends: flags.prepends, inputs: vec![real.clone()], ..VendorLoader::default() };
    found.loader.name = format!("Composer ({name})");
    if flags.include_path && !flags.authoritative {
        let what = "it also searches PHP's include_path (use-include-path), which is not followed: it is known only \
            in the running PHP";
        found.problems.push(Problem::of(&real, what).hiding());
    }
    if flags.target_dir {
        let what = "it has a loader for the project's `target-dir`, which is not followed: move those classes";
        found.problems.push(Problem::of(&real, what).hiding());
    }
    let lists =
        if flags.is_static { Lists::of_static(&folder, &mut found)? } else { Lists::of_files(&folder, &mut found)? };
    if !lists.classes.is_empty() {
        found.loader.rules.push(Rule::List { origin: lists.classes_in, classes: lists.classes });
    }
    if !flags.authoritative {
        if !lists.psr4.is_empty() {
            found.loader.rules.push(Rule::Psr4 { origin: lists.psr4_in, prefixes: lists.psr4 });
        }
        if !lists.psr0.is_empty() {
            found.loader.rules.push(Rule::Psr0 { origin: lists.psr0_in, prefixes: lists.psr0 });
        }
    }
    Ok(found)
}

/// The loader of a folder of the application in `root`, and whether it prepends itself; the application gets what was
/// read for it and its problems.
pub(crate) fn vendor_of(
    application: &mut Application,
    root: &Path,
    folder: &Path,
    standing: Standing,
) -> Option<(Loader, bool)> {
    let name = folder.strip_prefix(root).unwrap_or(folder);
    match vendor(folder, &format!("{}/", name.display())) {
        Ok(found) => {
            application.inputs.extend(found.inputs);
            application.problems.extend(found.problems);
            Some((Loader { standing, ..found.loader }, found.prepends))
        }
        Err(problem) => {
            application.problems.push(problem.hiding());
            None
        }
    }
}

/// How autoload_real.php sets up the loader.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// It takes its lists from autoload_static.php.
    pub(crate) is_static: bool,
    /// Only its list of classes counts.
    pub(crate) authoritative: bool,
    pub(crate) include_path: bool,
    /// It is registered before all others.
    pub(crate) prepends: bool,
    /// There is one more loader, for the project's `target-dir`.
    pub(crate) target_dir: bool,
}

impl Flags {
    pub(crate) fn of(source: &[u8]) -> Self {
        let mut flags = Self::default();
        let mut tokens = Tokens::new(source);
        loop {
            match tokens.next().what {
                What::End | What::Broken(_) => return flags,
                What::Text(text) if text.ends_with(b"/autoload_static.php") => flags.is_static = true,
                // It names a method of its own class.
                What::Text(text) if *text == *b"autoload" => flags.target_dir = true,
                What::Mark(b"->") => {
                    let What::Name(method) = tokens.peek().what else { continue };
                    tokens.next();
                    if !matches!(tokens.peek().what, What::Mark(b"(")) {
                        continue;
                    }
                    tokens.next();
                    let truth = matches!(tokens.peek().what, What::Name(name) if name.eq_ignore_ascii_case(b"true"));
                    match method {
                        b"setClassMapAuthoritative" => flags.authoritative = truth,
                        b"setUseIncludePath" => flags.include_path = truth,
                        b"register" => flags.prepends = truth,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}

fn source(path: &Path) -> Result<Vec<u8>, Problem> {
    read_whole(path)
        .map_err(|error| Problem::of(path, format!("it cannot be read: {error}; run composer dump-autoload")).hiding())
}

/// The loader of a `vendor` folder.
#[derive(Debug, Default)]
pub(crate) struct VendorLoader {
    pub(crate) loader: Loader,
    pub(crate) prepends: bool,
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) problems: Vec<Problem>,
}

type Prefixes = Vec<(BString, Vec<PathBuf>)>;

#[derive(Debug, Default)]
struct Lists {
    classes: Vec<(BString, BString)>,
    classes_in: PathBuf,
    psr4: Prefixes,
    psr4_in: PathBuf,
    psr0: Prefixes,
    psr0_in: PathBuf,
}

const PROPERTIES: [&str; 5] = ["classMap", "prefixDirsPsr4", "fallbackDirsPsr4", "prefixesPsr0", "fallbackDirsPsr0"];

impl Lists {
    /// From autoload_static.php, which Composer's loader uses.
    fn of_static(folder: &Path, found: &mut VendorLoader) -> Result<Self, Problem> {
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
    fn of_files(folder: &Path, found: &mut VendorLoader) -> Result<Self, Problem> {
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
            Value::String(path) if path.starts_with(b"/") => Some(lexical(Path::new("/"), &path)),
            other => {
                let what = match &other {
                    Value::String(path) => format!("`{path}`"),
                    other => other.kind().to_owned(),
                };
                self.wrong(format!("expected an absolute path, not {what}; it is skipped"));
                None
            }
        }
    }

    fn array(&mut self, value: Value, of: &str) -> Vec<(Value, Value)> {
        match value {
            Value::Array(elements) => elements,
            other => {
                self.wrong(format!("expected an array of {of}, not {}; run composer dump-autoload", other.kind()));
                Vec::new()
            }
        }
    }

    fn wrong(&mut self, what: String) {
        self.problems.push(Problem::of(self.file, what).hiding());
    }
}

/// Their folders within a plugin.
const VENDORS: [&str; 3] = ["vendor", "lib/vendor", "includes/vendor"];

/// All folders with a Composer loader in the plugin folders below `parents`, by path.
pub(crate) fn vendors<'a>(parents: impl IntoIterator<Item = &'a Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for parent in parents {
        let names = std::fs::read_dir(parent).into_iter().flatten().flatten();
        let folders = names.flat_map(|name| VENDORS.map(|vendor| name.path().join(vendor)));
        found.extend(folders.filter(|folder| folder.join("autoload.php").is_file() && composer::is_dumped(folder)));
    }
    found.sort_by(|one, other| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
