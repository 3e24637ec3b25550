//! WordPress: the Composer loaders of its plugins and themes. The principal type is [`WordPress`].
//!
//! WordPress itself loads its files without being asked for classes. Plugins that bring Composer's loader register it when they are loaded, mostly
//! in front of those before. Which plugins are active, and in which order they are loaded, is in the database, for each site of a network
//! another; nothing of it is read. So a class that two plugins have in different files is never in the map. And since plugins ask
//! `class_exists()` for one another, a class of a plugin that is not active must not be in the map at all: nothing of plugins and themes is,
//! unless the caller says that all that are there are active.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::mediawiki::calls::{INCLUDE, as_calls};
use super::path::plain;
use super::{Extensions, Options, Reader, composer};
use crate::php::constant::{Value, calls};
use crate::{Application, Loader, Problem, Standing};

/// Reads a WordPress.
#[derive(Debug)]
pub(super) struct WordPress;

/// What brings loaders, below `wp-content`, and where in it they are.
const KINDS: [&str; 3] = ["mu-plugins", "plugins", "themes"];
const VENDORS: [&str; 3] = ["vendor", "lib/vendor", "includes/vendor"];

impl Reader for WordPress {
    fn name(&self) -> &'static str {
        "wordpress"
    }

    fn about(&self) -> &'static str {
        "WordPress, with the Composer loaders of its plugins and themes"
    }

    fn knows(&self, root: &Path) -> bool {
        root.join("wp-settings.php").is_file() || root.join("wp-includes/version.php").is_file()
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        let mut reading = Reading { root, front: Vec::new(), behind: Vec::new(), application: Application::default() };
        reading.application.switch_on = switch_on();
        // As they are registered: one that prepends itself goes in front of all before it.
        for folder in reading.config() {
            reading.add(&folder, Standing::Sure);
        }
        let content = root.join("wp-content");
        let folders = vendors(&content);
        let all = options.extensions == Extensions::All;
        for folder in &folders {
            reading.add(folder, if all { Standing::Unordered } else { Standing::Perhaps });
        }
        if !folders.is_empty() {
            reading.application.problems.push(notice(&content, folders.len(), all));
        }
        let Reading { mut front, behind, mut application, .. } = reading;
        front.reverse();
        application.loaders = front.into_iter().chain(behind).collect();
        Ok(application)
    }
}

/// An application as it is read.
struct Reading<'a> {
    root: &'a Path,
    /// Loaders that put themselves in front, the last of them first; and the others.
    front: Vec<Loader>,
    behind: Vec<Loader>,
    application: Application,
}

impl Reading<'_> {
    /// The folders of the loaders that wp-config.php includes.
    fn config(&mut self) -> Vec<PathBuf> {
        let here = self.root.join("wp-config.php");
        // WordPress too looks one folder above, if that is not another WordPress.
        let above = self.root.parent().filter(|above| !above.join("wp-settings.php").exists());
        let file = if here.exists() { Some(here) } else { above.map(|above| above.join("wp-config.php")) };
        let Some(file) = file.filter(|file| file.exists()) else { return Vec::new() };
        self.application.inputs.push(file.clone());
        let unreadable =
            |error| Problem::of(&file, format!("cannot be read: {error}; a loader it includes is not seen"));
        let source = match file.canonicalize().and_then(|real| Ok((std::fs::read(&real)?, real))) {
            Ok((source, real)) => calls(&as_calls(&source), &real, &[INCLUDE], &[]),
            Err(error) => Err(unreadable(error)),
        };
        let calls = match source {
            Ok(calls) => calls,
            Err(problem) => {
                self.application.problems.push(problem.hiding());
                return Vec::new();
            }
        };
        let included = calls.iter().filter(|call| !call.conditional).filter_map(|call| match call.args.first() {
            Some(Some(Value::String(path))) => Some(plain(path)),
            _ => None,
        });
        let of_composer =
            |path: PathBuf| (path.ends_with("autoload.php")).then(|| path.parent().map(Path::to_owned))?;
        included.filter_map(of_composer).filter(|folder| composer::is_dumped(folder)).collect()
    }

    fn add(&mut self, folder: &Path, standing: Standing) {
        let name = folder.strip_prefix(self.root).unwrap_or(folder);
        match composer::vendor(folder, &format!("{}/", name.display())) {
            Ok(found) => {
                self.application.inputs.extend(found.inputs);
                self.application.problems.extend(found.problems);
                let loader = Loader { standing, ..found.loader };
                // One that is perhaps not there may be in front, wherever it would put itself.
                if found.prepends || standing == Standing::Perhaps {
                    self.front.push(loader);
                } else {
                    self.behind.push(loader);
                }
            }
            Err(problem) => self.application.problems.push(problem.hiding()),
        }
    }
}

/// All folders with a loader of Composer's, in the order of their paths.
fn vendors(content: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for kind in KINDS {
        let names = std::fs::read_dir(content.join(kind)).into_iter().flatten().flatten();
        let folders = names.flat_map(|name| VENDORS.map(|vendor| name.path().join(vendor)));
        found.extend(folders.filter(|folder| folder.join("autoload.php").is_file() && composer::is_dumped(folder)));
    }
    found.sort_by(|one, other| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    found
}

fn notice(content: &Path, count: usize, all: bool) -> Problem {
    if all {
        let what = format!(
            "all {count} plugins and themes with a Composer loader are taken for active: what asks class_exists() for a class of one \
             that is not would find it; delete those, and classes that two of them have in different files are in no map"
        );
        return Problem::of(content, what);
    }
    let what = format!(
        "which plugins and themes are active is in WordPress's database, which is not read: the classes of {count} with a Composer loader \
         are left to those loaders; if all that are there are active, on each site, --all-extensions reads them"
    );
    Problem::of(content, what)
}

fn switch_on() -> Vec<String> {
    vec![
        "in a file of its own in wp-content/mu-plugins: add_action( 'plugins_loaded', static function () { require \
         '…/unladen-classmap.php'; }, PHP_INT_MIN );"
            .to_owned(),
        "not earlier: the Composer loaders of plugins put themselves in front of what is there when they are loaded"
            .to_owned(),
    ]
}
