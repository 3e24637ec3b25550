//! The principal function is [`unswitched`]: why a fix has no experiment.

use crate::fix::Fix;
use crate::rules::unladen_site;

const INSIDE: &str = ", inside ";

/// Why no experiment switches a fix, in half a line.
pub fn unswitched(fix: &Fix) -> String {
    if let Some(host) = &fix.host {
        return format!(
            "it is on the host {host}, and an experiment switches what is on the machine that runs it: run unladen there"
        );
    }
    let mut files = fix.file.iter().chain(fix.also.iter().map(|part| &part.file));
    if let Some(knob) = &fix.knob {
        let name = knob.service.as_ref().map_or("the server", |service| service.name.as_str());
        return format!("no command is known that has {name} read its settings: give one by --restart");
    }
    if files.any(|file| file.contains(INSIDE)) {
        return "its files are a container's: a knob would write the host's".into();
    }
    if fix.is_partial {
        return "something that no command changes sets it again: its advice says what".into();
    }
    match fix.file.as_deref() {
        Some(unladen_site::FILE) if fix.lines.iter().any(|line| line.starts_with("[[outbound]]")) => {
            "the application has to call another address, which is a setting of its own".into()
        }
        Some(unladen_site::FILE) if fix.also.is_empty() => {
            "the application has to say first that the page may be kept, which is code or a setting of its own".into()
        }
        Some(unladen_site::FILE) => {
            "what the application has to say for it belongs into a file that holds more: a knob writes a whole file"
                .into()
        }
        Some(file) if !fix.lines.is_empty() && is_of_proxy(file) => {
            "the application has to connect to another address, which is a setting of its own".into()
        }
        Some(file) if !fix.lines.is_empty() && is_own(file) => {
            format!("besides {file} it takes a line in a file that holds others: a knob writes a whole file")
        }
        Some(file) if !fix.lines.is_empty() => {
            format!("its lines belong into {file}, which may hold others: a knob writes a whole file")
        }
        _ if !fix.lines.is_empty() => "its lines are code of the application: make a patch of them".into(),
        _ if !fix.commands.is_empty() => "for its commands no way back is known".into(),
        _ => "it is advice, and no setting that an experiment could switch".into(),
    }
}

fn is_of_proxy(file: &str) -> bool {
    file.ends_with("/pgbouncer.ini") || file.ends_with("/proxysql.cnf")
}

fn is_own(file: &str) -> bool {
    file.rsplit('/').next().is_some_and(|name| name.starts_with("unladen-"))
}

#[cfg(test)]
mod tests;
