//! The principal type is [`Project`]: a project of Composer that has MediaWiki and Debian's PHP libraries mapped.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scratch::ScratchFolder;
use crate::{Result, peers};

/// What is copied into which folder of it.
const TREES: [(&str, &str); 2] = [("/usr/share/mediawiki", "mw"), ("/usr/share/php", "php")];

const COMPOSER_JSON: &str = r#"{"autoload": {"classmap": ["mw/", "php/"]}}
"#;

pub(super) struct Project {
    scratch: ScratchFolder,
}

impl Project {
    /// Nothing where the trees cannot be had; says so.
    pub(super) fn copied() -> Result<Option<Self>> {
        // Composer brings libraries below /usr/share/php, and all that is measured is there with it.
        if !peers::has("mediawiki") || !peers::has("composer") {
            return Ok(None);
        }
        let project = Self { scratch: ScratchFolder::new()? };
        fs::create_dir(project.root())?;
        fs::write(project.root().join("composer.json"), COMPOSER_JSON)?;
        for (from, to) in TREES {
            copy(Path::new(from), &project.root().join(to))?;
        }
        Ok(Some(project))
    }

    pub(super) fn root(&self) -> PathBuf {
        self.scratch.path("project")
    }

    /// The home of who makes maps of it: caches go there.
    pub(super) fn home(&self) -> PathBuf {
        self.scratch.path("home")
    }

    /// As it was: without what makers of maps have written, and without what they remember.
    pub(super) fn clean(&self) -> Result<()> {
        let root = self.root();
        for path in [root.join("vendor"), root.join("unladen-classmap.php"), self.home()] {
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path)?,
                Ok(_) => fs::remove_file(path)?,
                Err(_) => {}
            }
        }
        fs::create_dir(self.home())?;
        Ok(())
    }

    /// Its PHP files.
    pub(super) fn php_files(&self) -> Result<usize> {
        php_files(&self.root())
    }
}

/// Files and folders; links would lead to the originals, or round in circles.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn php_files(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            count += php_files(&entry.path())?;
        } else if entry.path().extension().is_some_and(|extension| extension == "php") {
            count += 1;
        }
    }
    Ok(count)
}
