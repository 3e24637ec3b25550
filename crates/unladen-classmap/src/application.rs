//! How an application finds a class: the principal type is [`Application`]. A [`Problem`] in its files does not stop
//! the work.

use std::fmt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::Excluded;

/// An application as a reader read it.
#[derive(Debug, Default)]
pub struct Application {
    /// In the order in which PHP asks them: the first that finds a file decides, as far as its [`Standing`] is known.
    pub loaders: Vec<Loader>,
    /// Files read to learn this: when one changes, everything may.
    pub inputs: Vec<PathBuf>,
    pub problems: Vec<Problem>,
    /// Lines for people on how to switch the map on, in which `…/unladen-classmap.php` stands for its file and
    /// `./unladen-classmap.php` for the file relative to the application's folder. See [`Application::switch_on`].
    pub switch_on: Vec<String>,
}

impl Application {
    /// How to switch on the map in the file `map`. Paths are absolute: the line may be read from any folder.
    pub fn switch_on(&self, map: &Path, root: &Path) -> Vec<String> {
        let path = map.display().to_string();
        let mut literal = Vec::new();
        crate::php::string::literal(&mut literal, path.as_bytes());
        let literal = String::from_utf8_lossy(&literal).into_owned();
        let below = map.strip_prefix(root).ok().map(|below| below.display().to_string());
        let lines = self.switch_on.iter().filter(|line| below.is_some() || !line.contains(FROM_ROOT));
        lines
            .map(|line| {
                let line = line.replace(&format!("'{ANYWHERE}'"), &literal).replace(ANYWHERE, &path);
                line.replace(FROM_ROOT, below.as_deref().unwrap_or_default())
            })
            .collect()
    }
}

/// Placeholder for the map's file in [`Application::switch_on`].
const ANYWHERE: &str = "…/unladen-classmap.php";
const FROM_ROOT: &str = "./unladen-classmap.php";

/// One registration with PHP's `spl_autoload_register`.
#[derive(Debug, Default)]
pub struct Loader {
    /// Name for people: `MediaWiki's AutoLoader`, `Composer (vendor/)`.
    pub name: String,
    /// In order: the first rule that names a file decides.
    pub rules: Vec<Rule>,
    pub standing: Standing,
}

/// How sure it is that PHP asks a loader in its place. Uncertainty may only take classes out of the map: if it is not
/// known which of two files the application chooses, neither must be in it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    #[default]
    Sure,
    /// It is asked, but its order among adjacent unordered ones cannot be told from files. A class for which two of
    /// such a group name different files is not in the map.
    Unordered,
    /// It may not be registered. It adds nothing to the map; but if it finds a class, and no sure loader before it
    /// does, the class is in the map only if the loaders after it lead to the same file.
    Perhaps,
}

/// One way of finding a class's file. Folders and files are absolute, without `.`, `//` and a trailing `/`.
#[derive(Debug)]
pub enum Rule {
    /// A list of classes and files in `origin`. Names are compared byte for byte.
    List {
        origin: PathBuf,
        /// The first of two with the same name holds.
        classes: Vec<(BString, BString)>,
    },
    /// All that the PHP files in these folders (or these files) declare: Composer's `classmap` before it is dumped. The
    /// first folder that has a class holds; within a folder, the first file by path.
    Folders { origin: PathBuf, paths: Vec<PathBuf>, excluded: Excluded },
    /// PSR-4: the longest matching prefix, then shorter ones; the folders of each in order; in a folder, the rest of
    /// the name with `/` for `\` and `.php`.
    Psr4 {
        origin: PathBuf,
        /// Prefixes end with `\`; the empty one matches any class and comes last.
        prefixes: Vec<(BString, Vec<PathBuf>)>,
    },
    /// DokuWiki's plugins and templates: `TYPE_plugin_NAME` and `TYPE_plugin_NAME_COMPONENT`, and names starting with
    /// `dokuwiki\plugin\` or `dokuwiki\template\`.
    DokuWiki { origin: PathBuf, plugins: PathBuf, templates: PathBuf, types: Vec<BString> },
    /// PSR-0: the first matching prefix that has the file; in its folders the whole name, with `/` for `\`, and for `_`
    /// after the last `\`.
    Psr0 {
        origin: PathBuf,
        /// In the order in which they are tried; the empty one matches any class and comes last.
        prefixes: Vec<(BString, Vec<PathBuf>)>,
    },
}

impl Rule {
    /// Folders to search, or single files.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        let (paths, prefixes) = match self {
            Self::List { .. } | Self::DokuWiki { .. } => (&[][..], &[][..]),
            Self::Folders { paths, .. } => (paths.as_slice(), &[][..]),
            Self::Psr4 { prefixes, .. } | Self::Psr0 { prefixes, .. } => (&[][..], prefixes.as_slice()),
        };
        let both = match self {
            Self::DokuWiki { plugins, templates, .. } => [Some(plugins), Some(templates)],
            _ => [None, None],
        };
        let paths = paths.iter().chain(both.into_iter().flatten());
        paths.chain(prefixes.iter().flat_map(|(_, folders)| folders)).map(PathBuf::as_path)
    }

    pub(crate) fn listed(&self) -> impl Iterator<Item = &BStr> {
        let classes = if let Self::List { classes, .. } = self { classes.as_slice() } else { &[] };
        classes.iter().map(|(_, file)| file.as_bstr())
    }
}

/// Something that could not be read or leads nowhere, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub path: PathBuf,
    /// From 1.
    pub line: Option<u32>,
    /// What is wrong, what was expected, and what to do.
    pub what: String,
    /// Whether it hides classes which the application finds: the map is then incomplete.
    pub hides: bool,
}

impl Problem {
    /// About the whole file or folder.
    pub fn of(path: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, what: what.into(), hides: false }
    }

    /// About a line of the file.
    pub fn at(path: impl Into<PathBuf>, line: u32, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: Some(line), what: what.into(), hides: false }
    }

    /// Marks it as hiding classes that the application finds.
    #[must_use]
    pub fn hiding(self) -> Self {
        Self { hides: true, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for Problem {}
