//! The principal type is [`CommandKnob`]: a shell command that switches to one side; another one switches back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use unladen_toml::{Bad, DAY, MILLISECOND, Table};

use crate::error::Fault;
use crate::knob::{Knob, Reach, Switch};
use crate::read::{Given, Kind, Reading, Side};
use crate::saver::Saver;
use crate::shell::COMMAND_TIME;
use crate::undo::Undo;

pub(super) const KIND: Kind =
    Kind { key: "command", with: &["within"], summary: "runs a shell command; the other side needs one, too", read };

fn read(table: &Table<'_>, side: &Side, _reading: &Reading<'_>) -> Result<Given, Bad> {
    let command = table.require(KIND.key, "the shell command")?.words()?.to_owned();
    let bounds = MILLISECOND..=DAY;
    let within = table.get("within").map_or(Ok(COMMAND_TIME), |value| value.duration(bounds))?;
    let Side { on, initial } = *side;
    Ok(Given::Change(Arc::new(CommandKnob { on, initial, command, within })))
}

/// A shell command that switches to one side.
#[derive(Clone, Debug)]
pub struct CommandKnob {
    pub on: bool,
    /// Whether that is the side on which commands find the knob, and to which putting back returns.
    pub initial: bool,
    pub command: String,
    pub within: Duration,
}

impl Knob for CommandKnob {
    fn what(&self) -> String {
        format!("the command `{}`", self.command)
    }

    fn preview(&self, on: bool) -> Vec<String> {
        if self.on == on { vec![format!("$ {}", self.command)] } else { Vec::new() }
    }

    fn has(&self, on: bool) -> bool {
        self.on == on
    }

    fn reach(&self) -> Reach {
        Reach::Command
    }

    fn prepare(&self, _saver: &mut Saver<'_>) -> Result<Undo, Fault> {
        let within_ms = u64::try_from(self.within.as_millis()).unwrap_or(u64::MAX);
        Ok(if self.initial { Undo::Command { command: self.command.clone(), within_ms } } else { Undo::Nothing })
    }

    fn set(&self, on: bool, switch: &Switch<'_>) -> Result<(), Fault> {
        if self.on == on {
            switch.shell.run(&self.command, &BTreeMap::new(), self.within, switch.cancel)?;
        }
        Ok(())
    }
}
