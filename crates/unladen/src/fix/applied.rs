//! The principal type is [`FixFolder`]: one fix on disk, with its experiment, its record and its way back.
//!
//! - `fix.toml` is the experiment, as the finding holds it.
//! - `.fix.toml.undo` is its journal while something is switched; for a fix that is kept, until it is undone.
//! - `fix.json` is the [`Applied`] record.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};
use serde_json::json;
use unladen_prove::{left_over, outsider};
use unladen_store::Location;

use crate::exit::Failure;
use crate::fix::Remedy;
use crate::output;
use crate::runs::{now, rfc3339};

/// A fix that was applied, for people and programs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Applied {
    /// `12-3`: the third finding of run 12.
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) rule: String,
    pub(crate) group: String,
    pub(crate) summary: String,
    pub(crate) state: State,
    /// When the state changed, RFC 3339.
    pub(crate) time: String,
    /// The diff and the commands.
    pub(crate) changes: Vec<String>,
    /// What the proof said; empty if it was not proved.
    pub(crate) proof: String,
    /// Number of the run with the proof.
    pub(crate) proof_run: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum State {
    Applied,
    #[strum(serialize = "put back")]
    PutBack,
    Undone,
}

impl Applied {
    /// The document of these: `unladen.fix/1`.
    pub(crate) fn document(fixes: &[&Self]) -> String {
        format!("{:#}", json!({ "schema": "unladen.fix/1", "fixes": fixes }))
    }

    pub(crate) fn new(remedy: &Remedy, changes: Vec<String>) -> Self {
        let finding = &remedy.finding;
        Self {
            name: remedy.name(),
            url: finding.url.clone(),
            rule: finding.rule.clone(),
            group: finding.group.clone(),
            summary: finding.summary.clone(),
            state: State::PutBack,
            time: rfc3339(now()),
            changes,
            proof: String::new(),
            proof_run: None,
        }
    }
}

pub(crate) struct FixFolder(PathBuf);

impl FixFolder {
    /// Beside the user's store. Fails if the user has no home, or another user may write there: what is in it is run.
    fn home() -> Result<PathBuf, Failure> {
        let Location::Sqlite(store) = Location::default() else { return Err(no_home()) };
        let home = store.parent().filter(|folder| folder.is_absolute()).ok_or_else(no_home)?.join("fixes");
        let ours = home.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
        if geteuid().is_root() && outsider(ours).is_some() {
            return Err(another_may_write(ours));
        }
        Ok(home)
    }

    /// Of one fix; it need not exist.
    pub(crate) fn of(name: &str) -> Result<Self, Failure> {
        let is_name = name.split_once('-').is_some_and(|parts| {
            [parts.0, parts.1].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        });
        if !is_name {
            return Err(Failure::Usage(format!(
                "`{name}` is no fix: expected a name as `unladen fix --list` shows it"
            )));
        }
        Ok(Self(Self::home()?.join(name)))
    }

    /// All that were applied at some time, in the order of their names.
    pub(crate) fn all() -> Result<Vec<(Self, Applied)>, Failure> {
        let home = Self::home()?;
        let entries = match fs::read_dir(&home) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Failure::Usage(format!("{}: {error}", home.display()))),
        };
        let folders = entries.flatten().map(|entry| Self(entry.path()));
        let mut all: Vec<(Self, Applied)> =
            folders.filter_map(|folder| folder.record().map(|record| (folder, record))).collect();
        all.sort_by(|one, other| one.1.time.cmp(&other.1.time));
        Ok(all)
    }

    /// Writes the experiment. Fails if the folder cannot be made, or a fix of this name is in place.
    pub(crate) fn prepare(&self, experiment: &str) -> Result<PathBuf, Failure> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        made.map_err(|error| Failure::Usage(format!("{}: {error}", self.0.display())))?;
        let file = self.file();
        if self.is_in_place()? {
            return Err(Failure::Usage(format!(
                "it is applied already, or a run that was killed left it switched; `unladen fix undo {}` takes it off",
                self.name()
            )));
        }
        output::whole_file(&file, |out| out.write_all(experiment.as_bytes()))?;
        Ok(file)
    }

    /// Fails if another fix is in the way of this experiment: one that writes one of its files, whose lines would be lost,
    /// or one that is being proved, whose restarts would be in this proof too.
    pub(crate) fn is_free(&self, experiment: &str) -> Result<(), Failure> {
        for (other, record) in Self::all()?.into_iter().filter(|(other, _)| other.name() != self.name()) {
            // The journal of one that is being proved is held.
            if !other.is_in_place().unwrap_or(true) {
                continue;
            }
            let theirs = fs::read_to_string(other.file()).unwrap_or_default();
            if let Some(why) = in_the_way(&other.name(), record.state, &theirs, experiment) {
                return Err(Failure::InTheWay(why));
            }
        }
        Ok(())
    }

    pub(crate) fn write(&self, record: &Applied) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(record).unwrap_or_default();
        Ok(output::whole_file(&self.0.join("fix.json"), |out| writeln!(out, "{text}"))?)
    }

    pub(crate) fn record(&self) -> Option<Applied> {
        serde_json::from_slice(&fs::read(self.0.join("fix.json")).ok()?).ok()
    }

    /// Whether its journal holds a way back: of a fix that was kept, or of a run that was killed.
    pub(crate) fn is_in_place(&self) -> Result<bool, Failure> {
        Ok(left_over(&self.file())?.is_some())
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("fix.toml")
    }

    pub(crate) fn name(&self) -> String {
        self.0.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Why a fix that is in place keeps out another one, by their experiments.
fn in_the_way(name: &str, state: State, theirs: &str, ours: &str) -> Option<String> {
    if state != State::Applied {
        return Some(format!(
            "the fix {name} is being proved, and its restarts would be in this proof too; or a run that was killed left it \
             switched: `unladen fix undo {name}` takes it off"
        ));
    }
    let theirs = written(theirs);
    let file = written(ours).into_iter().find(|file| theirs.contains(file))?;
    Some(format!(
        "{file} is of the fix {name} already, whose lines would be lost: `unladen fix undo {name}` takes it off; to have both, \
         put these lines behind the others by hand"
    ))
}

/// Files that an experiment writes: as a knob, or by the commands of one.
fn written(experiment: &str) -> Vec<&str> {
    let behind = |mark: &'static str| experiment.split(mark).skip(1);
    let marked = ["file = \"", "file = '", "rm -f "].into_iter().flat_map(behind);
    let texts = marked.chain(experiment.split('>').skip(1));
    let path = |text: &'_ str| {
        let text = text.trim_start();
        text.find(|letter: char| letter.is_whitespace() || "\"';&|}\\".contains(letter)).unwrap_or(text.len())
    };
    let paths = texts.map(|text| &text.trim_start()[..path(text)]);
    paths.filter(|path| path.starts_with('/') && !path.starts_with("/dev/")).collect()
}

/// For root: what is kept there is run.
pub(crate) fn another_may_write(place: &Path) -> Failure {
    Failure::Usage(format!(
        "{}: another user may write there, and what is kept there is run as root: use `sudo -H`, so that root's own \
         home is used",
        place.display()
    ))
}

fn no_home() -> Failure {
    Failure::Usage("no folder to keep fixes in: neither HOME nor XDG_STATE_HOME is set".to_owned())
}

#[cfg(test)]
mod tests;
