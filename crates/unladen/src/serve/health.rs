//! [`health`]: asks a running `unladen serve` for its health, for a container's health check.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use unladen_serve_config::Config;

use crate::exit::Failure;
use crate::output;
use crate::purge::written;

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
    let path = if is_live { "/livez" } else { "/readyz" };
    let address = address(place)?;
    let answer = exchange(&address, path).map_err(|error| {
        Failure::Unhealthy(format!("{address} does not answer: {error}; does `unladen serve` run?"))
    })?;
    let text = String::from_utf8_lossy(&answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let body = body.trim_end();
    match head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)) {
        Some("200") => Ok(output::line(body)?),
        Some("503") => Err(Failure::Unhealthy(body.to_owned())),
        _ => {
            let first: String = head.chars().take_while(|c| !c.is_control()).take(120).collect();
            Err(Failure::Unhealthy(format!("{address} is no admin address of `unladen serve`: it says `{first}`")))
        }
    }
}

fn address(place: Place<'_>) -> Result<String, Failure> {
    let file = match place {
        Place::Address(address) => return Ok(address),
        Place::File(file) => file,
    };
    let config = Config::read(file).map_err(|error| Failure::Unhealthy(error.to_string()))?;
    let none =
        || Failure::Unhealthy(format!("{} has no [admin] with `listen`, where that could be asked", file.display()));
    Ok(written(&config.settings.admin.ok_or_else(none)?.listen))
}

fn exchange(address: &str, path: &str) -> std::io::Result<Vec<u8>> {
    if let Some(socket) = address.strip_prefix("unix:") {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        return ask(stream, "localhost", path);
    }
    let mut last = std::io::Error::new(std::io::ErrorKind::NotFound, "the name has no address");
    for one in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&one, PATIENCE) {
            Ok(stream) => {
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                return ask(stream, address, path);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn ask(mut stream: impl Read + Write, host: &str, path: &str) -> std::io::Result<Vec<u8>> {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer)?;
    Ok(answer)
}
