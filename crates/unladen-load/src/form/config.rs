//! The principal type is [`ConfigForm`]: a driver's configuration for another host.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::request::RequestForm;
use super::tls::TlsForm;
use crate::body_text::BodyText;
use crate::config::DriverConfig;
use crate::error::LoadError;
use crate::expect::Expect;
use crate::http_version::HttpVersion;
use crate::target::ConnectTo;

/// A [`DriverConfig`] for another host, without names of local files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigForm {
    requests: Vec<RequestForm>,
    address: Option<SocketAddr>,
    unix: Option<PathBuf>,
    concurrency: u64,
    keep_alive: bool,
    keep_cookies: bool,
    http: HttpVersion,
    rate: Option<f64>,
    timeout: Duration,
    connect_timeout: Duration,
    tls: TlsForm,
    statuses: String,
    body: Option<Vec<u8>>,
    same: bool,
    max_body: u64,
}

impl ConfigForm {
    /// Form of a configuration; reads the files that it names.
    ///
    /// # Errors
    /// When a setting is out of bounds or a file of certificates cannot be read.
    pub fn of(config: &DriverConfig) -> Result<Self, LoadError> {
        config.check()?;
        let https = config.requests.iter().any(|request| request.url().scheme() == "https");
        let (address, unix) = match &config.connect_to {
            None => (None, None),
            Some(ConnectTo::Address(address)) => (Some(*address), None),
            Some(ConnectTo::Unix(path)) => (None, Some(path.clone())),
        };
        Ok(Self {
            requests: config.requests.iter().map(RequestForm::of).collect(),
            address,
            unix,
            concurrency: config.concurrency as u64,
            keep_alive: config.keep_alive,
            keep_cookies: config.keep_cookies,
            http: config.http,
            rate: config.rate,
            timeout: config.timeout,
            connect_timeout: config.connect_timeout,
            tls: TlsForm::of(&config.tls, https)?,
            statuses: config.expect.statuses.to_string(),
            body: config.expect.body.as_ref().map(|text| text.text().to_owned()),
            same: config.expect.same,
            max_body: config.max_body,
        })
    }

    /// The configuration of the form. Settings out of bounds are refused when a driver starts.
    ///
    /// # Errors
    /// When it holds no requests, or an invalid one.
    pub fn config(self) -> Result<DriverConfig, LoadError> {
        let statuses = self.statuses.parse().map_err(|_| LoadError::Config {
            what: "list of statuses",
            value: self.statuses.chars().take(200).collect(),
            expected: "something like 200-299,304",
        })?;
        let config = DriverConfig {
            requests: self.requests.into_iter().map(RequestForm::request).collect::<Result<_, _>>()?,
            connect_to: self.unix.map(ConnectTo::Unix).or(self.address.map(ConnectTo::Address)),
            concurrency: usize::try_from(self.concurrency).unwrap_or(usize::MAX),
            keep_alive: self.keep_alive,
            keep_cookies: self.keep_cookies,
            http: self.http,
            rate: self.rate,
            timeout: self.timeout,
            connect_timeout: self.connect_timeout,
            tls: self.tls.options()?,
            expect: Expect { statuses, body: self.body.as_deref().map(BodyText::of_bytes), same: self.same },
            max_body: self.max_body,
        };
        config.check()?;
        Ok(config)
    }
}
