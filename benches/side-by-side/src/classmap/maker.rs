//! The principal type is [`Maker`]: who makes a class map of a project.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::made::Made;
use super::measure::{Took, measured};
use super::project::Project;
use crate::install::{Kind, Program};
use crate::{Result, unladen};

const VIVACITY: Program = Program { name: "vivacity", version: "0.26.1", kind: Kind::Crate };

/// A program, and what it is to do.
pub(super) struct Maker {
    pub(super) name: String,
    program: PathBuf,
    arguments: &'static [&'static str],
    /// Whether it finds what its last run left.
    warm: bool,
    wrote: Wrote,
}

/// Where its map is.
#[derive(Clone, Copy)]
enum Wrote {
    /// As Composer writes it.
    Composer,
    /// As Unladen does.
    Unladen,
}

/// Unladen first, then those who can be had.
pub(super) fn all() -> Result<Vec<Maker>> {
    let maker = |name: &str, program: PathBuf, arguments, warm, wrote| Maker {
        name: name.to_owned(),
        program,
        arguments,
        warm,
        wrote,
    };
    let ours = unladen::built()?;
    let composer = "composer dump-autoload -o";
    let mut all = vec![
        maker("unladen classmap", ours.clone(), &["classmap"], false, Wrote::Unladen),
        maker("unladen classmap, again", ours, &["classmap"], true, Wrote::Unladen),
        maker(composer, "composer".into(), &["dump-autoload", "-o", "--no-interaction"], false, Wrote::Composer),
    ];
    if let Some(program) = VIVACITY.path() {
        let name = format!("vivacity {} dump-autoload -o", VIVACITY.version);
        all.push(maker(&name, program.clone(), &["dump-autoload", "-o"], false, Wrote::Composer));
        all.push(maker(&format!("{name}, with its cache"), program, &["dump-autoload", "-o"], true, Wrote::Composer));
    }
    Ok(all)
}

impl Maker {
    /// Whether it is Unladen.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.wrote, Wrote::Unladen)
    }

    /// What it takes to make the map.
    pub(super) fn make(&self, project: &Project) -> Result<Took> {
        project.clean()?;
        let command = self.command(project);
        if self.warm {
            measured(&command)?;
        }
        measured(&command)
    }

    fn command(&self, project: &Project) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments).current_dir(project.root()).stdin(Stdio::null());
        command.env("HOME", project.home()).env("COMPOSER_HOME", project.home()).env("XDG_CACHE_HOME", project.home());
        // Without it, it stops to ask who is root.
        command.env("COMPOSER_ALLOW_SUPERUSER", "1");
        command
    }

    /// The map's bytes, as its last run left them.
    pub(super) fn text(&self, project: &Project) -> Result<Vec<u8>> {
        let path = project.root().join(match self.wrote {
            Wrote::Composer => "vendor/composer/autoload_classmap.php",
            Wrote::Unladen => "unladen-classmap.php",
        });
        fs::read(&path).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    /// What that map says.
    pub(super) fn made(&self, project: &Project) -> Result<Made> {
        match self.wrote {
            Wrote::Composer => Made::of_composer(&project.root()),
            Wrote::Unladen => {
                let output = Command::new(&self.program)
                    .args(["classmap", "--emit", "json"])
                    .current_dir(project.root())
                    .stdin(Stdio::null())
                    .output()?;
                Made::of_json(&output.stdout, &project.root())
            }
        }
    }
}
