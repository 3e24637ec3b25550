//! The principal type is [`Address`]: a MySQL or MariaDB server's address and its TLS settings.

use std::path::PathBuf;
use std::time::Duration;

use mysql_async::{Opts, OptsBuilder, UrlError};
use rustls::crypto::CryptoProvider;
use unladen_tls::{is_near, provider, system_certificates};
use url::Url;

use crate::SettingsError;

/// After this idle time, the kernel probes whether the server is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Address {
    pub(super) opts: Opts,
    /// For messages: without the password.
    pub(super) shown: String,
}

impl Address {
    pub(super) fn parse(url: &str) -> Result<Self, SettingsError> {
        let bad = |why: String| SettingsError::Url(why);
        let mut url = Url::parse(url).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "mysql" | "mariadb") {
            return Err(bad("it does not begin with `mysql://`".to_owned()));
        }
        if url.scheme() == "mariadb" {
            let plain = url.as_str().replacen("mariadb", "mysql", 1);
            url = Url::parse(&plain).map_err(|error| bad(error.to_string()))?;
        }
        let mut pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let ca = pairs.iter().position(|(key, _)| key == "ssl_ca").map(|place| pairs.remove(place).1);
        let says = |name: &str| pairs.iter().any(|(key, _)| key == name);
        let near = url.host_str().is_none_or(is_near) || says("socket");
        if !says("require_ssl") && (!near || ca.is_some()) {
            pairs.push(("require_ssl".to_owned(), "true".to_owned()));
        }
        url.set_query(None);
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(&pairs);
        }
        let mut opts = Opts::from_url(url.as_str()).map_err(|error| bad(explain(&error)))?;
        if let Some(ssl) = opts.ssl_opts() {
            // mysql_async takes the process's provider, and a program that names its own everywhere has none.
            if CryptoProvider::get_default().is_none() {
                let _ = CryptoProvider::clone(&provider()).install_default();
            }
            let ssl = ssl.clone();
            let ssl = match ca {
                Some(file) => {
                    let file = PathBuf::from(file);
                    unladen_tls::authorities(&file).map_err(|error| SettingsError::Tls(error.to_string()))?;
                    ssl.with_root_certs(vec![file.into()]).with_disable_built_in_roots(true)
                }
                // The certificate is not checked.
                None if ssl.accept_invalid_certs() => ssl,
                // mysql_async's own are Mozilla's of its build date: not those that this system's owner adds or
                // distrusts.
                None => {
                    let system = system_certificates().map_err(|error| SettingsError::Tls(error.to_string()))?;
                    let system = system.iter().map(|certificate| certificate.to_vec().into()).collect();
                    ssl.with_root_certs(system).with_disable_built_in_roots(true)
                }
            };
            opts = OptsBuilder::from_opts(opts).ssl_opts(Some(ssl)).into();
        }
        // A connection that is given up while silent waits in the background for its end: keep-alive ends it if the
        // server is gone.
        if opts.tcp_keepalive().is_none() {
            opts = OptsBuilder::from_opts(opts).tcp_keepalive(Some(KEEP_ALIVE)).into();
        }
        let shown =
            opts.socket().map_or_else(|| format!("{}:{}", opts.ip_or_hostname(), opts.tcp_port()), str::to_owned);
        Ok(Self { opts, shown })
    }
}

/// The parser's own message may show what it could not read: part of a password, if that has a `?`.
fn explain(error: &UrlError) -> String {
    match error {
        UrlError::UnknownParameter { param } if param.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            format!("the parameter `{param}` is not known")
        }
        UrlError::InvalidParamValue { param, .. } => format!("the value of `{param}` is none it may have"),
        UrlError::UnknownParameter { .. } => "a parameter is not known".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
