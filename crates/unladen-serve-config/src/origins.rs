//! Reads where an upstream or an application is.

use unladen_pool::{EndpointAddress, Origin};
use unladen_toml::{Bad, Table, Value, nearest};
use url::{Host, Url};

use super::config_problem::ConfigProblem;
use super::explain::Shown;
use super::keys;
use super::listen::socket_path;
use super::reading::Reading;
use super::strangers::strangers;

const FORM: &str = "a URL such as \"https://search.example:9243\", or \"unix:/run/app.sock\"";
const SCHEMES: [&str; 3] = ["http", "https", "unix"];

/// One place or several, each told by itself if it is wrong; what is wrong with all of them together is the error.
pub(super) fn all(value: &Value<'_>, reading: &mut Reading<'_>) -> Result<Vec<Origin>, Bad> {
    let each = value.each();
    if each.is_empty() {
        return Err(value.refuse("empty", FORM));
    }
    let mut origins: Vec<Origin> = Vec::new();
    for one in each {
        let result = origin(&one, reading);
        let Some(origin) = reading.keep(result) else { continue };
        if origins.iter().any(|other| other.at == origin.at) {
            let expected = "each endpoint once; `{ url = \"…\", weight = 2 }` gives one a larger share";
            reading.refuse(one.span(), *one.refuse("a list that has one endpoint twice", expected).problem);
        }
        origins.push(origin);
    }
    Ok(origins)
}

fn origin(value: &Value<'_>, reading: &mut Reading<'_>) -> Result<Origin, Bad> {
    if value.as_text().is_some() {
        return url(value, reading);
    }
    if !value.is_table() {
        return Err(value.wrong_type(format!("{FORM}, or a table {{ url, weight }}")));
    }
    let table = Table::of(value, format!("`{}`", value.key()), "a table")?;
    reading.bads.extend(strangers(&table, &keys::names("upstream")));
    let weight = table.get("weight").map_or(Ok(1), |weight| weight.whole(1..=1000));
    let weight = reading.keep(weight).and_then(|weight| u32::try_from(weight).ok()).unwrap_or(1);
    let address = table.get("url").ok_or_else(|| table.missing("url", FORM))?;
    Ok(Origin { weight, ..url(&address, reading)? })
}

/// As in `unix:/run/app.sock` or `https://search.example:9243`.
fn url(value: &Value<'_>, reading: &Reading<'_>) -> Result<Origin, Bad> {
    if value.as_text().is_none() {
        return Err(value.wrong_type(FORM));
    }
    let text = value.one_line()?;
    if let Some(path) = text.strip_prefix("unix:") {
        let path = socket_path(value, path, reading)?;
        // What curl sends to a socket of a URL that names no host.
        return Ok(Origin { at: EndpointAddress::Unix(path), tls: false, weight: 1, authority: "localhost".into() });
    }
    let Some((scheme, _)) = text.split_once("://") else {
        return Err(value.refuse(format!("`{text}`"), format!("{FORM}; a URL begins with http:// or https://")));
    };
    let tls = match scheme {
        "http" => false,
        "https" => true,
        "fastcgi" | "fcgi" => {
            let what = "FastCGI is not supported yet: put a server that speaks HTTP and FastCGI in between (such as nginx or Caddy, on a \
                        Unix socket), and give its address";
            return Err(value.other(ConfigProblem::NotYet { what }));
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
        // A password is better not repeated in a log.
        return Err(value.refuse(format!("a URL with {what}"), format!("a URL without it: {instead}")));
    }
    let host = match url.host() {
        Some(Host::Domain(name)) => name.to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => return Err(value.refuse(format!("`{text}`"), FORM)),
    };
    let port = url.port_or_known_default().filter(|port| *port > 0);
    let port = port.ok_or_else(|| value.refuse(format!("`{text}`"), "a port from 1 to 65535"))?;
    let authority = match (url.host_str().unwrap_or(&host), url.port()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    };
    Ok(Origin { at: EndpointAddress::Tcp(host, port), tls, weight: 1, authority })
}

/// As it is written into the file.
pub(super) fn show(origins: &[Origin]) -> Shown {
    let is_weighted = origins.iter().any(|origin| origin.weight != 1);
    let one = |origin: &Origin| {
        let url = match (&origin.at, origin.tls) {
            (EndpointAddress::Unix(path), _) => format!("unix:{}", path.display()),
            (EndpointAddress::Tcp(..), true) => format!("https://{}", origin.authority),
            (EndpointAddress::Tcp(..), false) => format!("http://{}", origin.authority),
        };
        if is_weighted { Shown::Weighted(url, origin.weight) } else { Shown::Text(url) }
    };
    match origins {
        [origin] => one(origin),
        origins => Shown::List(origins.iter().map(one).collect()),
    }
}
