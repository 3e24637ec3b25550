//! Reads the tables `[[service]]` and `ready`.

use std::net::SocketAddr;

use unladen_load::Statuses;
use unladen_toml::{Bad, DAY, MILLISECOND, Problem, Table, Value};

use crate::read::{ExperimentProblem, Reading, SERVICE_KEYS, open, url};
use crate::ready::{Check, Ready, Restart, Service, USUAL};

const UNIT_KINDS: [&str; 3] = [".service", ".socket", ".mount"];

pub(crate) fn read_all(list: &Value<'_>, reading: &Reading<'_>) -> Result<Vec<Service>, Bad> {
    let mut services: Vec<Service> = Vec::new();
    for value in list.list("a list of tables, each headed [[service]]")? {
        let table = open(&value, "[[service]]", &SERVICE_KEYS, &[])?;
        let name = table.require("name", "the name that knobs use in `restart`")?;
        let service = Service {
            name: name.words()?.to_owned(),
            restart: restart(&table)?,
            ready: table.get("ready").map(|value| read_ready(&value, reading)).transpose()?,
        };
        if services.iter().any(|other| other.name == service.name) {
            return Err(name.other(ExperimentProblem::Twice { what: "services", name: service.name }));
        }
        services.push(service);
    }
    Ok(services)
}

fn restart(table: &Table<'_>) -> Result<Restart, Bad> {
    let why = "a unit is restarted with systemctl, any other service with the command; choose one";
    match table.either("restart", "unit", why)? {
        (Some(command), _) => Ok(Restart::Command(command.words()?.to_owned())),
        (None, Some(unit)) => unit_name(&unit).map(Restart::Unit),
        (None, None) => Err(table.missing("restart", "`restart` (a command) or `unit` (of systemd)")),
    }
}

/// The name of a unit, with its suffix (systemd.unit(5)); it becomes a part of a path, so nothing else is accepted.
fn unit_name(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.words()?;
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-_.\\@".contains(&byte));
    if !plain || text.starts_with(['.', '-']) || text.len() > 240 {
        return Err(value.refuse(format!("`{text}`"), "the name of a unit, such as php8.2-fpm.service"));
    }
    let complete = UNIT_KINDS.iter().any(|kind| text.ends_with(kind));
    Ok(if complete { text.to_owned() } else { format!("{text}.service") })
}

const KEYS: [&str; 5] = ["url", "command", "connect", "status", "within"];

/// Reads the table; a text alone is a command.
pub(crate) fn read_ready(value: &Value<'_>, reading: &Reading<'_>) -> Result<Ready, Bad> {
    let table = open(value, "`ready`", &KEYS, &[])?;
    let within = table.get("within").map_or(Ok(USUAL), |value| value.duration(MILLISECOND..=DAY))?;
    let why = "only one condition is checked; a command can check more";
    table.either("url", "command", why)?;
    table.either("url", "connect", why)?;
    table.either("command", "connect", why)?;
    let status = table.get("status");
    if let (Some(value), None) = (&status, table.get("url")) {
        return Err(Problem::Alone { key: "status", without: "needs a `url`" }.at(value.span()));
    }
    let check = if let Some(value) = table.get("url") {
        let statuses = status.map_or(Ok(Statuses::default()), |value| value.parse())?;
        Check::Url { url: url(&value)?, statuses, tls: Box::new(reading.tls.clone()) }
    } else if let Some(value) = table.get("command") {
        Check::Command(value.words()?.to_owned())
    } else if let Some(value) = table.get("connect") {
        connect(&value, reading)?
    } else {
        return Err(table.missing("url", "the condition to check: `url`, `command` or `connect`"));
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
