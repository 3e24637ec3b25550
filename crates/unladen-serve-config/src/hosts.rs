//! [`HostName`]: `hosts` and `default` of a `[[site]]`, and how they are read.

use std::net::Ipv6Addr;
use std::ops::Range;

use serde::Serialize;
use unladen_toml::{Bad, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;

/// A name that a site answers to: ASCII, in small letters, without port and final dot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, derive_more::Display)]
#[serde(rename_all = "snake_case")]
pub enum HostName {
    /// This name or address; IPv6 in brackets, as in a URL.
    #[display("{_0}")]
    Exact(String),
    /// `*.example.org` is kept as `example.org`: all names below it, by one label or several, but not the name itself.
    #[display("*.{_0}")]
    Below(String),
}

const FORM: &str = "a host name such as \"example.org\" or \"*.example.org\", without a port";
/// The longest DNS name, and the longest label (RFC 1035, section 2.3.4).
const LONGEST: usize = 253;
const LONGEST_LABEL: usize = 63;

pub(super) type Hosts = Vec<(HostName, Range<usize>)>;

/// The names, and whether the site also takes all others.
pub(super) fn read(level: &Level<'_>, r: &mut Reading<'_>) -> (Hosts, bool) {
    let read = |value: &Value<'_>, r: &mut Reading<'_>| {
        let each = value.each();
        if each.is_empty() {
            return Err(value
                .refuse("empty", "at least one name; without `hosts`, the site has all names that no other site has"));
        }
        let mut hosts: Hosts = Vec::new();
        for one in each {
            let host = host(&one);
            let Some(host) = r.keep(host) else { continue };
            if hosts.iter().any(|(other, _)| *other == host) {
                r.refuse(one.span(), *one.refuse(format!("a list that has `{host}` twice"), "each name once").problem);
                continue;
            }
            hosts.push((host, one.span()));
        }
        Ok(hosts)
    };
    let show = |hosts: &Hosts| Shown::list_or_none(hosts.iter().map(|(host, _)| host));
    let hosts = level.take("hosts", Vec::new(), r, read, show);
    let is_default = level.flag("default", false, r);
    (hosts, is_default)
}

/// A site's default name: its first host, without characters that metric names do not have.
pub(super) fn usual_name(level: &Level<'_>) -> Option<String> {
    let first = level.own.as_ref()?.get("hosts")?.each().into_iter().next()?;
    let name = match host(&first).ok()? {
        HostName::Exact(name) | HostName::Below(name) => name,
    };
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    (is_plain && name.len() <= LONGEST_LABEL).then_some(name)
}

/// A name in the form that is compared: in small letters, without the root's dot, and in the DNS's form if not ASCII.
fn host(value: &Value<'_>) -> Result<HostName, Bad> {
    let text = value.one_line()?;
    let lower = text.to_ascii_lowercase();
    if !text.is_ascii() {
        let ascii = match url::Host::parse(&lower) {
            Ok(url::Host::Domain(name)) => format!("; did you mean \"{name}\"?"),
            _ => String::new(),
        };
        return Err(
            value.refuse(format!("`{text}`"), format!("{FORM}, in ASCII, as the DNS and browsers send it{ascii}"))
        );
    }
    if let Some(address) = lower.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return match address.parse::<Ipv6Addr>() {
            Ok(address) => Ok(HostName::Exact(format!("[{address}]"))),
            Err(_) => Err(value.refuse(format!("`{text}`"), FORM)),
        };
    }
    if lower.parse::<Ipv6Addr>().is_ok() {
        return Err(value.refuse(format!("`{text}`"), format!("an address of IPv6 in brackets: \"[{lower}]\"")));
    }
    let name = lower.strip_suffix('.').unwrap_or(&lower);
    let (name, is_below) = name.strip_prefix("*.").map_or((name, false), |name| (name, true));
    let is_label = |label: &str| {
        let is_plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        !label.is_empty() && label.len() <= LONGEST_LABEL && is_plain
    };
    if name.len() > LONGEST || !name.split('.').all(is_label) {
        let meant = match name {
            "*" | "" => "; for all names that no other site has, leave `hosts` out or set `default = true`",
            name if name.contains("://") => "; a name has no scheme",
            name if name.contains(':') => "; the port is ignored",
            name if name.contains('*') => "; `*` replaces the part before the name: \"*.example.org\"",
            _ => "",
        };
        return Err(value.refuse(format!("`{text}`"), format!("{FORM}{meant}")));
    }
    Ok(if is_below { HostName::Below(name.to_owned()) } else { HostName::Exact(name.to_owned()) })
}
