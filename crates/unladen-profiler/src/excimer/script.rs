//! The principal type is [`Script`]: the file that PHP-FPM runs for a request, and how the parameters name it.
//!
//! Web servers name it in several ways that PHP-FPM handles (`init_request_info` of its sapi): with a prefix of
//! Apache's mod_proxy_fcgi, with a rest of the path behind it, or in another parameter. Only the file's own path is
//! replaced, so that PHP-FPM treats the rest as it would without us.

use std::fs;
use std::path::{Path, PathBuf};

use crate::profiler::ProfilerError;
use unladen_fastcgi::Params;

/// Prefixes of mod_proxy_fcgi and mod_proxy_balancer; a host follows.
const PROXIES: [&str; 2] = ["proxy:fcgi://", "proxy:balancer://"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) path: String,
    param: &'static str,
    /// Text before and after it in the parameter.
    prefix: String,
    rest: String,
}

impl Script {
    /// The script of a request to a PHP-FPM with this root folder and `cgi.fix_pathinfo`. Fails if there is none.
    pub(super) fn find(params: &Params, root: &Path, fixes_path_info: bool) -> Result<Self, ProfilerError> {
        let is_file = |path: &str| {
            let path = path.strip_prefix('/').map_or_else(|| PathBuf::from(path), |rest| root.join(rest));
            fs::metadata(path).is_ok_and(|file| file.is_file())
        };
        Self::find_by(params, fixes_path_info, is_file)
    }

    fn find_by(params: &Params, fixes_path_info: bool, is_file: impl Fn(&str) -> bool) -> Result<Self, ProfilerError> {
        let text = |name| params.text(name).filter(|value| !value.is_empty());
        let (named, translated) = (text("SCRIPT_FILENAME"), text("PATH_TRANSLATED"));
        let is_proxied = named.is_some_and(|named| proxied(named).is_some());
        // The second one is the script without cgi.fix_pathinfo, and with Apache's mod_fastcgi.
        let redirected = !is_proxied && text("REDIRECT_URL").is_some();
        let (param, value) = match (named, translated) {
            (_, Some(translated)) if named.is_none() || !fixes_path_info || redirected => {
                ("PATH_TRANSLATED", translated)
            }
            (Some(named), _) => ("SCRIPT_FILENAME", named),
            (None, _) => return Err(ProfilerError::NotFound("the web server names no script to PHP-FPM".to_owned())),
        };
        let (prefix, raw) = proxied(value).unwrap_or(("", value));
        let decoded = if prefix.is_empty() { raw.to_owned() } else { decode(raw.split('?').next().unwrap_or(raw)) };
        let mut path = decoded.as_str();
        while !is_file(path) {
            match path.rfind('/').filter(|_| fixes_path_info) {
                Some(slash) => path = &path[..slash],
                None => {
                    return Err(ProfilerError::NotFound(format!(
                        "the script {decoded}, which the web server names to PHP-FPM, does not exist"
                    )));
                }
            }
        }
        Ok(Self { param, prefix: prefix.to_owned(), path: path.to_owned(), rest: decoded[path.len()..].to_owned() })
    }

    pub(super) fn replace(&self, params: &mut Params, by: &Path) {
        let rest =
            if self.prefix.is_empty() { self.rest.clone() } else { self.rest.replace('%', "%25").replace('?', "%3F") };
        params.set(self.param, format!("{}{}{rest}", self.prefix, by.display()));
    }
}

/// Splits a proxy's prefix from the path.
fn proxied(value: &str) -> Option<(&str, &str)> {
    let scheme =
        PROXIES.iter().find(|proxy| value.get(..proxy.len()).is_some_and(|head| head.eq_ignore_ascii_case(proxy)))?;
    let path = scheme.len() + value.get(scheme.len()..)?.find('/')?;
    value.split_at_checked(path)
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex =
            text.get(at + 1..at + 3).filter(|hex| *byte == b'%' && hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests;
