//! [`health`]: asks a running `unladen serve` for its health, for a container's health check.

use std::path::Path;
use std::time::Duration;

use unladen_serve_config::Config;

use crate::admin::{Question, exchange, parts, written};
use crate::exit::Failure;
use crate::output;

/// For connecting, and for each part of the answer: longer than a thread may take that is asked whether it lives.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of an answer, far above what one has.
const LONGEST: u64 = 64 << 10;

pub(crate) enum Place<'a> {
    Address(String),
    /// The configuration that names it.
    File(&'a Path),
}

/// Asks whether it is alive, or whether it is ready. Fails if it says no, nobody answers, or there is no admin address:
/// all with the same exit code, since health checkers know only one.
pub(crate) fn health(place: Place<'_>, is_live: bool) -> Result<(), Failure> {
    let what = if is_live { "GET /livez" } else { "GET /readyz" };
    let address = address(place)?;
    let question = Question { what, body: "", patience: PATIENCE, longest: LONGEST };
    let answer = exchange(&address, &question).map_err(|error| {
        Failure::Unhealthy(format!("{address} does not answer: {error}; is `unladen serve` running?"))
    })?;
    let text = String::from_utf8_lossy(&answer);
    let (head, status, body) = parts(&text);
    let body = body.trim_end();
    match status {
        "200" => Ok(output::line(body)?),
        "503" => Err(Failure::Unhealthy(body.to_owned())),
        _ => {
            let first: String = head.chars().take_while(|c| !c.is_control()).take(120).collect();
            Err(Failure::Unhealthy(format!(
                "{address} is not an admin address of `unladen serve`: it answers `{first}`"
            )))
        }
    }
}

fn address(place: Place<'_>) -> Result<String, Failure> {
    let file = match place {
        Place::Address(address) => return Ok(address),
        Place::File(file) => file,
    };
    let config = Config::read(file).map_err(|error| Failure::Unhealthy(error.to_string()))?;
    let none = || Failure::Unhealthy(format!("{} has no [admin] with `listen`, which --health needs", file.display()));
    Ok(written(&config.settings.admin.ok_or_else(none)?.listen))
}
