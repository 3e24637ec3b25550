//! The principal type is [`Subject`]: one of subjects/, up until it is dropped.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Result;
use crate::peers::root;

/// A running subject, with a state of its own: it is in nobody's way.
pub(crate) struct Subject {
    name: &'static str,
    pub(crate) url: String,
}

impl Subject {
    pub(crate) fn up(name: &'static str) -> Result<Self> {
        let output = command(name).arg("up").stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("subjects/{name}/run up: {}", output.status).into());
        }
        Ok(Self { name, url: String::from_utf8(output.stdout)?.trim().to_owned() })
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let ended = command(self.name).args(["down", "--purge"]).stdin(Stdio::null()).status();
        if !ended.is_ok_and(|status| status.success()) {
            eprintln!("unladen-bench: subjects/{}/run down failed", self.name);
        }
    }
}

fn command(name: &str) -> Command {
    let mut command = Command::new(root().join("subjects").join(name).join("run"));
    command.env("UNLADEN_STATE", state());
    command
}

fn state() -> PathBuf {
    let root = root();
    root.canonicalize().unwrap_or(root).join(".state/bench")
}
