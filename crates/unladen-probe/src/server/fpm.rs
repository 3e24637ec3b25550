//! PHP-FPM: [`see`].

use unladen_trace::ServerSeen;

use super::process::Server;

/// Its title names its settings file: `php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)`.
pub(super) fn see(server: &Server, seen: &mut ServerSeen) {
    let inner = server.command.title().strip_prefix("php-fpm: master process (");
    let named = inner.and_then(|inner| inner.trim_end().strip_suffix(')'));
    seen.config = named.or_else(|| server.command.option('y')).map(|config| server.path(config));
    let text = seen.config.as_ref().and_then(|config| server.text(config));
    // In the background, its process id changes with each reload, and is written there.
    seen.pid_file = text.as_deref().and_then(pid_file).filter(|file| server.is_pid_file(file)).map(str::to_owned);
}

/// The file that `pid` names; relative ones lie below a built-in folder.
pub(super) fn pid_file(text: &str) -> Option<&str> {
    let mut values = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "pid").then(|| value.split(';').next().unwrap_or_default().trim().trim_matches(['"', '\'']))
    });
    values.next_back().filter(|file| file.starts_with('/'))
}
