//! TLS settings, and how they are read: of calls to an upstream ([`read`]), and of a `[[site]]`'s server ([`certificates`]).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::net::IpAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;
use unladen_pool::{EndpointAddress, Origin, TlsSettings, UpstreamSettings};
use unladen_toml::{Bad, Table, Value};

use super::explain::{Showable, Shown};
use super::keys::{self, strangers};
use super::level::Level;
use super::reading::Reading;

/// Certificates and TLS versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerTlsSettings {
    /// Chains and their keys; the first is for clients that name no host, or one without certificate.
    pub certificates: Vec<(PathBuf, PathBuf)>,
    pub tls12: bool,
}

/// Permission bits of others on a key's file, as of chmod.
const OF_OTHERS: u32 = 0o007;

/// The TLS settings, and a stamp that changes with one of the files.
pub(super) fn read(level: &Level<'_>, upstream: &UpstreamSettings, r: &mut Reading<'_>) -> (TlsSettings, u64) {
    let mut stamp = DefaultHasher::new();
    let is_plain = !upstream.origins.is_empty() && !upstream.origins.iter().any(|origin| origin.tls);
    // TLS defaults do not matter to an upstream without TLS.
    let without_defaults = Level { defaults: None, ..level.clone() };
    let level = if is_plain { &without_defaults } else { level };
    let mut file = |name: &'static str, marker: &'static str, r: &mut Reading<'_>| {
        level.optional(name, r, |value, r| pem(value, marker, &mut stamp, r), PathBuf::shown)
    };
    let ca = file("ca", "CERTIFICATE", r);
    let certificate = file("certificate", "CERTIFICATE", r);
    let key = file("key", "PRIVATE KEY", r);
    let certificate = match (certificate, key) {
        (Some(certificate), Some(key)) => {
            of_key(&key, level.at(&["key"]), r);
            Some((certificate, key))
        }
        (None, None) => None,
        _ => {
            // A file that could not be read is already reported.
            for (name, other, without) in [
                ("certificate", "key", "needs a `key`: set `key` too, or remove this key"),
                ("key", "certificate", "needs a `certificate`: set `certificate` too, or remove this key"),
            ] {
                if level.find(name, r).is_some() && level.find(other, r).is_none() {
                    level.alone(name, without, r);
                }
            }
            None
        }
    };
    let server_name = level.optional("server_name", r, |value, _| server_name(value), String::shown);
    let insecure = level.flag("insecure", false, r);
    let tls = TlsSettings { ca, certificate, server_name, insecure };
    if !r.is_trial {
        of_origins(level, &tls, &upstream.origins, is_plain, r);
    }
    (tls, stamp.finish())
}

/// TLS settings for a tier's peers, and a stamp that changes with the file.
pub(super) fn of_peers(level: &Level<'_>, r: &mut Reading<'_>) -> (TlsSettings, u64) {
    let mut stamp = DefaultHasher::new();
    let ca = level.optional("ca", r, |value, r| pem(value, "CERTIFICATE", &mut stamp, r), PathBuf::shown);
    let server_name = level.optional("server_name", r, |value, _| server_name(value), String::shown);
    (TlsSettings { ca, server_name, ..TlsSettings::default() }, stamp.finish())
}

/// Whether others than user and group may open a secret's file.
pub(super) fn is_open(file: &Path, r: &Reading<'_>) -> bool {
    r.machine.mode(file).is_some_and(|mode| mode & OF_OTHERS != 0)
}

pub(super) fn of_key(key: &Path, at: Range<usize>, r: &mut Reading<'_>) {
    if is_open(key, r) {
        r.warn(at, format!("anyone on this machine may read the private key {0}: run `chmod 0640 {0}`", key.display()));
    }
}

fn of_origins(level: &Level<'_>, tls: &TlsSettings, origins: &[Origin], is_plain: bool, r: &mut Reading<'_>) {
    let names = ["ca", "certificate", "key", "server_name", "insecure"];
    for name in names.into_iter().filter(|name| level.says(name)) {
        if is_plain && (name != "insecure" || tls.insecure) {
            let without = "needs TLS: begin the upstream's URL with https://, or remove this key";
            level.alone(name, without, r);
        }
    }
    if tls.insecure && !is_plain {
        r.warn(
            level.at(&["insecure"]),
            "`insecure = true`: others on the path to the upstream can read and change everything; set `ca` to the \
             upstream's certificate authority instead",
        );
    }
    for origin in origins {
        let EndpointAddress::Tcp(host, _) = &origin.at else { continue };
        let address = host.parse::<IpAddr>();
        if origin.tls && address.is_ok() && tls.server_name.is_none() && !tls.insecure {
            r.warn(
                level.at(&["upstream"]),
                format!(
                    "https:// with the address {host}: the certificate must be for the address itself; if the \
                    certificate is for a name, set `server_name` to that name"
                ),
            );
        }
        let is_here = address.map_or(host == "localhost", |address| address.is_loopback());
        if !origin.tls && !is_here {
            r.warn(
                level.at(&["upstream"]),
                format!("http://{}: others on the path can read and change the requests and responses; use https:// if the upstream offers it", origin.authority),
            );
        }
    }
}

/// A PEM file, of which only the kind is checked here.
pub(super) fn pem(value: &Value<'_>, marker: &str, stamp: &mut DefaultHasher, r: &Reading<'_>) -> Result<PathBuf, Bad> {
    let path = r.path(value.one_line()?);
    let unusable = |source| value.unusable(path.clone(), source);
    let bytes = r.machine.read(&path).map_err(unusable)?;
    // `BEGIN PRIVATE KEY`, `BEGIN EC PRIVATE KEY` … (RFC 7468)
    let is_begin = |line: &str| line.starts_with("-----BEGIN ") && line.contains(&format!("{marker}-----"));
    if !String::from_utf8_lossy(&bytes).lines().any(is_begin) {
        return Err(unusable(io::Error::other(format!("it has no `-----BEGIN … {marker}-----` (PEM)"))));
    }
    bytes.hash(stamp);
    Ok(path)
}

fn server_name(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let is_name = matches!(url::Host::parse(text), Ok(url::Host::Domain(name)) if name == text.to_lowercase());
    if is_name || text.parse::<IpAddr>().is_ok() {
        return Ok(text.to_lowercase());
    }
    Err(value.refuse(format!("`{text}`"), "a host name such as \"search.example\", without scheme and port"))
}

const CERTIFICATES: &str = "{ cert = \"site.pem\", key = \"site.key\" }, or a list of such tables";

/// The certificates, and a stamp that changes with one of their files.
pub(super) fn certificates(level: &Level<'_>, r: &mut Reading<'_>) -> (Option<ServerTlsSettings>, u64) {
    let mut stamp = DefaultHasher::new();
    let mut is_said = false;
    let read = |value: &Value<'_>, r: &mut Reading<'_>| {
        is_said = true;
        let each = value.each();
        if each.is_empty() {
            return Err(value.refuse("empty", CERTIFICATES));
        }
        let mut pairs = Vec::new();
        for one in each {
            let pair = pair(&one, &mut stamp, r);
            pairs.extend(r.keep(pair));
        }
        Ok(pairs)
    };
    let certificates = level.take("tls", Vec::new(), r, read, |pairs| show_certificates(pairs));
    let tls12 = level.flag("tls12", true, r);
    if !is_said && !tls12 {
        level.alone("tls12", "needs `tls`: set `tls` too, or remove this key", r);
    }
    let tls = (!certificates.is_empty()).then_some(ServerTlsSettings { certificates, tls12 });
    (tls, stamp.finish())
}

fn pair(value: &Value<'_>, stamp: &mut DefaultHasher, r: &mut Reading<'_>) -> Result<(PathBuf, PathBuf), Bad> {
    if !value.is_table() {
        return Err(value.wrong_type(CERTIFICATES));
    }
    let table = Table::of(value, "`tls`", CERTIFICATES)?;
    r.bads.extend(strangers(&table, &keys::names("tls")));
    let file = |name: &'static str, marker: &str, expected, stamp: &mut DefaultHasher, r: &Reading<'_>| {
        let value = table.get(name).ok_or_else(|| table.missing(name, expected))?;
        pem(&value, marker, stamp, r).map(|path| (path, value.span()))
    };
    let cert = file("cert", "CERTIFICATE", "the file of the certificate, such as cert = \"site.pem\"", stamp, r);
    let key = file("key", "PRIVATE KEY", "the file of its private key, such as key = \"site.key\"", stamp, r);
    // Both are checked, so that both errors are reported.
    let cert = r.keep(cert);
    let (key, at) = key?;
    of_key(&key, at, r);
    Ok((cert.map(|(path, _)| path).unwrap_or_default(), key))
}

fn show_certificates(pairs: &[(PathBuf, PathBuf)]) -> Shown {
    let one = |(cert, key): &(PathBuf, PathBuf)| Shown::Table(vec![("cert", cert.shown()), ("key", key.shown())]);
    match pairs {
        [] => Shown::None,
        [pair] => one(pair),
        pairs => Shown::List(pairs.iter().map(one).collect()),
    }
}
