//! The principal type is [`MakesKnob`]: something that must exist while a knob is on, made by a command.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use unladen_toml::{Bad, DAY, MILLISECOND, Table};

use crate::error::Fault;
use crate::knob::{Knob, Switch};
use crate::original::Original;
use crate::read::{Given, Kind, Reading, Side};
use crate::saver::Saver;
use crate::shell::COMMAND_TIME;
use crate::undo::Undo;

pub(super) const KIND: Kind = Kind {
    key: "makes",
    with: &["by", "undo", "within"],
    summary: "runs the command `by` if this path does not exist; it stays for all arms, and is removed at the end",
    read,
};

fn read(table: &Table<'_>, side: &Side, reading: &Reading<'_>) -> Result<Given, Bad> {
    let path = reading.path(&table.require(KIND.key, "the path that the command makes")?)?;
    let by = table.require("by", "the shell command that makes it")?.words()?.to_owned();
    let undo = table.get("undo").map(|value| value.words().map(str::to_owned)).transpose()?;
    let within = table.get("within").map_or(Ok(COMMAND_TIME), |value| value.duration(MILLISECOND..=DAY))?;
    Ok(Given::Change(Arc::new(MakesKnob { on: side.on, path, by, undo, within })))
}

/// A path that a command makes if it does not exist.
///
/// Nothing reads it while the knob is off, so it is made once and not at every switch. If it existed before, it stays.
#[derive(Clone, Debug)]
pub struct MakesKnob {
    pub on: bool,
    pub path: PathBuf,
    pub by: String,
    /// Command that removes it; `None` if it is a file, which is removed without one.
    pub undo: Option<String>,
    pub within: Duration,
}

impl Knob for MakesKnob {
    fn what(&self) -> String {
        format!("{}, made by `{}`", self.path.display(), self.by)
    }

    fn preview(&self, on: bool) -> Vec<String> {
        let command = if on == self.on { Some(&self.by) } else { self.undo.as_ref() };
        command.filter(|_| !self.path.exists()).map(|command| format!("$ {command}")).into_iter().collect()
    }

    fn claims(&self) -> Vec<String> {
        vec![format!("the file {}", self.path.display())]
    }

    fn has(&self, on: bool) -> bool {
        self.on == on
    }

    fn prepare(&self, saver: &mut Saver<'_>) -> Result<Undo, Fault> {
        if self.path.exists() {
            return Ok(Undo::Nothing);
        }
        let within_ms = u64::try_from(self.within.as_millis()).unwrap_or(u64::MAX);
        Ok(match &self.undo {
            Some(command) => Undo::Made { path: self.path.clone(), command: command.clone(), within_ms },
            None => Undo::Files(vec![Original::save(&self.path, false, saver)?]),
        })
    }

    fn set(&self, on: bool, switch: &Switch<'_>) -> Result<(), Fault> {
        if on == self.on && !self.path.exists() {
            switch.shell.run(&self.by, &BTreeMap::new(), self.within, switch.cancel)?;
        }
        Ok(())
    }
}
