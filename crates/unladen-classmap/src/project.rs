//! An application that has been read, and can be read again as it changes. The principal type is [`Project`].

use std::path::{Path, PathBuf};

use crate::readers::psr4;
use crate::{Application, Map, Options, Problem, READERS, Reader, Tree};

/// An application, its files, and the map that comes of them.
pub struct Project {
    root: PathBuf,
    reader: &'static dyn Reader,
    options: Options,
    /// What its loaders do.
    pub application: Application,
    /// Its files.
    pub tree: Tree,
    /// What comes of both.
    pub map: Map,
}

impl Project {
    /// Reads the application in `root`, an absolute folder.
    ///
    /// # Errors
    /// If a file that all hangs on cannot be read.
    pub fn read(root: &Path, reader: &'static dyn Reader, options: &Options) -> Result<Self, Problem> {
        let mut application = reader.read(root, options)?;
        if reader.name() != LIST {
            psr4::add(&mut application, root, options);
        }
        let tree = Tree::read(&application);
        let map = Map::of(&application, &tree);
        Ok(Self { root: root.to_owned(), reader, options: options.clone(), application, tree, map })
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Who read it.
    pub fn reader(&self) -> &'static dyn Reader {
        self.reader
    }

    /// What was read.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Reads these files again, each of them of a PHP file's name; whether the map may be another now.
    pub fn refresh(&mut self, changed: &[PathBuf]) -> bool {
        let mut differs = false;
        for path in changed {
            differs |= self.tree.refresh(path);
        }
        if differs {
            self.map = Map::of(&self.application, &self.tree);
        }
        differs
    }

    /// Reads all of it again.
    ///
    /// # Errors
    /// As [`Project::read`]; what was known until then is kept.
    pub fn read_again(&mut self) -> Result<(), Problem> {
        *self = Self::read(&self.root, self.reader, &self.options)?;
        Ok(())
    }
}

/// The reader of a list on the command line: with one, that is the application, unless another reader is asked for.
const LIST: &str = "psr4";

/// The first reader that knows the application in `root`.
pub fn reader_for(root: &Path, options: &Options) -> Option<&'static dyn Reader> {
    if options.psr4.is_empty() { READERS.iter().copied().find(|reader| reader.knows(root)) } else { reader_named(LIST) }
}

/// The reader of that name.
pub fn reader_named(name: &str) -> Option<&'static dyn Reader> {
    READERS.iter().copied().find(|reader| reader.name() == name)
}
