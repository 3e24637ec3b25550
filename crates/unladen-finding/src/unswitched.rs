//! The principal function is [`unswitched`]: why a fix has no experiment.

use crate::fix::Fix;
use crate::rules::unladen_site;

const INSIDE: &str = ", inside ";

/// Why no experiment switches a fix, in half a line.
pub fn unswitched(fix: &Fix) -> String {
    if let Some(host) = &fix.host {
        return format!(
            "it is on the host {host}, where an experiment switches files of its own alone: run unladen there"
        );
    }
    let mut files = fix.file.iter().chain(fix.also.iter().map(|part| &part.file));
    if let Some(knob) = &fix.knob {
        let name = knob.service.as_ref().map_or("the server", |service| service.name.as_str());
        return format!("no command is known that makes {name} read its settings: give one with --restart");
    }
    if files.any(|file| file.contains(INSIDE)) {
        return "its files are in a container: a knob would write the host's files".into();
    }
    if fix.is_partial {
        return "another setting, which no command changes, overrides it: its advice says which".into();
    }
    match fix.file.as_deref() {
        Some(unladen_site::FILE) if fix.lines.iter().any(|line| line.starts_with("[[outbound]]")) => {
            "the application has to call another address, which is one of its own settings".into()
        }
        Some(unladen_site::FILE) if fix.also.is_empty() => {
            "the application first has to declare that the page may be kept, which needs its code or one of its own \
             settings"
                .into()
        }
        Some(unladen_site::FILE) => {
            "the application's declaration belongs in a file with other content: a knob writes a whole file".into()
        }
        Some(file) if !fix.lines.is_empty() && is_of_proxy(file) => {
            "the application has to connect to another address, which is one of its own settings".into()
        }
        Some(file) if !fix.lines.is_empty() && is_own(file) => {
            format!("besides {file} it needs a line in a file with other lines: a knob writes a whole file")
        }
        Some(file) if !fix.lines.is_empty() => {
            format!("its lines belong in {file}, which may have other lines: a knob writes a whole file")
        }
        _ if !fix.lines.is_empty() => "its lines are application code: make a patch of them".into(),
        _ if !fix.commands.is_empty() => "its commands cannot be undone automatically".into(),
        _ => "it is advice, not a setting that an experiment could switch".into(),
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
