//! Reads from where an upstream's endpoints are learnt.

use unladen_pool::{Discovery, EndpointSource, XdsSource};
use unladen_toml::{Bad, Value, nearest};
use url::{Host, Url};

use super::reading::Reading;

const FORM: &str = "\"srv:_http._tcp.app.example\" (DNS), \"file:/etc/unladen/app.json\" or \"xds://control-plane:18000/CLUSTER?node=ID\"";
const XDS: &str = "a control plane, a cluster of it, and as which node it is asked: \"xds://control-plane:18000/CLUSTER?node=ID\" (xdss:// with TLS)";
const SCHEMES: [&str; 4] = ["srv", "file", "xds", "xdss"];
const LONGEST_ID: usize = 255;
/// Longest name in DNS, without its final dot (RFC 1035, section 2.3.4).
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// As in `srv:_http._tcp.app.example`.
pub(super) fn read(value: &Value<'_>, reading: &Reading<'_>) -> Result<Discovery, Bad> {
    if value.as_text().is_none() {
        return Err(value.wrong_type(FORM));
    }
    let text = value.one_line()?;
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(value.refuse(format!("`{text}`"), FORM));
    };
    let from = match scheme {
        "srv" => EndpointSource::Srv(service(rest).ok_or_else(|| {
            let expected = "a service's name in DNS, as _SERVICE._PROTOCOL.DOMAIN: \"srv:_http._tcp.app.example\"";
            value.refuse(format!("`{text}`"), expected)
        })?),
        "file" if !rest.is_empty() && !rest.starts_with("//") => EndpointSource::File(reading.path(rest)),
        "file" => return Err(value.refuse(format!("`{text}`"), "a path: \"file:/etc/unladen/app.json\"")),
        "xds" | "xdss" => {
            EndpointSource::Xds(xds(rest, scheme == "xdss").ok_or_else(|| value.refuse(format!("`{text}`"), XDS))?)
        }
        _ => {
            let meant = match nearest(scheme, &SCHEMES) {
                Some(meant) => format!("did you mean `{meant}:`?"),
                None => format!("expected {FORM}"),
            };
            return Err(value.unknown_word(format!("{scheme}:…"), meant));
        }
    };
    Ok(Discovery { from, zone: reading.zone.clone() })
}

/// As in `//control-plane:18000/CLUSTER?node=ID`. A cluster's name may have any letter, as `outbound|80||app` of Istio.
fn xds(text: &str, tls: bool) -> Option<XdsSource> {
    let (authority, rest) = text.strip_prefix("//")?.split_once('/')?;
    let (cluster, node) = rest.rsplit_once("?node=")?;
    let is_id = |text: &str| (1..=LONGEST_ID).contains(&text.len()) && !text.chars().any(char::is_control);
    // With `http`, `Url` would leave out port 80.
    let url = Url::parse(&format!("none://{authority}")).ok()?;
    let host = match url.host()? {
        Host::Domain(name) if service(name).is_some() => name.to_ascii_lowercase(),
        Host::Domain(_) => return None,
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    };
    let is_bare = url.username().is_empty() && url.password().is_none() && url.path().is_empty();
    let port = url.port().filter(|port| *port > 0 && is_bare && is_id(cluster) && is_id(node))?;
    Some(XdsSource { tls, host, port, cluster: cluster.to_owned(), node: node.to_owned() })
}

/// Any name that DNS could have: Consul also answers to names without underscores.
fn service(text: &str) -> Option<String> {
    let name = text.strip_suffix('.').unwrap_or(text);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_label = |label: &str| (1..=LONGEST_LABEL).contains(&label.len()) && label.bytes().all(is_plain);
    (name.len() <= LONGEST_NAME && name.split('.').all(is_label)).then(|| text.to_owned())
}
