//! MariaDB and MySQL: [`see`].

use unladen_trace::ServerSeen;

use super::process::Server;

/// Its command line names the only file that it reads, and its socket if that is not in the file.
pub(super) fn see(server: &Server, seen: &mut ServerSeen) {
    let option = |name: &str| server.command.long_option(name);
    seen.config = option("defaults-file").map(|file| server.path(file));
    let text = seen.config.as_ref().and_then(|file| server.text(file));
    let socket = option("socket").or_else(|| server.command.option('S')).map(|socket| server.path(socket));
    seen.socket = socket.or_else(|| socket_in(text.as_deref()?)).filter(|socket| socket.starts_with('/'));
}

pub(super) fn socket_in(text: &str) -> Option<String> {
    let mut is_servers = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_servers = is_servers_section(section.split(']').next().unwrap_or_default());
        } else if let Some((name, value)) = line.split_once('=')
            && is_servers
            && name.trim() == "socket"
        {
            found = Some(value.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
    found
}

/// `mysqld`, `mariadb-10.11`; others are clients', such as `mysqldump` and `mariadb-client`.
fn is_servers_section(name: &str) -> bool {
    let (name, version) = name.split_once('-').unwrap_or((name, "0"));
    matches!(name, "mysqld" | "mariadb" | "mariadbd" | "server") && version.starts_with(|c: char| c.is_ascii_digit())
}
