//! How many files this process may open: each connection is one.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use unladen_serve_config::Settings;

use crate::message::spool::LEAST_ON_DISK;

/// Files besides connections: listeners, timers, logs.
const OTHERS: u64 = 64;

/// Raises the bound as far as is allowed; what it is then.
pub(super) fn raise() -> u64 {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) if soft < hard => setrlimit(Resource::RLIMIT_NOFILE, hard, hard).map_or(soft, |()| hard),
        Ok((soft, _)) => soft,
        Err(_) => 0,
    }
}

/// What the settings' bounds would take, if it is more than that.
pub(super) fn warning(settings: &Settings, may: u64) -> Option<String> {
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
    // Bodies that wait for slow clients, of a connection a request's and an answer's: as many as find room on the disk.
    let spools = settings.outbound.iter().chain(settings.site.iter().map(|site| &site.proxy)).map(|proxy| {
        let buffer = &proxy.buffer;
        let of_connection = u64::from(buffer.requests) + u64::from(buffer.answers);
        of(proxy.client.connections).min(buffer.disk / LEAST_ON_DISK).saturating_mul(of_connection)
    });
    let takes = spools.fold(takes, u64::saturating_add);
    (takes > may).then(|| {
        format!(
            "`client.connections`, `limits.connections` and bodies that wait (`buffer`) add up to {takes} files, and this \
             process may open {may}: beyond that connections wait; raise it (`LimitNOFILE=` of systemd, `ulimit -Hn`), or lower them"
        )
    })
}
