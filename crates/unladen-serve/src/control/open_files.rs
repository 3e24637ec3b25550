//! How many files this process may open: each connection is one.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::settings::Settings;

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
    let connections = settings
        .beside
        .iter()
        .map(|beside| of(beside.client.connections).saturating_add(of(beside.upstream.limits.connections)));
    let takes = connections.fold(OTHERS, u64::saturating_add);
    (takes > may).then(|| {
        format!(
            "`client.connections` and `limits.connections` add up to {takes} files, and this process may open {may}: \
             beyond that connections wait; raise it (`LimitNOFILE=` of systemd, `ulimit -Hn`), or lower them"
        )
    })
}
