//! A running server's files, syntax check and reload. [`reload`] and [`check`] use what its own process says.

use unladen_trace::{Evidence, ServerSeen};

use crate::quoting::word;

pub(crate) fn of(evidence: &Evidence, group: Option<usize>) -> Option<&ServerSeen> {
    evidence.groups.get(group?)?.server.as_ref().filter(|server| server.several.is_empty() && !server.is_hidden)
}

/// Whether systemd runs there; assumed if nobody looked.
pub(crate) fn has_systemd(evidence: &Evidence) -> bool {
    evidence.groups.iter().filter_map(|group| group.server.as_ref()).all(|server| server.has_systemd)
}

pub(crate) fn service(evidence: &Evidence, verb: &str, name: &str) -> String {
    if has_systemd(evidence) { format!("systemctl {verb} {name}") } else { format!("service {name} {verb}") }
}

/// Its executable with options for its own settings, as the user it runs as.
pub(crate) fn called(server: &ServerSeen, options: &[(&str, &Option<String>)]) -> String {
    let given = options.iter().filter_map(|(option, value)| Some(format!(" {option} {}", word(value.as_deref()?))));
    let given = word(&server.exe) + &given.collect::<String>();
    match &server.account {
        Some(account) => format!("runuser -u {} -- {given}", word(account)),
        None => given,
    }
}

/// Signals its main process; fails if another process has its number by then.
pub(crate) fn signal(server: &ServerSeen, name: &str) -> Option<String> {
    let exe = word(&server.exe);
    let told = |whose: &str| word(&format!("{whose} is no longer {}'s: weigh again", server.exe));
    let guarded = |pid: &str, told: &str| {
        format!("{{ test /proc/{pid}/exe -ef {exe} || {{ echo {told} >&2; false; }}; }} && kill -{name} {pid}")
    };
    match &server.pid_file {
        _ if server.pid == 0 => None,
        Some(file) => Some(guarded(&format!("\"$(cat {})\"", word(file)), &told(file))),
        None => Some(guarded(&server.pid.to_string(), &told(&format!("process {}", server.pid)))),
    }
}

/// Has nginx test and reload its settings.
pub(crate) fn nginx(server: Option<&ServerSeen>) -> String {
    let Some(server) = server.filter(|server| {
        [&server.config, &server.prefix, &server.account].into_iter().any(Option::is_some) || server.needs_signal
    }) else {
        return "nginx -t && nginx -s reload".into();
    };
    let nginx = called(server, &[("-c", &server.config), ("-p", &server.prefix)]);
    let reload = signal(server, "HUP").filter(|_| server.needs_signal);
    format!("{nginx} -t && {}", reload.unwrap_or_else(|| format!("{nginx} -s reload")))
}

pub(crate) fn apache(server: Option<&ServerSeen>) -> String {
    let signalled = server.filter(|server| server.needs_signal);
    match signalled.and_then(|server| Some((server, signal(server, "USR1")?))) {
        Some((server, signal)) => {
            format!("{} -t && {signal}", called(server, &[("-d", &server.prefix), ("-f", &server.config)]))
        }
        None => "apachectl configtest && apachectl graceful".into(),
    }
}

/// Has PHP-FPM test and reload its settings; `None` if its process number is not known here.
pub(crate) fn fpm(server: &ServerSeen) -> Option<String> {
    if let Some(unit) = &server.unit {
        return Some(format!("systemctl reload {}", word(unit)));
    }
    Some(format!("{} -t && {}", called(server, &[("-y", &server.config)]), signal(server, "USR2")?))
}

pub(crate) fn psql(evidence: &Evidence, port: u16) -> String {
    let servers = evidence.groups.iter().filter_map(|group| group.server.as_ref());
    psql_of(servers.into_iter().find(|server| server.port == Some(port)), Some(port))
}

/// Queries this PostgreSQL by its own socket.
pub(crate) fn psql_of(server: Option<&ServerSeen>, port: Option<u16>) -> String {
    let account = server.and_then(|server| server.account.as_deref()).unwrap_or("postgres");
    let socket = server.and_then(|server| server.socket.as_deref());
    let socket = socket.map(|folder| format!(" -h {}", word(folder))).unwrap_or_default();
    let port = server.and_then(|server| server.port).or(port).map(|port| format!(" -p {port}")).unwrap_or_default();
    format!("runuser -u {} -- psql{socket}{port}", word(account))
}

/// Queries this MariaDB by its own socket.
pub(crate) fn mariadb(server: Option<&ServerSeen>) -> String {
    let socket = server.and_then(|server| server.socket.as_deref());
    "mariadb".to_owned() + &socket.map(|socket| format!(" -S {}", word(socket))).unwrap_or_default()
}

/// A file that this MariaDB reads, after others if it has several.
pub(crate) fn mariadb_file(server: Option<&ServerSeen>) -> String {
    let given = server.and_then(|server| server.config.clone());
    given.unwrap_or_else(|| "/etc/mysql/mariadb.conf.d/zz-unladen.cnf".into())
}

#[cfg(test)]
mod tests;
