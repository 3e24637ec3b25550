//! What is done once at the start: [`text`] is the message once it serves; [`raise`] and [`warning`] see to the limit
//! on open files, of which each connection takes one.

use std::fmt::Write as _;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use unladen_serve_config::{Config, Explained, ListenAddress, ProxySettings, Settings, ValueOrigin, address_text};

use crate::message::spool::LEAST_ON_DISK;

/// Most lines shown; the rest is in the file.
const SHOWN: usize = 12;

pub(super) fn text(config: &Config) -> String {
    let settings = &config.settings;
    let sites = settings.site.iter().map(|site| ("site", &site.proxy, site.tls.is_some(), &*site.redirect));
    let all = sites.chain(settings.outbound.iter().map(|proxy| ("outbound", proxy, false, &[][..])));
    let mut text = format!("unladen: serving {}", config.file.display());
    let count = settings.site.len() + settings.outbound.len();
    // Writing to a String does not fail.
    let texts = |addresses: &[ListenAddress]| addresses.iter().map(address_text).collect::<Vec<_>>().join(", ");
    for (kind, ProxySettings { listen, upstream, .. }, is_tls, redirect) in all.take(SHOWN) {
        let tls = if is_tls { " (TLS)" } else { "" };
        let _ = write!(text, "\nunladen: {kind} `{}` at {}{tls}", upstream.name, texts(listen));
        if !redirect.is_empty() {
            let _ = write!(text, ", redirects to https at {}", texts(redirect));
        }
    }
    if count > SHOWN {
        let _ = write!(text, "\nunladen: and {} more: `unladen serve FILE --explain` lists them", count - SHOWN);
    }
    let shown = match settings.admin.as_ref().map(|admin| &admin.listen) {
        Some(ListenAddress::Tcp(address)) => format!("live page http://{address}/, metrics http://{address}/metrics"),
        Some(ListenAddress::Unix(path)) => {
            format!("live page and metrics at unix:{0}: curl --unix-socket {0} http://localhost/", path.display())
        }
        None => "no live page: add [admin] with listen = \"127.0.0.1:9901\" for one".to_owned(),
    };
    let _ = write!(text, "\nunladen: {shown}");
    text
}

/// Files besides connections: listeners, timers, logs.
const OTHERS: u64 = 64;
/// The least limit that shells of most systems give; with fewer a site soon turns clients away.
const FEW: u64 = 1024;

/// Raises the limit on open files to the hard limit. Returns what it is then; 0 if it is unknown.
pub(super) fn raise() -> u64 {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) if soft < hard => setrlimit(Resource::RLIMIT_NOFILE, hard, hard).map_or(soft, |()| hard),
        Ok((soft, _)) => soft,
        Err(_) => 0,
    }
}

/// Warns if the bounds take more files than this process may open and the configuration sets one of them, since its
/// author then relies on it. The defaults are far above what a small site needs: they are reported only where the limit
/// is low.
pub(super) fn warning(config: &Config, may: u64) -> Option<String> {
    let takes = takes(&config.settings);
    let is_expected = config.explained.iter().any(is_set);
    (takes > may && (is_expected || may < FEW)).then(|| {
        format!(
            "`client.connections`, `limits.connections` and buffered bodies (`buffer`) add up to {takes} files, but \
             this process may open {may}: beyond that, connections wait; raise the limit (`LimitNOFILE=` of systemd, \
             `ulimit -Hn`), or lower the settings"
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
