//! The principal type is [`RequestForm`]: a request as it is sent, byte for byte.

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::LoadError;
use crate::request::Request;

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
        let headers = request.http1().headers().iter();
        Self {
            name: request.name().to_owned(),
            method: request.method().as_str().to_owned(),
            url: request.url().as_str().to_owned(),
            target: request.target().to_owned(),
            headers: headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_owned())).collect(),
            body: request.body().to_vec(),
        }
    }

    /// The request of the form.
    ///
    /// # Errors
    /// When no client could have made it.
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

#[cfg(test)]
mod tests;
