//! PHP-FPM: [`see`].

use unladen_trace::ServerSeen;

use super::Server;

/// Its title names its settings file: `php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)`.
pub(super) fn see(server: &Server, seen: &mut ServerSeen) {
    let inner = server.command.title().strip_prefix("php-fpm: master process (");
    let named = inner.and_then(|inner| inner.trim_end().strip_suffix(')'));
    seen.config = named.or_else(|| server.command.option('y')).map(|config| server.path(config));
}
