//! A load's parameters and results for transfer to another host: plain serde values. The principal type is
//! [`ConfigForm`].

mod plan;
mod records;

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use rustls::pki_types::CertificateDer;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::config::DriverConfig;
use crate::error::LoadError;
use crate::expect::{BodyText, Expect, Statuses};
use crate::http_version::HttpVersion;
use crate::request::Request;
use crate::target::ConnectTo;
use crate::tls::{Carried, Roots, TlsOptions};

pub use plan::PlanForm;
pub use records::{BinnedLatencies, DamagedBatch, RecordBatch, RecordSummary};

/// A [`DriverConfig`] for another host, without names of local files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigForm {
    requests: Vec<RequestForm>,
    connect_to: Option<ConnectTo>,
    concurrency: usize,
    keep_alive: bool,
    keep_cookies: bool,
    http: HttpVersion,
    rate: Option<f64>,
    timeout: Duration,
    connect_timeout: Duration,
    tls: TlsForm,
    statuses: Statuses,
    body: Option<Vec<u8>>,
    same: bool,
    max_body: u64,
}

impl ConfigForm {
    /// Form of a configuration; reads the files that it names. Fails when a setting is out of bounds or a file of
    /// certificates cannot be read.
    pub fn of(config: &DriverConfig) -> Result<Self, LoadError> {
        config.check()?;
        let https = config.requests.iter().any(|request| request.url().scheme() == "https");
        Ok(Self {
            requests: config.requests.iter().map(RequestForm::of).collect(),
            connect_to: config.connect_to.clone(),
            concurrency: config.concurrency,
            keep_alive: config.keep_alive,
            keep_cookies: config.keep_cookies,
            http: config.http,
            rate: config.rate,
            timeout: config.timeout,
            connect_timeout: config.connect_timeout,
            tls: TlsForm::of(&config.tls, https)?,
            statuses: config.expect.statuses.clone(),
            body: config.expect.body.as_ref().map(|text| text.text().to_owned()),
            same: config.expect.same,
            max_body: config.max_body,
        })
    }

    /// The configuration of the form. Settings out of bounds are refused when a driver starts. Fails when it holds no
    /// requests, or an invalid one.
    pub fn config(self) -> Result<DriverConfig, LoadError> {
        let config = DriverConfig {
            requests: self.requests.into_iter().map(RequestForm::request).collect::<Result<_, _>>()?,
            connect_to: self.connect_to,
            concurrency: self.concurrency,
            keep_alive: self.keep_alive,
            keep_cookies: self.keep_cookies,
            http: self.http,
            rate: self.rate,
            timeout: self.timeout,
            connect_timeout: self.connect_timeout,
            tls: self.tls.options()?,
            expect: Expect {
                statuses: self.statuses,
                body: self.body.as_deref().map(BodyText::of_bytes),
                same: self.same,
            },
            max_body: self.max_body,
        };
        config.check()?;
        Ok(config)
    }
}

/// A request as sent. Headers are those of HTTP/1.1 with `Host`, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestForm {
    name: String,
    method: String,
    url: String,
    /// Path and query as sent, which may differ from the URL's.
    target: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl RequestForm {
    /// Form of a request.
    pub fn of(request: &Request) -> Self {
        let headers = request.http1.headers().iter();
        Self {
            name: request.name().to_owned(),
            method: request.method().as_str().to_owned(),
            url: request.url().as_str().to_owned(),
            target: request.target().to_owned(),
            headers: headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_owned())).collect(),
            body: request.body().to_vec(),
        }
    }

    /// The request of the form. Fails when no client could have made it.
    pub fn request(self) -> Result<Request, LoadError> {
        let Self { name, method, url, target, headers, body } = self;
        let wrong = |value: &str, expected| LoadError::Config {
            what: "request",
            value: value.chars().take(200).collect(),
            expected,
        };
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| wrong(&method, "a method"))?;
        let parsed = Url::parse(&url).map_err(|_| wrong(&url, "a URL"))?;
        // No capacity is given: it panics beyond its bounds, and the number comes from another host.
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let header = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_bytes(&value).ok());
            let (header, value) = header.ok_or_else(|| wrong(&name, "a header's name and value"))?;
            map.try_append(header, value).map_err(|_| wrong(&name, "fewer headers"))?;
        }
        Request::as_sent(name, method, parsed, &target, map, body.into())
            .map_err(|_| wrong(&format!("{url} {target}"), "an http or https URL and a path"))
    }
}

/// Trusted authorities and client identity, without names of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsForm {
    insecure: bool,
    resume: bool,
    carried: Carried,
}

impl TlsForm {
    /// Reads the files that the options name; `https` says whether TLS is used at all. The other host trusts the same
    /// authorities: a container often has none of its own. Fails when a file cannot be read, or the system has no
    /// authorities.
    pub fn of(tls: &TlsOptions, https: bool) -> Result<Self, LoadError> {
        let bytes = |all: Vec<CertificateDer<'static>>| all.into_iter().map(|one| one.to_vec()).collect::<Vec<_>>();
        let authorities = match &tls.roots {
            _ if tls.insecure || !https => Vec::new(),
            Roots::System => {
                unladen_tls::system_certificates().map_err(|none| LoadError::NoSystemRoots { source: none.source })?
            }
            Roots::Only(file) => unladen_tls::certificates(file)?,
        };
        let refused = |error: unladen_tls::FileError| LoadError::IdentityFile { problem: error.to_string() };
        let (chain, key) = match tls.identity.as_ref().filter(|_| https) {
            None => (Vec::new(), None),
            Some(identity) => {
                let key = identity.key.as_deref().unwrap_or(&identity.certificate);
                let chain = unladen_tls::certificates(&identity.certificate).map_err(refused)?;
                let key = unladen_tls::private_key(key).map_err(refused)?;
                (chain, Some(key.secret_der().to_vec()))
            }
        };
        let carried = Carried { authorities: bytes(authorities), chain: bytes(chain), key };
        Ok(Self { insecure: tls.insecure, resume: tls.resume, carried })
    }

    /// The options of the form. Fails when the key is invalid.
    pub fn options(self) -> Result<TlsOptions, LoadError> {
        let Self { insecure, resume, carried } = self;
        carried.key()?;
        Ok(TlsOptions { insecure, resume, carried: Some(carried), ..TlsOptions::default() })
    }
}

#[cfg(test)]
mod tests;
