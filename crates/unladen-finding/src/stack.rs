//! The principal type is [`Stack`]: what a group runs, so that its fix can be named.

use std::path::Path;

use unladen_trace::{Evidence, FileOutcome, Language};

use crate::folders::named_file;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stack {
    Php,
    Perl,
    Python,
    Ruby,
    Node,
    Nginx,
    Apache,
    Other,
}

impl Stack {
    /// By what was seen of the group (PHP may run inside Apache), else by its executable, else by its name.
    pub(crate) fn of(evidence: &Evidence, group: usize) -> Self {
        let compiles = |language| evidence.compiles.iter().any(|seen| seen.group == group && seen.language == language);
        match () {
            () if evidence.php_of(group).is_some() || compiles(Language::Php) => Self::Php,
            () if compiles(Language::Perl) => Self::Perl,
            () if compiles(Language::Python) => Self::Python,
            () => match Self::named(program(evidence, group)) {
                Self::Other => Self::named(evidence.group(group).rsplit(' ').next().unwrap_or_default()),
                known => known,
            },
        }
    }

    fn named(program: &str) -> Self {
        let begins = |names: &[&str]| names.iter().any(|name| program.starts_with(name));
        match () {
            () if begins(&["php"]) => Self::Php,
            () if begins(&["perl"]) || [".pl", ".cgi", ".fcgi"].iter().any(|end| program.ends_with(end)) => Self::Perl,
            () if begins(&["python", "gunicorn", "uwsgi"]) => Self::Python,
            () if begins(&["ruby"]) => Self::Ruby,
            // Not `node_exporter`.
            () if ["node", "nodejs"].contains(&program) => Self::Node,
            () if begins(&["nginx", "openresty"]) => Self::Nginx,
            () if begins(&["apache2", "httpd"]) => Self::Apache,
            () => Self::Other,
        }
    }
}

pub(crate) fn is_contained(evidence: &Evidence, group: usize) -> bool {
    evidence.groups.get(group).is_some_and(|group| group.container.is_some())
}

/// The executable's file name; else the last word of the group's name.
pub(crate) fn program(evidence: &Evidence, group: usize) -> &str {
    let Some(seen) = evidence.groups.get(group) else { return "" };
    let exe = seen.exe.as_deref().and_then(|exe| Path::new(exe).file_name()?.to_str());
    exe.or_else(|| seen.name.split_whitespace().next_back()).unwrap_or("")
}

const DATABASES: &[&str] = &[
    "postgres",
    "mysqld",
    "mariadbd",
    "redis-server",
    "redis-check-rdb", // what redis-server is a name of
    "valkey-server",
    "memcached",
    "mongod",
    "clickhouse-server",
    "slapd",
];

const LOG_DAEMONS: &[&str] = &["rsyslogd", "syslog-ng", "systemd-journald", "systemd-journal", "syslogd"];

/// Groups whose files, processes, locks and writes an application's owner decides about: all but database servers and
/// log daemons. Those do what they are asked for; the asking can be spared, and is reported for the asker.
pub(crate) fn applications(evidence: &Evidence) -> impl Iterator<Item = usize> {
    (0..evidence.groups.len()).filter(|group| !is_database_server(evidence, *group) && !is_log_daemon(evidence, *group))
}

pub(crate) fn is_log_daemon(evidence: &Evidence, group: usize) -> bool {
    LOG_DAEMONS.contains(&program(evidence, group))
}

pub(crate) fn is_database_server(evidence: &Evidence, group: usize) -> bool {
    let is = |name: &str| DATABASES.contains(&name);
    // A systemd unit may have started something else first: `postgresql@15-main.service`.
    let unit =
        evidence.group(group).strip_suffix(".service").and_then(|name| name.split('@').next()).unwrap_or_default();
    is(program(evidence, group)) || is(unit) || matches!(unit, "postgresql" | "mariadb" | "mysql" | "redis")
}

/// Whether a group is Apache, which has its own ways to configure PHP within it.
pub(crate) fn is_apache(evidence: &Evidence, group: usize) -> bool {
    matches!(program(evidence, group), "apache2" | "httpd")
}

pub(crate) fn is_sympa(evidence: &Evidence, group: usize) -> bool {
    let name = evidence.group(group);
    name.contains("sympa") || named_file(evidence, group, |seen| seen.path.contains("/sympa/")).is_some()
}

pub(crate) const SYMPA: &str = "wwsympa";

/// Sympa's settings: the observed file, else Debian's.
pub(crate) fn sympa_conf(evidence: &Evidence, group: usize) -> String {
    let is_one = |path: &str| path.starts_with('/') && path.ends_with("/sympa.conf");
    let seen = named_file(evidence, group, |seen| seen.outcome == FileOutcome::Found && is_one(&seen.path));
    seen.map_or_else(|| "/etc/sympa/sympa/sympa.conf".into(), |seen| seen.path.clone())
}

/// The user in a group's name, `www-data php-fpm8.2`; `None` for a unit.
pub(crate) fn user(evidence: &Evidence, group: usize) -> Option<&str> {
    evidence.group(group).split_once(' ').map(|(user, _)| user)
}
