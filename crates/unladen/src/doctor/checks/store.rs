//! The principal type is [`Store`]: whether results can be kept.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use unladen_finding::shell_word;
use unladen_store::{Filter, Location, Mode, StoreError, open};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::runs::Preferences;

pub(crate) struct Store;

const VERBS: &[Verb] = Verb::MEASURING;

impl Check for Store {
    fn name(&self) -> &'static str {
        "store"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        vec![match Preferences::of_user() {
            Ok(Preferences { store: Some(location), is_store_named, .. }) => of(&location, is_store_named),
            Ok(_) => Row::ok(VERBS, "no runs are kept: the settings say \"off\""),
            Err(failure) => Row::missing(VERBS, failure.to_string()),
        }]
    }
}

fn of(location: &Location, is_named: bool) -> Row {
    let found = open(location, Mode::ReadOnly).and_then(|mut store| store.count(&Filter::default()));
    let unusable = match (found, location) {
        (Ok(runs), Location::Sqlite(file)) => match of_file(file) {
            None => return Row::ok(VERBS, format!("{runs} runs, {:.1} MB, at {location}", megabytes(file))),
            Some(path) => Unusable { what: format!("{} cannot be written", path.display()), path: Some(path) },
        },
        (Ok(runs), Location::Postgres(_)) => return Row::ok(VERBS, format!("{runs} runs at {location}")),
        (Err(StoreError::NoStore { .. }), Location::Sqlite(file)) => match to_be_made(file) {
            Ok(()) => return none_yet(location),
            Err(unusable) => unusable,
        },
        (Err(StoreError::NoStore { .. }), Location::Postgres(_)) => return none_yet(location),
        (Err(error), _) => Unusable::of(&error, location),
    };
    unusable.row(is_named)
}

fn none_yet(location: &Location) -> Row {
    Row::ok(VERBS, format!("no store at {location} yet: the first measurement makes it"))
}

fn megabytes(file: &Path) -> f64 {
    file.metadata().map_or(0, |metadata| metadata.len()) as f64 / 1e6
}

/// What of a readable store cannot be written: the file, or its folder, where other files are written beside it.
fn of_file(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().unwrap_or(file);
    [file, folder].into_iter().find(|path| access(*path, AccessFlags::W_OK).is_err()).map(Path::to_owned)
}

fn to_be_made(file: &Path) -> Result<(), Unusable> {
    let folder = file.ancestors().skip(1).find(|folder| folder.exists());
    match folder {
        Some(folder) if access(folder, AccessFlags::W_OK | AccessFlags::X_OK).is_ok() => Ok(()),
        _ => Err(Unusable { what: format!("{} cannot be made", file.display()), path: folder.map(Path::to_owned) }),
    }
}

struct Unusable {
    what: String,
    /// What would have to be writable.
    path: Option<PathBuf>,
}

impl Unusable {
    fn of(error: &StoreError, location: &Location) -> Self {
        let path = match (error, location) {
            (StoreError::NoAccess { path, .. }, _) => Some(path.clone()),
            (StoreError::ReadOnly { .. }, Location::Sqlite(file)) => Some(file.clone()),
            _ => None,
        };
        Self { what: error.to_string(), path }
    }

    /// An error to a command only if the user named this store.
    fn row(self, is_named: bool) -> Row {
        let row = match is_named {
            true => Row::missing(VERBS, self.what).so("commands end with an error before they measure"),
            false => Row::limited(VERBS, self.what).so("results are shown, and not kept"),
        };
        // Another user's store stays theirs, and is not opened to this user either.
        let own = nix::unistd::geteuid().as_raw();
        match self.path.filter(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.uid() == own)) {
            Some(path) => {
                let mode = if path.is_dir() { "u+rwx" } else { "u+rw" };
                row.fix(format!("chmod {mode} {}", shell_word(&path.to_string_lossy())))
            }
            None => row.advice("name a store that this user can write: --store, or UNLADEN_STORE"),
        }
    }
}

#[cfg(test)]
mod tests;
