//! What can be read and written: the store of results, folders for programs, and logs.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{AccessFlags, access};
use unladen_finding::shell_word;
use unladen_store::{Filter, Location, Mode, StoreError, open};

use crate::doctor::check::{Asked, Check};
use crate::doctor::row::{AS_ROOT, Row, Verb};
use crate::runs::Preferences;

const VERBS: &[Verb] = Verb::MEASURING;

/// Whether results can be kept.
pub(super) const STORE: Check = Check::new("store", VERBS, store);

fn store(_: &Asked) -> Vec<Row> {
    vec![match Preferences::of_user() {
        Ok(Preferences { store: Some(location), is_store_named, .. }) => of(&location, is_store_named),
        Ok(_) => Row::ok(VERBS, "no runs are kept: the settings say \"off\""),
        Err(failure) => Row::missing(VERBS, failure.to_string()),
    }]
}

fn of(location: &Location, is_named: bool) -> Row {
    let found = open(location, Mode::ReadOnly).and_then(|mut store| store.count(&Filter::default()));
    let unusable = match (found, location) {
        (Ok(runs), Location::Sqlite(file)) => match of_file(file) {
            None => {
                let megabytes = file.metadata().map_or(0, |metadata| metadata.len()) as f64 / 1e6;
                return Row::ok(VERBS, format!("{runs} runs, {megabytes:.1} MB, at {location}"));
            }
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
    Row::ok(VERBS, format!("no store at {location} yet: the first measurement creates it"))
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
            true => Row::missing(VERBS, self.what).so("commands fail before they measure"),
            false => Row::limited(VERBS, self.what).so("results are shown, but not kept"),
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

const AGENTS: &[Verb] = &[Verb::Weigh, Verb::Load, Verb::Prove];

/// Whether other hosts can run their agent here.
pub(super) const TEMPORARY: Check = Check::new("temp", AGENTS, temporary);

fn temporary(_: &Asked) -> Vec<Row> {
    // The first of those that the agent's start tries (unladen-agent's bootstrap.sh).
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let others = ["XDG_RUNTIME_DIR", "HOME"].into_iter().filter_map(variable);
    let places: Vec<PathBuf> =
        variable("TMPDIR").into_iter().chain(usual).chain(others).chain(["/run".into()]).collect();
    vec![of_places(&places)]
}

fn of_places(places: &[PathBuf]) -> Row {
    match places.iter().find(|place| runs(place)) {
        Some(place) => Row::ok(
            AGENTS,
            format!("programs can be written and run in {}, as agents on other hosts need", place.display()),
        ),
        None => {
            let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            Row::limited(AGENTS, format!("no folder of {} allows programs to be both written and run", tried.join(" ")))
                .so("other hosts cannot start their agent here (--host, --from)")
                .advice("set TMPDIR to a folder that allows it, or install unladen here")
        }
    }
}

fn runs(folder: &Path) -> bool {
    let no_exec = |flags: FsFlags| flags.intersects(FsFlags::ST_NOEXEC | FsFlags::ST_RDONLY);
    access(folder, AccessFlags::W_OK | AccessFlags::X_OK).is_ok()
        && statvfs(folder).is_ok_and(|at| !no_exec(at.flags()))
}

const PLACES: [&str; 4] = [
    "var/log/nginx/access.log",
    "var/log/apache2/access.log",
    "var/log/httpd/access_log",
    "var/log/lighttpd/access.log",
];

/// Whether the web server's logs can be read.
pub(super) const LOGS: Check = Check::new("logs", &[Verb::Load], logs);

fn logs(asked: &Asked) -> Vec<Row> {
    let rows: Vec<Row> = PLACES
        .into_iter()
        .filter_map(|place| match File::open(asked.path(place)) {
            Ok(_) => Some(Row::ok(&[Verb::Load], format!("/{place} can be read"))),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Some(
                Row::limited(&[Verb::Load], format!("/{place} cannot be read: {error}"))
                    .so("`load --access-log` repeats what visitors requested")
                    .fix(AS_ROOT),
            ),
            Err(_) => None,
        })
        .collect();
    if rows.is_empty() { vec![Row::ok(&[Verb::Load], "no access log in the usual places")] } else { rows }
}

#[cfg(test)]
mod tests;
