//! [`text`]: the message once it serves.

use std::fmt::Write as _;

use unladen_serve_config::{Config, ListenAddress, ProxySettings, address_text};

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
        None => "no live page: [admin] with listen = \"127.0.0.1:9901\" gives one".to_owned(),
    };
    let _ = write!(text, "\nunladen: {shown}");
    text
}

#[cfg(test)]
mod tests;
