//! [`write`]: a configuration to begin with.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use unladen_serve_config::presets::STARTERS;

use crate::exit::Failure;
use crate::output;

/// Writes the configuration of that name to standard output, or into a new file. Fails if there is none of that name,
/// or the file exists or cannot be written.
pub(crate) fn write(name: &str, file: Option<&Path>) -> Result<(), Failure> {
    let Some(starter) = STARTERS.iter().find(|starter| starter.name == name) else {
        let known: Vec<&str> = STARTERS.iter().map(|starter| starter.name).collect();
        return Err(Failure::Usage(format!("--init knows no `{name}`, but {}", known.join(", "))));
    };
    let Some(file) = file else { return Ok(output::bytes(starter.text.as_bytes())?) };
    let written =
        OpenOptions::new().write(true).create_new(true).open(file).and_then(|mut opened| {
            opened.write_all(starter.text.replace("FILE", &file.display().to_string()).as_bytes())
        });
    written.map_err(|error| {
        let hint =
            if error.kind() == ErrorKind::AlreadyExists { "; it is not written over: name another file" } else { "" };
        Failure::Usage(format!("--init cannot write {}: {error}{hint}", file.display()))
    })
}
