//! The principal type is [`Temporary`]: whether other hosts can run their agent here.

use std::path::{Path, PathBuf};

use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{AccessFlags, access};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};

pub(crate) struct Temporary;

const VERBS: &[Verb] = &[Verb::Weigh, Verb::Load, Verb::Prove];

impl Check for Temporary {
    fn name(&self) -> &'static str {
        "temp"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        // The first of those that the agent's start tries (unladen-agent's bootstrap.sh).
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
        let others = ["XDG_RUNTIME_DIR", "HOME"].into_iter().filter_map(variable);
        let places: Vec<PathBuf> =
            variable("TMPDIR").into_iter().chain(usual).chain(others).chain(["/run".into()]).collect();
        vec![row(&places)]
    }
}

fn row(places: &[PathBuf]) -> Row {
    match places.iter().find(|place| runs(place)) {
        Some(place) => Row::ok(
            VERBS,
            format!("programs can be written and run in {}, as agents for other hosts are", place.display()),
        ),
        None => {
            let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            Row::limited(VERBS, format!("in none of {} a program can be both written and run", tried.join(" ")))
                .so("other hosts cannot start their agent here (--host, --from)")
                .advice("set TMPDIR to a folder where it can, or install unladen here")
        }
    }
}

fn runs(folder: &Path) -> bool {
    let no_exec = |flags: FsFlags| flags.intersects(FsFlags::ST_NOEXEC | FsFlags::ST_RDONLY);
    access(folder, AccessFlags::W_OK | AccessFlags::X_OK).is_ok()
        && statvfs(folder).is_ok_and(|at| !no_exec(at.flags()))
}

#[cfg(test)]
mod tests;
