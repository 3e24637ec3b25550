//! What an application does to find a class: the principal type is [`Application`].

use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::{Excluded, Problem};

/// An application as one of the readers read it.
#[derive(Debug, Default)]
pub struct Application {
    /// Its loaders, in the order in which PHP asks them: the first that finds a file has the say, as far as their
    /// [`Standing`] lets it be told.
    pub loaders: Vec<Loader>,
    /// The files that were read to learn this: when one of them changes, all of it may be otherwise.
    pub inputs: Vec<PathBuf>,
    /// What could not be read, and what leads nowhere.
    pub problems: Vec<Problem>,
    /// How the map is switched on in this application: lines of text, for whoever made the map, in which
    /// `…/unladen-classmap.php` stands for its file and `./unladen-classmap.php` for the file as seen from the
    /// application's folder. See [`Application::switch_on`].
    pub switch_on: Vec<String>,
}

impl Application {
    /// How the map in the file `map` is switched on, `root` being the application's folder. Paths are absolute: nobody
    /// knows from which folder the line will be read.
    pub fn switch_on(&self, map: &Path, root: &Path) -> Vec<String> {
        let path = map.display().to_string();
        let mut literal = Vec::new();
        crate::emit::string_literal(&mut literal, path.as_bytes());
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

/// What stands for the map's file in [`Application::switch_on`].
const ANYWHERE: &str = "…/unladen-classmap.php";
/// The same below the application's folder.
const FROM_ROOT: &str = "./unladen-classmap.php";

/// One registration with PHP's `spl_autoload_register`.
#[derive(Debug, Default)]
pub struct Loader {
    /// Whose it is, as people know it: `MediaWiki's AutoLoader`, `Composer (vendor/)`.
    pub name: String,
    /// What it tries, in its order: the first rule that names a file has the say.
    pub rules: Vec<Rule>,
    /// How sure it is that PHP asks it, and when.
    pub standing: Standing,
}

/// How sure it is that PHP asks a loader in its place. Whatever is not sure may only take classes out of the map: one
/// of two files that the application does not choose in the same way must not be in it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is asked, in its place.
    #[default]
    Sure,
    /// It is asked, but in which order with the unordered ones right before and after it cannot be told from files. A
    /// class for which two of such a group name different files is not in the map.
    Unordered,
    /// Perhaps it is never there. What it finds it does not add to the map; but if it finds a class, and no sure loader
    /// before it does, the class is in the map only if the loaders after it come to the same file.
    Perhaps,
}

/// One way in which a loader finds the file of a class. Folders and files are absolute, without `.`, `//` and a `/` at
/// their ends.
#[derive(Debug)]
pub enum Rule {
    /// Classes by their names, each with its file, as they are listed in `origin`. The names are compared byte for
    /// byte.
    List {
        /// The file that the list is in.
        origin: PathBuf,
        /// Class and file. The first of two of the same name holds.
        classes: Vec<(BString, BString)>,
    },
    /// All that the PHP files in these folders (or these files) declare: Composer's `classmap`, as it is before it is
    /// dumped. The first folder that has a class holds; of one folder, the first file in the order of paths.
    Folders {
        /// The file that names the folders.
        origin: PathBuf,
        /// The folders or files, in their order.
        paths: Vec<PathBuf>,
        /// Which of their files do not count.
        excluded: Excluded,
    },
    /// By PSR-4: the longest prefix that a class begins with, then shorter ones; of each, its folders in their order;
    /// in a folder, the rest of the name with `/` for `\` and `.php`.
    Psr4 {
        /// The file that the prefixes are listed in.
        origin: PathBuf,
        /// Prefixes, which end with `\` (the empty one is for any class and comes last), and their folders.
        prefixes: Vec<(BString, Vec<PathBuf>)>,
    },
    /// The names of DokuWiki's plugins and templates: `TYPE_plugin_NAME` and `TYPE_plugin_NAME_COMPONENT`, and what
    /// begins with `dokuwiki\plugin\` or `dokuwiki\template\`.
    DokuWiki {
        /// The file with the loader.
        origin: PathBuf,
        /// The folder of plugins.
        plugins: PathBuf,
        /// The folder of templates.
        templates: PathBuf,
        /// The types that plugins have.
        types: Vec<BString>,
    },
    /// By PSR-0: the first of these prefixes that a class begins with and which has the file; in its folders the whole
    /// name, with `/` for `\`, and for `_` after the last `\`.
    Psr0 {
        /// The file that the prefixes are listed in.
        origin: PathBuf,
        /// Prefixes, in the order in which they are tried (the empty one is for any class and comes last), and their
        /// folders.
        prefixes: Vec<(BString, Vec<PathBuf>)>,
    },
}

impl Rule {
    /// The folders that it looks into, and single files in their place.
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

    /// The files that it names.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &BStr> {
        let classes = if let Self::List { classes, .. } = self { classes.as_slice() } else { &[] };
        classes.iter().map(|(_, file)| file.as_bstr())
    }
}
