//! The principal type is [`PostgresAddress`]: a PostgreSQL server's address and its TLS settings.
//!
//! The URL is libpq's. `sslmode` and `sslrootcert` have libpq's meaning (`disable`, `prefer`, `require`, `verify-ca`,
//! `verify-full`; `require` with `sslrootcert` checks as `verify-ca` does), except: without `sslmode`, a remote server
//! is reached with `verify-full`, and one on this machine without TLS; and without `sslrootcert` (or with `system`),
//! the system's authorities are trusted.

use std::borrow::Cow;
use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::{CertificateError, ClientConfig, Error};
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;
use unladen_tls::{Anyone, Judge, Shown, Trusted, Verifier, is_near, provider, system_authorities};

/// A PostgreSQL server's address and its TLS settings.
pub struct PostgresAddress {
    /// Its debug output has no passwords.
    pub config: Config,
    /// `None` for no TLS.
    pub tls: Option<MakeRustlsConnect>,
    pub shown: String,
}

/// Time for several hosts together, if none answers. The caller's timeout is longer.
const SEVERAL: Duration = Duration::from_millis(1500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Nothing,
    Chain,
    Name,
}

impl PostgresAddress {
    /// Connects. Polling the second value drives the connection.
    ///
    /// # Errors
    /// If there is no session.
    pub async fn connect(&self) -> Result<(Client, Carrier), tokio_postgres::Error> {
        Ok(match self.tls.clone() {
            Some(tls) => {
                let (client, connection) = self.config.connect(tls).await?;
                (client, Carrier(Way::Secret(Box::new(connection))))
            }
            None => {
                let (client, connection) = self.config.connect(NoTls).await?;
                (client, Carrier(Way::Plain(Box::new(connection))))
            }
        })
    }

    /// The same address, with settings for each session's start, such as `-c statement_timeout=2000`. Not with SET: a
    /// transaction pooler would leave such settings to the next user of the session.
    #[must_use]
    pub fn beginning_with(&self, settings: &str) -> Self {
        let mut config = self.config.clone();
        match self.config.get_options() {
            Some(options) => config.options(format!("{options} {settings}")),
            None => config.options(settings),
        };
        Self { config, tls: self.tls.clone(), shown: self.shown.clone() }
    }

    /// Whether only a server that writes will do (`target_session_attrs=read-write`). A session is checked for that,
    /// and so must not begin as read-only.
    pub fn wants_a_writer(&self) -> bool {
        self.config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite
    }

    /// Whether a connection was refused because of settings at its start, as PgBouncer and its like do.
    pub fn refuses_settings(error: &tokio_postgres::Error) -> bool {
        let of_poolers = [SqlState::PROTOCOL_VIOLATION, SqlState::FEATURE_NOT_SUPPORTED];
        error.code().is_some_and(|code| of_poolers.contains(code))
    }

    /// Parses a libpq URL.
    ///
    /// # Errors
    /// If it is invalid, names no host, or names unusable authorities.
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let (plain, mode, roots) = split(url)?;
        let mut config: Config = plain.parse().map_err(|error| bad(&error))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(AddressError::Url(
                "there is no host: add `?host=/run/postgresql`, or the server's name after `@`".to_owned(),
            ));
        }
        config.application_name("unladen");
        // A host that does not answer must not take the time of the next ones.
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        if let Some(each) = u32::try_from(hosts).ok().and_then(|hosts| SEVERAL.checked_div(hosts))
            && hosts > 1
            && config.get_connect_timeout().is_none()
        {
            config.connect_timeout(each);
        }
        let near =
            config.get_hosts().iter().all(near) && config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback);
        let mode = mode.as_deref().unwrap_or(if near { "disable" } else { "verify-full" });
        let (ssl, check) = match mode {
            "disable" => (SslMode::Disable, Check::Nothing),
            // libpq tries without TLS first; here TLS is used if the server has it.
            "allow" | "prefer" => (SslMode::Prefer, Check::Nothing),
            "require" if roots.is_some() => (SslMode::Require, Check::Chain),
            "require" => (SslMode::Require, Check::Nothing),
            "verify-ca" => (SslMode::Require, Check::Chain),
            "verify-full" => (SslMode::Require, Check::Name),
            other => {
                let modes = "disable, prefer, require, verify-ca or verify-full";
                return Err(AddressError::Url(format!("sslmode `{other}` is not known: use {modes}")));
            }
        };
        config.ssl_mode(ssl);
        let tls = if ssl == SslMode::Disable { None } else { Some(tls(check, roots.as_deref())?) };
        let shown = shown(&config);
        Ok(Self { config, tls, shown })
    }
}

/// The URL without the parameters that only we read, `sslmode` and `sslrootcert`.
fn split(url: &str) -> Result<(String, Option<String>, Option<String>), AddressError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(AddressError::Url("it does not begin with `postgres://`".to_owned()));
    }
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    // Otherwise a message could show part of a password as an unknown parameter.
    if query.contains('@') {
        return Err(AddressError::Url(
            "there is a `?` before an `@`: in user and password, write `%3F` and `%40`".to_owned(),
        ));
    }
    let (mut mode, mut roots, mut kept) = (None, None, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, _) = pair.split_once('=').unwrap_or((pair, ""));
        let value = || url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned());
        match key {
            "sslmode" => mode = value(),
            "sslrootcert" => roots = value(),
            _ => kept.push(pair),
        }
    }
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    Ok((format!("{address}{query}"), mode, roots))
}

fn tls(check: Check, roots: Option<&str>) -> Result<MakeRustlsConnect, AddressError> {
    let said = |error: &dyn std::error::Error| AddressError::Tls(error.to_string());
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| said(&error))?;
    let config = if check == Check::Nothing {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Verifier(Anyone))).with_no_client_auth()
    } else {
        let verifier: Arc<dyn ServerCertVerifier> = match roots {
            None | Some("system") => {
                let roots = system_authorities().map_err(|error| said(&error))?;
                WebPkiServerVerifier::builder_with_provider(roots, provider()).build().map_err(|error| said(&error))?
            }
            Some(file) => {
                let trusted = Trusted::read(Path::new(file)).map_err(|error| said(&error))?;
                let trusted = if check == Check::Name { trusted.by_name() } else { trusted };
                Arc::new(Verifier(trusted))
            }
        };
        let builder = builder.dangerous();
        if check == Check::Name {
            builder.with_custom_certificate_verifier(verifier).with_no_client_auth()
        } else {
            builder.with_custom_certificate_verifier(Arc::new(Verifier(ChainOnly(verifier)))).with_no_client_auth()
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn near(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => is_near(name),
    }
}

fn shown(config: &Config) -> String {
    let mut hosts: Vec<String> = Vec::new();
    for host in config.get_hosts() {
        hosts.push(match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        });
    }
    if hosts.is_empty() {
        hosts.extend(config.get_hostaddrs().iter().map(ToString::to_string));
    }
    hosts.join(", ")
}

/// The parser's message names the unknown parameter, and never a value.
fn bad(error: &tokio_postgres::Error) -> AddressError {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    AddressError::Url(format!("{error}: {cause}"))
}

/// Why a server's address cannot be used. No message shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    #[error("the database's address: {0}")]
    Url(String),
    #[error("TLS to the database: {0}")]
    Tls(String),
}

type Plain = Connection<Socket, <NoTls as MakeTlsConnect<Socket>>::Stream>;
type Secret = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// Drives a connection, with TLS or without: nothing is sent or received unless it is polled.
pub struct Carrier(pub(crate) Way);

pub(crate) enum Way {
    Plain(Box<Plain>),
    Secret(Box<Secret>),
}

impl Carrier {
    /// The next asynchronous message; `None` once the connection has ended, for whatever reason.
    pub async fn message(&mut self) -> Option<AsyncMessage> {
        poll_fn(|context| self.poll(context)).await.and_then(Result::ok)
    }

    /// Drives the connection until it ends; asynchronous messages are ignored.
    pub async fn run(mut self) {
        while self.message().await.is_some() {}
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<AsyncMessage, tokio_postgres::Error>>> {
        match &mut self.0 {
            Way::Plain(connection) => connection.poll_message(context),
            Way::Secret(connection) => connection.poll_message(context),
        }
    }
}

/// Accepts what an authority has signed, whatever the name: libpq's `verify-ca`.
#[derive(Debug)]
struct ChainOnly(pub(crate) Arc<dyn ServerCertVerifier>);

impl Judge for ChainOnly {
    fn judge(&self, shown: &Shown<'_>) -> Result<(), Error> {
        let &Shown { certificate, intermediates, name, ocsp, now } = shown;
        // The name is checked last, when all else is well.
        match self.0.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Ok(_)
            | Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// A PostgreSQL URL with the first of its hosts, and the hosts as written. libpq's URLs may name several
/// (`postgres://a:5432,b:5432/shop`), or none beside a user (`postgres://me@/shop?host=/run`, where the user is left
/// out, too): neither is a URL of RFC 3986. All others are returned unchanged, without hosts.
pub fn with_one_host(url: &str) -> (Cow<'_, str>, Option<&str>) {
    let as_it_is = (Cow::Borrowed(url), None);
    let Some((scheme, rest)) = url.split_once("://") else { return as_it_is };
    if !matches!(scheme, "postgres" | "postgresql") {
        return as_it_is;
    }
    let (authority, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, hosts) = authority.rsplit_once('@').map_or((None, authority), |(user, hosts)| (Some(user), hosts));
    match (user, hosts.split_once(',')) {
        (Some(_), None) if hosts.is_empty() => (Cow::Owned(format!("{scheme}://{after}")), Some(hosts)),
        (None, Some((first, _))) => (Cow::Owned(format!("{scheme}://{first}{after}")), Some(hosts)),
        (Some(user), Some((first, _))) => (Cow::Owned(format!("{scheme}://{user}@{first}{after}")), Some(hosts)),
        _ => as_it_is,
    }
}

#[cfg(test)]
mod tests;
