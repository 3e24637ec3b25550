//! The examples in the documentation: [`doctests`].

use std::process::Command;

use crate::outcome::Outcome;

/// Runs those of all libraries; cargo builds them as it does so.
pub(crate) fn doctests() -> Outcome {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--workspace", "--locked", "--doc", "--no-fail-fast"]);
    Outcome::of_command(command)
}
