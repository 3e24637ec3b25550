//! Reads the tables `ready`.

use std::net::SocketAddr;

use unladen_load::Statuses;
use unladen_toml::{Bad, DAY, MILLISECOND, Problem, Value};

use crate::read::home;
use crate::read::reading::Reading;
use crate::read::url::url;
use crate::ready::{Check, Ready, USUAL};

const KEYS: [&str; 5] = ["url", "command", "connect", "status", "within"];

/// Reads the table; a text alone is a command.
pub(crate) fn read(value: &Value<'_>, reading: &Reading<'_>) -> Result<Ready, Bad> {
    let table = home::open(value, "`ready`", &KEYS, &[])?;
    let within = table.get("within").map_or(Ok(USUAL), |value| value.duration(MILLISECOND..=DAY))?;
    let why = "one condition is looked at; a command can look at more";
    table.either("url", "command", why)?;
    table.either("url", "connect", why)?;
    table.either("command", "connect", why)?;
    let status = table.get("status");
    if let (Some(value), None) = (&status, table.get("url")) {
        return Err(
            Problem::Alone { key: "status", without: "is that of a `url`, which is not given" }.at(value.span())
        );
    }
    let check = if let Some(value) = table.get("url") {
        let statuses = status.map_or(Ok(Statuses::default()), |value| value.parse())?;
        Check::Url { url: url(&value)?, statuses, tls: Box::new(reading.tls.clone()) }
    } else if let Some(value) = table.get("command") {
        Check::Command(value.words()?.to_owned())
    } else if let Some(value) = table.get("connect") {
        connect(&value, reading)?
    } else {
        return Err(table.missing("url", "`url`, `command` or `connect`: what is to be looked at"));
    };
    Ok(Ready { check, within })
}

fn connect(value: &Value<'_>, reading: &Reading<'_>) -> Result<Check, Bad> {
    let text = value.words()?;
    if let Some(path) = text.strip_prefix("unix:") {
        return Ok(Check::Unix(reading.folder.join(path)));
    }
    let expected = "an address and port, such as \"127.0.0.1:9000\", or \"unix:/run/app.sock\"";
    text.parse::<SocketAddr>().map(Check::Tcp).map_err(|_| value.refuse(format!("`{text}`"), expected))
}
