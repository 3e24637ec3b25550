//! Reads the addresses of an upstream or an application, or from where they are learnt ([`discovery`]).

use std::path::PathBuf;

use unladen_pool::{Discovery, EndpointAddress, EndpointSource, Origin, XdsSource};
use unladen_toml::{Bad, Problem, Table, Value, nearest};
use url::{Host, Url};

use super::error::ConfigProblem;
use super::explain::Shown;
use super::keys::{self, strangers};
use super::listen::socket_path;
use super::reading::Reading;

const FORM: &str = "a URL such as \"https://search.example:9243\", or \"unix:/run/app.sock\"";
const FASTCGI: &str =
    "the socket of a FastCGI application, such as \"/run/php/php-fpm.sock\" or \"fcgi://127.0.0.1:9000\"";
const FASTCGI_ELSEWHERE: &str = "a FastCGI application is set as `php` of a [[site]], instead of `upstream`: php = \
    \"/run/php/php-fpm.sock\" or php = \"fcgi://127.0.0.1:9000\"";
const SCHEMES: [&str; 3] = ["http", "https", "unix"];

/// One origin or several; each wrong one is reported by itself, and the error is a problem of all together.
pub(super) fn all(value: &Value<'_>, reading: &mut Reading<'_>) -> Result<Vec<Origin>, Bad> {
    several(value, (FORM, url), reading)
}

pub(super) fn all_of_fastcgi(value: &Value<'_>, reading: &mut Reading<'_>) -> Result<Vec<Origin>, Bad> {
    several(value, (FASTCGI, fastcgi), reading)
}

type Form = (&'static str, fn(&Value<'_>, &Reading<'_>) -> Result<Origin, Bad>);

fn several(value: &Value<'_>, form: Form, reading: &mut Reading<'_>) -> Result<Vec<Origin>, Bad> {
    let each = value.each();
    if each.is_empty() {
        return Err(value.refuse("empty", form.0));
    }
    let mut origins: Vec<Origin> = Vec::new();
    for one in &each {
        let result = origin(one, form, reading);
        let Some(origin) = reading.keep(result) else { continue };
        if origins.iter().any(|other| other.at == origin.at) {
            let expected = "each endpoint once; `{ url = \"…\", weight = 2 }` gives one a larger share";
            reading.refuse(one.span(), *one.refuse("a list that has one endpoint twice", expected).problem);
        }
        if origin.discovery.is_some() && each.len() > 1 {
            let without =
                "lists all endpoints of an upstream: make the list one { url, endpoints }, or leave `endpoints` out";
            reading.refuse(one.span(), Problem::Alone { key: "endpoints", without });
        }
        origins.push(origin);
    }
    Ok(origins)
}

fn origin(value: &Value<'_>, (form, read): Form, reading: &mut Reading<'_>) -> Result<Origin, Bad> {
    if value.as_text().is_some() {
        return read(value, reading);
    }
    if !value.is_table() {
        return Err(value.wrong_type(format!("{form}, or a table {{ url, weight }} or {{ url, endpoints }}")));
    }
    let table = Table::of(value, format!("`{}`", value.key()), "a table")?;
    reading.bads.extend(strangers(&table, &keys::names("upstream")));
    let said_weight = table.get("weight");
    let weight = said_weight.as_ref().map_or(Ok(1), |weight| weight.whole(1..=1000));
    let weight = reading.keep(weight).and_then(|weight| u32::try_from(weight).ok()).unwrap_or(1);
    let address = table.get("url").ok_or_else(|| table.missing("url", form))?;
    let origin = Origin { weight, ..read(&address, reading)? };
    let Some(endpoints) = table.get("endpoints") else { return Ok(origin) };
    let discovery = Some(discovery(&endpoints, reading)?);
    if let (Some(weight), true) = (said_weight, discovery.is_some()) {
        let without = "applies to endpoints that are listed here: with `endpoints`, each has its own weight there";
        reading.refuse(weight.span(), Problem::Alone { key: "weight", without });
    }
    if matches!(origin.at, EndpointAddress::Unix(_)) {
        let expected = "a URL with a host, which names the service (`Host`, TLS): `endpoints` says where it is";
        return Err(address.refuse("a Unix socket", expected));
    }
    Ok(Origin { discovery, ..origin })
}

/// As in `unix:/run/app.sock` or `https://search.example:9243`.
fn url(value: &Value<'_>, reading: &Reading<'_>) -> Result<Origin, Bad> {
    if value.as_text().is_none() {
        return Err(value.wrong_type(FORM));
    }
    let text = value.one_line()?;
    if let Some(path) = text.strip_prefix("unix:") {
        return socket_path(value, path, reading).map(at_socket);
    }
    let Some((scheme, _)) = text.split_once("://") else {
        return Err(value.refuse(format!("`{text}`"), format!("{FORM}; a URL begins with http:// or https://")));
    };
    let tls = match scheme {
        "http" => false,
        "https" => true,
        "fastcgi" | "fcgi" => {
            return Err(value.other(ConfigProblem::Elsewhere { what: FASTCGI_ELSEWHERE }));
        }
        _ => {
            let meant = match nearest(scheme, &SCHEMES) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "expected `http` or `https`, which carry WebSockets too".into(),
            };
            return Err(value.unknown_word(format!("{scheme}://…"), meant));
        }
    };
    let url = Url::parse(text).map_err(|error| value.refuse(format!("`{text}` ({error})"), FORM))?;
    let too_much = [
        (
            !matches!(url.path(), "" | "/"),
            "a path",
            "each request keeps its own path; let the application request the whole path",
        ),
        (url.query().is_some(), "a query", "each request keeps its own query; let the application send the query"),
        (url.fragment().is_some(), "a fragment", "a fragment is never sent to a server"),
        (
            !url.username().is_empty() || url.password().is_some(),
            "a user name or a password",
            "let the application send `Authorization`, and remove the credentials from this file",
        ),
    ];
    if let Some((_, what, instead)) = too_much.iter().find(|(is, ..)| *is) {
        // A password must not be repeated in a log.
        return Err(value.refuse(format!("a URL with {what}"), format!("a URL without it: {instead}")));
    }
    let host = bare_host(&url).ok_or_else(|| value.refuse(format!("`{text}`"), FORM))?;
    let port = url.port_or_known_default().filter(|port| *port > 0);
    let port = port.ok_or_else(|| value.refuse(format!("`{text}`"), "a port from 1 to 65535"))?;
    let authority = match (url.host_str().unwrap_or(&host), url.port()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    };
    Ok(Origin { at: EndpointAddress::Tcp(host, port), tls, weight: 1, authority, discovery: None })
}

fn at_socket(path: PathBuf) -> Origin {
    // What curl sends to a socket if the URL names no host.
    let authority = "localhost".to_owned();
    Origin { at: EndpointAddress::Unix(path), tls: false, weight: 1, authority, discovery: None }
}

/// A URL's host, without the brackets of IPv6.
fn bare_host(url: &Url) -> Option<String> {
    url.host().map(|host| match host {
        Host::Domain(name) => name.to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    })
}

/// As in `/run/php-fpm.sock`, `unix:/run/php-fpm.sock` or `fcgi://127.0.0.1:9000`.
fn fastcgi(value: &Value<'_>, reading: &Reading<'_>) -> Result<Origin, Bad> {
    if value.as_text().is_none() {
        return Err(value.wrong_type(FASTCGI));
    }
    let text = value.one_line()?;
    // As a shell completes it, or as it is written beside `root`: `run/fpm.sock` is below the file's folder.
    let is_path = text.starts_with('/') || (text.contains('/') && !text.contains(':'));
    if let Some(path) = text.strip_prefix("unix:").or_else(|| is_path.then_some(text)) {
        return socket_path(value, path, reading).map(at_socket);
    }
    let wrong = |why: &str| Err(value.refuse(format!("`{text}`"), format!("{FASTCGI}{why}")));
    let Some((scheme, rest)) = text.split_once("://") else {
        let is_address = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        return if is_address { wrong(&format!("; did you mean \"fcgi://{text}\"?")) } else { wrong("") };
    };
    if !matches!(scheme, "fcgi" | "fastcgi") {
        return wrong("; an application that speaks HTTP is set as `upstream`");
    }
    // `url` knows hosts and ports only of schemes that it knows.
    let url =
        Url::parse(&format!("http://{rest}")).map_err(|error| value.refuse(format!("`{text}` ({error})"), FASTCGI))?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let Some(host) = bare_host(&url) else { return wrong("") };
    // With `http`, `Url` leaves out port 80.
    let port = rest.trim_end_matches('/').rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    match port.filter(|port| is_bare && *port > 0) {
        Some(port) => {
            let authority = format!("{}:{port}", url.host_str().unwrap_or(&host));
            Ok(Origin { at: EndpointAddress::Tcp(host, port), tls: false, weight: 1, authority, discovery: None })
        }
        None => wrong(", with a port and nothing after it"),
    }
}

pub(super) fn show_fastcgi(origins: &[Origin]) -> Shown {
    show_as(origins, |origin| match &origin.at {
        EndpointAddress::Unix(path) => format!("unix:{}", path.display()),
        EndpointAddress::Tcp(..) => format!("fcgi://{}", origin.authority),
    })
}

pub(super) fn show(origins: &[Origin]) -> Shown {
    show_as(origins, |origin| match (&origin.at, origin.tls) {
        (EndpointAddress::Unix(path), _) => format!("unix:{}", path.display()),
        (EndpointAddress::Tcp(..), true) => format!("https://{}", origin.authority),
        (EndpointAddress::Tcp(..), false) => format!("http://{}", origin.authority),
    })
}

fn show_as(origins: &[Origin], url: impl Fn(&Origin) -> String) -> Shown {
    let is_weighted = origins.iter().any(|origin| origin.weight != 1);
    let one = |origin: &Origin| {
        let url = url(origin);
        if let Some(discovery) = &origin.discovery {
            let from = Shown::Text(discovery.from.to_string());
            return Shown::Table(vec![("url", Shown::Text(url)), ("endpoints", from)]);
        }
        if is_weighted { Shown::Weighted(url, origin.weight) } else { Shown::Text(url) }
    };
    match origins {
        [origin] => one(origin),
        origins => Shown::List(origins.iter().map(one).collect()),
    }
}

const DISCOVERY: &str = "\"srv:_http._tcp.app.example\" (DNS), \"file:/etc/unladen/app.json\" or \"xds://control-plane:18000/CLUSTER?node=ID\"";
const XDS: &str = "a control plane, one of its clusters, and the node id to use: \
    \"xds://control-plane:18000/CLUSTER?node=ID\" (xdss:// with TLS)";
const DISCOVERY_SCHEMES: [&str; 4] = ["srv", "file", "xds", "xdss"];
const LONGEST_ID: usize = 255;
/// Longest name in DNS, without its final dot (RFC 1035, section 2.3.4).
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// As in `srv:_http._tcp.app.example`.
pub(super) fn discovery(value: &Value<'_>, reading: &Reading<'_>) -> Result<Discovery, Bad> {
    if value.as_text().is_none() {
        return Err(value.wrong_type(DISCOVERY));
    }
    let text = value.one_line()?;
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(value.refuse(format!("`{text}`"), DISCOVERY));
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
            let meant = match nearest(scheme, &DISCOVERY_SCHEMES) {
                Some(meant) => format!("did you mean `{meant}:`?"),
                None => format!("expected {DISCOVERY}"),
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
