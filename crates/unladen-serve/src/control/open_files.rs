//! The limit on open files: each connection is one.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use unladen_serve_config::{Config, Explained, Settings, ValueOrigin};

use crate::message::spool::LEAST_ON_DISK;

/// Files besides connections: listeners, timers, logs.
const OTHERS: u64 = 64;
/// The least limit that shells of most systems give; with fewer a site soon turns clients away.
const FEW: u64 = 1024;

/// Raises the limit to the hard one, and returns it.
pub(super) fn raise() -> u64 {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) if soft < hard => setrlimit(Resource::RLIMIT_NOFILE, hard, hard).map_or(soft, |()| hard),
        Ok((soft, _)) => soft,
        Err(_) => 0,
    }
}

/// Warns if the bounds need more files than allowed, provided the file sets one of them, as its author then relies on
/// it. The defaults are far above what a small site needs: they are reported only where the limit is low.
pub(super) fn warning(config: &Config, may: u64) -> Option<String> {
    let takes = takes(&config.settings);
    let is_expected = config.explained.iter().any(is_set);
    (takes > may && (is_expected || may < FEW)).then(|| {
        format!(
            "`client.connections`, `limits.connections` and bodies that wait (`buffer`) add up to {takes} files, and this \
             process may open {may}: beyond that connections wait; raise it (`LimitNOFILE=` of systemd, `ulimit -Hn`), or lower them"
        )
    })
}

fn is_set(value: &Explained) -> bool {
    let key = (value.key.table.trim_start_matches("site."), value.key.name);
    let is_bound = matches!(key, ("client" | "limits" | "validator", "connections") | ("buffer", "disk"));
    is_bound && matches!(value.origin, ValueOrigin::Said(_) | ValueOrigin::Defaults(_))
}

fn takes(settings: &Settings) -> u64 {
    let of = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let sites = settings.site.iter().map(|site| &site.proxy);
    let connections = settings
        .outbound
        .iter()
        .chain(sites)
        .map(|proxy| of(proxy.client.connections).saturating_add(of(proxy.upstream.limits.connections)));
    let takes = connections.fold(OTHERS, u64::saturating_add);
    let databases = settings
        .site
        .iter()
        .flat_map(|site| &site.validators)
        .map(|validator| of(validator.connections).saturating_mul(of(settings.threads)));
    let takes = databases.fold(takes, u64::saturating_add);
    // Bodies waiting for slow clients, a request's and an answer's for each connection, as far as the disk has room.
    let spools = settings.outbound.iter().chain(settings.site.iter().map(|site| &site.proxy)).map(|proxy| {
        let buffer = &proxy.buffer;
        let of_connection = u64::from(buffer.requests) + u64::from(buffer.answers);
        of(proxy.client.connections).min(buffer.disk / LEAST_ON_DISK).saturating_mul(of_connection)
    });
    spools.fold(takes, u64::saturating_add)
}

#[cfg(test)]
mod tests;
