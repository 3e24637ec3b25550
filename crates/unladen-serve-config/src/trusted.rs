//! [`TrustedSettings`]: `[site.trusted]`, and how it is read, with lists of addresses and nets.

use std::net::IpAddr;

use ipnet::IpNet;
use serde::Serialize;
use unladen_toml::{Bad, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;

/// Proxies whose word on the client is believed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrustedSettings {
    pub proxies: Vec<IpNet>,
    /// Whether clients on a Unix socket are trusted.
    pub unix: bool,
    pub header: ForwardedBy,
    /// Whether their connections begin with PROXY (v1 or v2).
    pub proxy_protocol: bool,
}

/// The field by which a proxy names its client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedBy {
    #[default]
    XForwardedFor,
    Forwarded,
}

const FORM: &str = "a list of addresses and networks, such as [\"127.0.0.1\", \"10.0.0.0/8\"], or with \"unix\" in it";

pub(super) fn read(site: &Level<'_>, r: &mut Reading<'_>) -> TrustedSettings {
    site.has("trusted", r);
    let level = &site.group("trusted", r);
    let (proxies, unix) = nets(level, "proxies", r);
    let words = [("x-forwarded-for", ForwardedBy::XForwardedFor), ("forwarded", ForwardedBy::Forwarded)];
    let header = level.choice("header", &words, ForwardedBy::default(), r);
    let proxy_protocol = level.flag("proxy_protocol", false, r);
    if proxies.is_empty() && !unix {
        let without = "needs `trusted.proxies`: set `trusted.proxies` too, or remove this key";
        for (key, is_usual) in [("header", header == ForwardedBy::default()), ("proxy_protocol", !proxy_protocol)] {
            if !is_usual {
                level.alone(key, without, r);
            }
        }
    }
    if proxies.iter().any(|net| net.prefix_len() == 0) {
        r.warn(
            level.at(&["proxies"]),
            "`trusted.proxies` covers all addresses: any client can claim any address, and with it any country",
        );
    }
    TrustedSettings { proxies, unix, header, proxy_protocol }
}

pub(super) fn nets(level: &Level<'_>, name: &'static str, r: &mut Reading<'_>) -> (Vec<IpNet>, bool) {
    level.take(name, (Vec::new(), false), r, list, |(nets, has_unix)| show(nets, *has_unix))
}

pub(super) fn list(value: &Value<'_>, r: &mut Reading<'_>) -> Result<(Vec<IpNet>, bool), Bad> {
    let (mut nets, mut has_unix) = (Vec::new(), false);
    for one in value.list(FORM)? {
        match one.as_text() {
            Some("unix") => has_unix = true,
            _ => {
                let net = net(&one);
                nets.extend(r.keep(net));
            }
        }
    }
    Ok((nets, has_unix))
}

pub(super) fn show(nets: &[IpNet], has_unix: bool) -> Shown {
    Shown::list(nets.iter().map(shown).chain(has_unix.then(|| "unix".to_owned())))
}

fn shown(net: &IpNet) -> String {
    if net.prefix_len() == net.max_prefix_len() { net.addr().to_string() } else { net.to_string() }
}

fn net(value: &Value<'_>) -> Result<IpNet, Bad> {
    let text = value.text_as("an address or a network, such as \"10.0.0.0/8\"")?;
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(IpNet::from(address));
    }
    let Ok(net) = text.parse::<IpNet>() else {
        return Err(value.refuse(format!("`{text}`"), "an address or a network, such as \"10.0.0.0/8\", or \"unix\""));
    };
    if net.trunc() != net {
        let expected =
            format!("a network address without host bits; did you mean \"{}\" or \"{}\"?", net.trunc(), net.addr());
        return Err(value.refuse(format!("`{text}`"), expected));
    }
    Ok(net)
}
