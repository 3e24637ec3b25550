//! An application that can be read again as it changes. The principal type is [`Project`].

use std::path::{Path, PathBuf};

use crate::owners_rights::OwnersRights;
use crate::readers::psr4;
use crate::{Application, Map, Options, Problem, READERS, Reader, Tree};

/// An application, its files, and its map.
pub struct Project {
    root: PathBuf,
    reader: &'static dyn Reader,
    options: Options,
    pub application: Application,
    pub tree: Tree,
    pub map: Map,
}

impl Project {
    /// Reads the application in `root`, an absolute folder: as root, what its owner can read. Fails if an essential file
    /// cannot be read.
    pub fn read(root: &Path, reader: &'static dyn Reader, options: &Options) -> Result<Self, Problem> {
        let _rights = OwnersRights::of(root);
        let mut application = reader.read(root, options)?;
        if reader.name() != LIST {
            psr4::add(&mut application, root, options);
        }
        let tree = Tree::read(&application);
        let map = Map::of(&application, &tree);
        Ok(Self { root: root.to_owned(), reader, options: options.clone(), application, tree, map })
    }

    /// The application's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The reader used.
    pub fn reader(&self) -> &'static dyn Reader {
        self.reader
    }

    /// The options used.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Rereads these files, which have names of PHP files; returns whether the map may have changed.
    pub fn refresh(&mut self, changed: &[PathBuf]) -> bool {
        let _rights = OwnersRights::of(&self.root);
        let mut differs = false;
        for path in changed {
            differs |= self.tree.refresh(path);
        }
        if differs {
            self.map = Map::of(&self.application, &self.tree);
        }
        differs
    }

    /// Reads everything again. Fails as [`Project::read`] does, and then keeps what was known.
    pub fn read_again(&mut self) -> Result<(), Problem> {
        *self = Self::read(&self.root, self.reader, &self.options)?;
        Ok(())
    }
}

/// The reader for a list on the command line: with a list, it is chosen unless another reader is asked for.
const LIST: &str = "psr4";

/// The first reader that knows the application in `root`.
pub fn reader_for(root: &Path, options: &Options) -> Option<&'static dyn Reader> {
    if options.psr4.is_empty() { READERS.iter().copied().find(|reader| reader.knows(root)) } else { reader_named(LIST) }
}

/// Looks up a reader by name.
pub fn reader_named(name: &str) -> Option<&'static dyn Reader> {
    READERS.iter().copied().find(|reader| reader.name() == name)
}
