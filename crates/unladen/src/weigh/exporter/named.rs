//! The principal type is [`Exporter`]: an exporter as the command line names it.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use unladen_exporter::{NotFresh, ParseError};
use unladen_load::{Header, LoadError, Request, RequestError};
use url::Url;

use crate::carried::basic;

const LONGEST_NAME: usize = 64;

/// An exporter as the command line names it: `NAME=URL`. A login in the URL is sent as HTTP Basic authentication, and
/// never shown.
#[derive(Clone)]
pub(crate) struct Exporter {
    pub(super) name: String,
    pub(super) request: Request,
}

impl fmt::Debug for Exporter {
    /// Without the login.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("name", &self.name).field("url", &self.request.url().as_str()).finish()
    }
}

impl FromStr for Exporter {
    type Err = ExporterError;

    fn from_str(text: &str) -> Result<Self, ExporterError> {
        let (name, url) = text.split_once('=').ok_or(ExporterError::NoName)?;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_part) {
            return Err(ExporterError::NoName);
        }
        let refused = |source| ExporterError::Url { name: name.to_owned(), source };
        let with_scheme = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        let mut url = Url::parse(&with_scheme).map_err(|source| refused(RequestError::url(&with_scheme, source)))?;
        let authorization = take_login(&mut url);
        let mut builder = Request::get(url.as_str()).map_err(refused)?;
        let accept = format!("Accept: {}", unladen_exporter::Format::ACCEPT);
        for header in [Some(accept), authorization].into_iter().flatten() {
            // Both consist of characters allowed in a header.
            let header: Header = header.parse().map_err(|_| ExporterError::NoName)?;
            builder = builder.header(header);
        }
        Ok(Self { name: name.to_owned(), request: builder.build().map_err(refused)? })
    }
}

fn take_login(url: &mut Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut login: Vec<u8> = percent_decode_str(url.username()).collect();
    login.push(b':');
    login.extend(percent_decode_str(url.password().unwrap_or_default()));
    // A URL that has a login has a host, so the setters cannot fail.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(basic(&login))
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ExporterError {
    /// No `NAME=URL`. What was typed may hold a password, and is not shown.
    #[error(
        "--exporter: expected NAME=URL, such as db=http://db1:9100/metrics; a name is made of letters, digits, `.`, `_`, `-`"
    )]
    NoName,
    #[error("exporter {name}: {source}")]
    Url { name: String, source: RequestError },
    #[error(
        "--exporter: the name {name} is used twice among exporters and hosts: their rows could not be \
        distinguished"
    )]
    Twice { name: String },
    #[error("--exporter: {given} exporters were given; at most {most} are read")]
    TooMany { given: usize, most: usize },
    #[error("exporter {name}: {source}")]
    Load { name: String, source: Box<LoadError> },
    #[error("exporter {name}: answered {status}: {next}")]
    Status { name: String, status: u16, next: String },
    #[error(
        "exporter {name}: answers with the content coding `{coding}`, which was not requested: use the exporter's own \
         address, not a proxy's"
    )]
    Coded { name: String, coding: String },
    #[error("exporter {name}: {source}")]
    Text { name: String, source: ParseError },
    #[error("exporter {name}: {source}")]
    NotFresh { name: String, source: NotFresh },
    #[error("exporter {name}: no thread can be started to ask it: {source}")]
    Thread { name: String, source: std::io::Error },
    #[error("exporter {name}: it did not answer in time")]
    Late { name: String },
    #[error("exporter {name}: no longer read")]
    Ended { name: String },
}

#[cfg(test)]
mod tests;
