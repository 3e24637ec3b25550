//! [`AcmeSettings`]: `[site.acme]`, and how it is read.

use std::hash::DefaultHasher;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use unladen_toml::{Bad, Problem, Table, Value};
use url::Url;

use super::explain::{Showable, Shown};
use super::hosts::{HostName, Hosts};
use super::keys::{self, strangers};
use super::level::Level;
use super::reading::Reading;
use super::strings::checked;
use super::tls;

/// Which authority issues a site's certificate, and how (RFC 8555).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AcmeSettings {
    /// Contact for the authority.
    pub email: Option<String>,
    pub directory: String,
    pub challenge: Challenge,
    /// Authorities trusted for calls to the directory, for a private one.
    pub ca: Option<PathBuf>,
    /// Folder of accounts, orders and certificates.
    pub state: PathBuf,
    /// External account binding (RFC 8555, section 7.3.4).
    pub eab: Option<EabSettings>,
}

/// How control of the names is proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Challenge {
    /// Whichever listener the authority can reach.
    #[default]
    Auto,
    /// On port 80.
    #[serde(rename = "http-01")]
    Http01,
    /// On port 443 (RFC 8737).
    #[serde(rename = "tls-alpn-01")]
    TlsAlpn01,
}

/// The authority's account that this one is bound to.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct EabSettings {
    pub kid: String,
    /// The key in base64url, as the authority gives it. It is never shown.
    #[serde(serialize_with = "hidden")]
    pub key: String,
}

fn hidden<S: Serializer>(_: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("…")
}

impl std::fmt::Debug for EabSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EabSettings").field("kid", &self.kid).finish_non_exhaustive()
    }
}

const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
const STAGING: &str = "https://acme-staging-v02.api.letsencrypt.org/directory";
const DIRECTORY: &str = "\"letsencrypt\", \"letsencrypt-staging\", or an https URL";
const STATE: &str = "/var/lib/unladen/acme";

pub(super) fn read(site: &Level<'_>, hosts: &Hosts, r: &mut Reading<'_>) -> Option<AcmeSettings> {
    if !site.has("acme", r) {
        return None;
    }
    let level = &site.group("acme", r);
    let email = level.optional("email", r, |value, _| email(value), String::shown);
    let directory = level.take(
        "directory",
        LETS_ENCRYPT.to_owned(),
        r,
        |value, _| directory(value),
        |url| {
            Shown::Text(match url.as_str() {
                LETS_ENCRYPT => "letsencrypt".to_owned(),
                STAGING => "letsencrypt-staging".to_owned(),
                url => url.to_owned(),
            })
        },
    );
    let words = [("auto", Challenge::Auto), ("http-01", Challenge::Http01), ("tls-alpn-01", Challenge::TlsAlpn01)];
    let challenge = level.choice("challenge", &words, Challenge::default(), r);
    // The state folder is read when the directory is called, which is after each change.
    let mut stamp = DefaultHasher::new();
    let ca = level.optional("ca", r, |value, r| tls::pem(value, "CERTIFICATE", &mut stamp, r), PathBuf::shown);
    let usual = r.machine.state_folder().map_or_else(|| PathBuf::from(STATE), |folder| folder.join("acme"));
    let folder = |value: &Value<'_>, r: &mut Reading<'_>| Ok(r.path(value.one_line()?));
    let state = level.take("state", usual, r, folder, PathBuf::shown);
    // The key is never shown: whoever reads this output again has to add it.
    let shown = |eab: &EabSettings| {
        Shown::Table(vec![("kid", Shown::Text(eab.kid.clone())), ("key", Shown::Text("…".to_owned()))])
    };
    let eab = level.optional("eab", r, eab, shown);
    let is_name =
        |host: &HostName| matches!(host, HostName::Exact(name) if name.contains('.') && !name.starts_with('['));
    if hosts.is_empty() {
        site.alone("acme", "needs `hosts`: the names that the certificate is for", r);
    }
    for (host, span) in hosts.iter().filter(|(host, _)| !is_name(host)) {
        let (value, expected) = match host {
            HostName::Below(_) => (
                format!("`{host}`, with `acme`"),
                "full names: authorities issue wildcards only by DNS challenges, which `serve` does not support; use \
                 `tls`",
            ),
            HostName::Exact(_) => {
                (format!("`{host}`, with `acme`"), "public names, such as \"example.org\"; use `tls` for others")
            }
        };
        r.refuse(span.clone(), Problem::Value { key: "hosts".into(), value, expected: expected.into() });
    }
    if site.says("tls") {
        let expected = "only one of them: each is a source of the certificate";
        site.refuse("acme", "given in addition to `tls`", expected, r);
    }
    Some(AcmeSettings { email, directory, challenge, ca, state, eab })
}

fn email(value: &Value<'_>) -> Result<String, Bad> {
    checked(value, "an address such as \"admin@example.org\"", |text| {
        let is_address = text.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'));
        is_address && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
    })
}

fn directory(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    match text {
        "letsencrypt" => return Ok(LETS_ENCRYPT.to_owned()),
        "letsencrypt-staging" => return Ok(STAGING.to_owned()),
        _ => {}
    }
    match Url::parse(text) {
        Ok(url) if url.scheme() == "https" && url.host().is_some() && url.username().is_empty() => Ok(text.to_owned()),
        _ => Err(value.refuse(format!("`{text}`"), DIRECTORY)),
    }
}

fn eab(value: &Value<'_>, r: &mut Reading<'_>) -> Result<EabSettings, Bad> {
    let form = "{ kid = \"…\", key = \"…\" }, as the authority gives them";
    let table = Table::of(value, "`eab`", form)?;
    r.bads.extend(strangers(&table, &keys::names("eab")));
    let kid = table.require("kid", "the identifier that the authority gave")?.one_line()?.to_owned();
    let key = table.require("key", "the key that the authority gave")?;
    let text = key.one_line()?;
    let is_base64 = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte));
    // A secret is not repeated.
    if is_base64 { Ok(EabSettings { kid, key: text.to_owned() }) } else { Err(key.refuse_secret("a key in base64url")) }
}
