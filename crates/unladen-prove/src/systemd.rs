//! The principal type is [`Systemd`]: it restarts units, with the variables of knobs.
//!
//! The variables go into a drop-in below /run, which does not survive a reboot (systemd.unit(5), "Drop-in files").

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use unladen_load::Cancel;

use crate::error::Fault;
use crate::original::{Content, Original};
use crate::shell::{COMMAND_TIME, Shell};

/// Name of the drop-in: read after others, as the last assignment of a variable counts (systemd.exec(5)).
const DROP_IN: &str = "99-unladen.conf";

#[derive(Clone, Debug)]
pub(crate) struct Systemd {
    pub(crate) units: PathBuf,
    pub(crate) systemctl: PathBuf,
}

impl Systemd {
    pub(crate) fn new() -> Self {
        Self { units: "/run/systemd/system".into(), systemctl: "systemctl".into() }
    }

    pub(crate) fn drop_in(&self, unit: &str) -> PathBuf {
        self.units.join(format!("{unit}.d")).join(DROP_IN)
    }

    /// Sets a unit's variables from its next start on; without any, the drop-in is restored.
    pub(crate) fn set_variables(
        &self,
        variables: &BTreeMap<String, String>,
        (drop_in, journal): (&Original, &Path),
        shell: &Shell,
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        if variables.is_empty() {
            drop_in.restore(journal)?;
        } else {
            drop_in.write(&Content::Bytes(drop_in_text(variables).into_bytes()))?;
        }
        // Even if the drop-in is unchanged: a killed run may have come no further.
        self.run(&["daemon-reload"], shell, cancel)
    }

    pub(crate) fn restart(&self, unit: &str, shell: &Shell, cancel: &Cancel) -> Result<(), Fault> {
        // Units have a limit of starts in a time (systemd.unit(5), StartLimitBurst), which an experiment would reach;
        // this resets the count. It fails for a unit that is not loaded, on which `restart` reports more.
        let _ = self.run(&["reset-failed", unit], shell, cancel);
        self.run(&["restart", unit], shell, cancel)
    }

    fn run(&self, arguments: &[&str], shell: &Shell, cancel: &Cancel) -> Result<(), Fault> {
        let mut systemctl = Command::new(&self.systemctl);
        systemctl.arg("--no-ask-password").args(arguments);
        let name = format!("systemctl {}", arguments.join(" "));
        Ok(shell.execute(systemctl, &name, COMMAND_TIME, cancel).map(drop)?)
    }
}

pub(crate) fn drop_in_text(variables: &BTreeMap<String, String>) -> String {
    let mut text = String::from("# Made by unladen prove, for the duration of an experiment.\n[Service]\n");
    for (name, value) in variables {
        text.push_str("Environment=\"");
        text.push_str(name);
        text.push('=');
        value.chars().for_each(|c| escape(c, &mut text));
        text.push_str("\"\n");
    }
    text
}

/// Within double quotes, `\` begins an escape (systemd.syntax(7), "Quoting"); `%` a specifier (systemd.unit(5))
/// anywhere. `$` means nothing in `Environment=` (systemd.exec(5)).
fn escape(c: char, text: &mut String) {
    match c {
        '"' => text.push_str("\\\""),
        '\\' => text.push_str("\\\\"),
        '%' => text.push_str("%%"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        c if c.is_ascii_control() => {
            // Writing to a String does not fail.
            let _ = write!(text, "\\x{:02x}", u32::from(c));
        }
        c => text.push(c),
    }
}

#[cfg(test)]
mod tests;
