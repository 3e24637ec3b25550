//! Reads the tables `[[service]]`.

use unladen_toml::{Bad, Table, Value};

use crate::read::problem::ExperimentProblem;
use crate::read::reading::Reading;
use crate::read::{home, keys, ready};
use crate::service::{Restart, Service};

const UNIT_KINDS: [&str; 3] = [".service", ".socket", ".mount"];

pub(crate) fn read_all(list: &Value<'_>, reading: &Reading<'_>) -> Result<Vec<Service>, Bad> {
    let mut services: Vec<Service> = Vec::new();
    for value in list.list("a list of tables, each headed [[service]]")? {
        let table = home::open(&value, "[[service]]", &keys::SERVICE, &[])?;
        let name = table.require("name", "by which knobs name it in `restart`")?;
        let service = Service {
            name: name.words()?.to_owned(),
            restart: restart(&table)?,
            ready: table.get("ready").map(|value| ready::read(&value, reading)).transpose()?,
        };
        if services.iter().any(|other| other.name == service.name) {
            return Err(name.other(ExperimentProblem::Twice { what: "services", name: service.name }));
        }
        services.push(service);
    }
    Ok(services)
}

fn restart(table: &Table<'_>) -> Result<Restart, Bad> {
    let why = "a unit is restarted by systemctl, any other service by the command; choose one";
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
