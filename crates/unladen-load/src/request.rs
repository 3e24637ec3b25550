//! The principal type is [`Request`]: what to send, prepared once and sent many times.
//!
//! ```
//! use unladen_load::Request;
//!
//! let request = Request::get("http://localhost:8080/index.php/Main_Page")?
//!     .header("Accept-Language: cy".parse()?)
//!     .cookie("session=1")?
//!     .named("main page")
//!     .build()?;
//! assert_eq!(request.name(), "main page");
//! assert!(request.is_idempotent());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, Uri, Version};
use http_body_util::Full;
use url::Url;

use crate::header::Header;
use crate::typed::with_scheme;

/// HTTP message whose body costs a reference count to copy.
pub(crate) type Message = http::Request<Full<Bytes>>;

const USER_AGENT: &str = concat!("unladen/", env!("CARGO_PKG_VERSION"));

const ACCEPT: &str = "*/*";

/// One request, prepared in two forms, for HTTP/1 and HTTP/2. Sending one copies its header map and some reference
/// counts.
#[derive(Clone, Debug)]
pub struct Request {
    name: String,
    url: Url,
    /// Path and query in the request line, host in `Host` (RFC 9112, section 3.2.1).
    pub(crate) http1: Message,
    /// The whole URL, for `:scheme` and `:authority`, and no `Host` (RFC 9113, section 8.3.1).
    pub(crate) http2: Message,
    body: Bytes,
    is_past_cache: bool,
}

/// Builds a [`Request`].
#[derive(Clone, Debug)]
pub struct RequestBuilder {
    method: Method,
    url: Url,
    target: Option<PathAndQuery>,
    name: Option<String>,
    headers: HeaderMap,
    cookies: Vec<String>,
    body: Bytes,
    is_past_cache: bool,
}

/// Why a request cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    #[error("`{url}` is not a URL ({source}): expected something like http://127.0.0.1:8080/page")]
    Url { url: String, source: url::ParseError },
    #[error("`{url}` has the scheme `{scheme}`: expected http:// or https://")]
    Scheme { url: String, scheme: String },
    /// The URL holds a user name or password, which would end up in reports.
    #[error(
        "`{host}` has a user name or password in its URL, which would appear in reports: use -u USER:PASSWORD, or the \
         header `Authorization: …`"
    )]
    Credentials { host: String },
    #[error("`{url}` cannot be put into a request: {source}")]
    Uri { url: String, source: http::Error },
    #[error("`{target}` is not a request target ({source}): expected a path such as /page?a=b")]
    Target { target: String, source: http::uri::InvalidUri },
    /// Not made of token characters.
    #[error("`{method}` is not a method: expected a word such as GET, HEAD or POST")]
    Method { method: String, source: http::method::InvalidMethod },
    /// CONNECT opens a tunnel: there is no response to measure.
    #[error("CONNECT opens a tunnel: use a method that has a response, such as GET")]
    Connect,
    #[error("the cookie{} is not `name=value` without outer spaces, semicolons and control characters", named(name))]
    Cookie {
        /// The cookie's name, if it has one; its value may be secret.
        name: String,
    },
}

impl RequestError {
    /// Error for a text that is no URL; does not show a password in it.
    pub fn url(text: &str, source: url::ParseError) -> Self {
        let (scheme, rest) = text.split_at(text.find("://").map_or(0, |at| at + "://".len()));
        let url = match rest.rsplit_once('@') {
            Some((_, rest)) => format!("{scheme}…@{rest}"),
            None => text.to_owned(),
        };
        Self::Url { url, source }
    }
}

/// Authority of a URL, without `scheme://`.
fn authority_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn named(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" `{name}`") }
}

impl Request {
    /// Begins a GET of this URL. Fails when the text is no http or https URL, or holds credentials. Without a scheme it
    /// is http, as with curl.
    pub fn get(url: &str) -> Result<RequestBuilder, RequestError> {
        let url = with_scheme(url).map_err(|source| RequestError::url(url, source))?;
        RequestBuilder::new(Method::GET, url)
    }

    /// Name in reports: the given one, else method and URL.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// HTTP method.
    pub fn method(&self) -> &Method {
        self.http1.method()
    }

    /// URL without a fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Path and query as sent: the URL's, unless a target was given.
    pub fn target(&self) -> &str {
        self.http1.uri().path_and_query().map_or("/", PathAndQuery::as_str)
    }

    /// Value of `Host`: the host, with the port where there is one.
    pub fn host(&self) -> &str {
        self.http1.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
    }

    /// Headers that were given, without those the client adds. `Host` is included if it differs from the URL's.
    pub fn given_headers(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        let is_own = |name: &HeaderName, value: &HeaderValue| match *name {
            header::HOST => value.as_bytes() == authority(&self.url).as_bytes(),
            header::USER_AGENT => value == USER_AGENT,
            header::ACCEPT => value == ACCEPT,
            header::CONTENT_LENGTH => true,
            _ => false,
        };
        self.http1.headers().iter().filter(move |(name, value)| !is_own(name, value))
    }

    /// Body; empty if there is none.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Whether the method is idempotent (RFC 9110, section 9.2.2), so that the client may repeat it when a connection
    /// dies under it.
    pub fn is_idempotent(&self) -> bool {
        self.method().is_idempotent()
    }

    /// Puts this header before all others and replaces any of its name: a reader who sees only the start of a request
    /// sees it.
    #[must_use]
    pub fn with_header_first(mut self, header: &Header) -> Self {
        for message in [&mut self.http1, &mut self.http2] {
            let others = std::mem::take(message.headers_mut());
            let headers = message.headers_mut();
            headers.insert(header.name().clone(), header.value().clone());
            for (name, value) in others.iter().filter(|(name, _)| *name != header.name()) {
                headers.append(name.clone(), value.clone());
            }
        }
        self
    }

    /// Builds a request from received parts; `headers` are those of HTTP/1.1, with `Host`.
    pub(crate) fn as_sent(
        name: String,
        method: Method,
        url: Url,
        target: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Self, RequestError> {
        // Refuses bad URLs with the same errors.
        let RequestBuilder { method, url, target, .. } = RequestBuilder::new(method, url)?.target(target)?;
        Self::assembled(name, method, url, target, headers, body)
    }

    fn assembled(
        name: String,
        method: Method,
        url: Url,
        target: Option<PathAndQuery>,
        with_host: HeaderMap,
        body: Bytes,
    ) -> Result<Self, RequestError> {
        let cannot = |source| RequestError::Uri { url: url.to_string(), source };
        let of_url = || PathAndQuery::try_from(&url[url::Position::BeforePath..url::Position::AfterQuery]);
        let target = target.map_or_else(of_url, Ok).map_err(|source| cannot(source.into()))?;
        let host = with_host.get(header::HOST).map_or(authority(&url).as_bytes(), HeaderValue::as_bytes);
        let absolute = Uri::builder()
            .scheme(url.scheme())
            .authority(host)
            .path_and_query(target.clone())
            .build()
            .map_err(cannot)?;
        let origin_form = Uri::builder().path_and_query(target).build().map_err(cannot)?;
        // Copied, not removed from: that would change the order of the others.
        let mut headers = HeaderMap::with_capacity(with_host.len());
        for (name, value) in with_host.iter().filter(|(name, _)| **name != header::HOST) {
            headers.append(name.clone(), value.clone());
        }

        let message = |uri: Uri, version: Version, headers: HeaderMap| {
            let mut message = Message::new(Full::new(body.clone()));
            *message.method_mut() = method.clone();
            *message.uri_mut() = uri;
            *message.version_mut() = version;
            *message.headers_mut() = headers;
            message
        };
        Ok(Self {
            name,
            http1: message(origin_form, Version::HTTP_11, with_host),
            http2: message(absolute, Version::HTTP_2, headers),
            url,
            body,
            is_past_cache: false,
        })
    }

    /// What is sent in this version of HTTP.
    pub(crate) fn message(&self, version: Version) -> Message {
        let mut message = if version == Version::HTTP_2 { self.http2.clone() } else { self.http1.clone() };
        if self.is_past_cache
            && let Some(uri) = unseen(message.uri())
        {
            *message.uri_mut() = uri;
        }
        message
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.http1.headers_mut().insert(name.clone(), value.clone());
        self.http2.headers_mut().insert(name, value);
        self
    }

    /// Sets another `User-Agent`.
    #[must_use]
    pub fn with_agent(self, agent: &'static str) -> Self {
        self.with(header::USER_AGENT, HeaderValue::from_static(agent))
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.http2.headers()
    }

    pub(crate) fn closing(mut self) -> Self {
        self.http1.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        self
    }
}

impl RequestBuilder {
    /// Begins a request. Fails when the URL is not of http or https, or holds credentials; and for CONNECT.
    pub fn new(method: Method, mut url: Url) -> Result<Self, RequestError> {
        if method == Method::CONNECT {
            return Err(RequestError::Connect);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RequestError::Credentials { host: url.host_str().unwrap_or_default().to_owned() });
        }
        if !matches!(url.scheme(), "http" | "https") {
            // `joe:secret@host/page` has, as a URL, the scheme `joe`.
            if let Some((_, host)) = authority_of(url.as_str()).rsplit_once('@') {
                return Err(RequestError::Credentials { host: host.to_owned() });
            }
            return Err(RequestError::Scheme { scheme: url.scheme().to_owned(), url: url.into() });
        }
        url.set_fragment(None);
        Ok(Self {
            method,
            url,
            target: None,
            name: None,
            headers: HeaderMap::new(),
            cookies: Vec::new(),
            body: Bytes::new(),
            is_past_cache: false,
        })
    }

    /// Sets the method. Fails when it is no method, or CONNECT.
    pub fn method(mut self, method: &str) -> Result<Self, RequestError> {
        let parsed = Method::from_bytes(method.as_bytes());
        self.method = parsed.map_err(|source| RequestError::Method { method: method.to_owned(), source })?;
        if self.method == Method::CONNECT { Err(RequestError::Connect) } else { Ok(self) }
    }

    /// Adds a header; repeated ones are all sent, except `Host` and `User-Agent`, of which the last counts.
    #[must_use]
    pub fn header(mut self, header: Header) -> Self {
        if matches!(*header.name(), header::HOST | header::USER_AGENT) {
            self.headers.insert(header.name(), header.value().clone());
        } else {
            self.headers.append(header.name(), header.value().clone());
        }
        self
    }

    /// Adds a cookie, `name=value`. Fails when it could not be told apart from the next one.
    pub fn cookie(mut self, cookie: &str) -> Result<Self, RequestError> {
        let plain = cookie.trim() == cookie && !cookie.contains([';', '\r', '\n']);
        let named = cookie.split_once('=').is_some_and(|(name, _)| !name.is_empty());
        if !plain || !named || HeaderValue::from_str(cookie).is_err() {
            let (name, _) = cookie.split_once('=').unwrap_or_default();
            return Err(RequestError::Cookie { name: name.trim().to_owned() });
        }
        self.cookies.push(cookie.to_owned());
        Ok(self)
    }

    /// Sets the body; its length is sent along.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends this path and query byte for byte instead of the URL's, where `..` and `%2e%2e` are already resolved as
    /// browsers do. Fails when no request can carry it.
    pub fn target(mut self, target: &str) -> Result<Self, RequestError> {
        let wrong = |source| RequestError::Target { target: target.chars().take(200).collect(), source };
        let target = PathAndQuery::try_from(target).map_err(wrong)?;
        // For the paths of cookies.
        self.url.set_path(target.path());
        self.url.set_query(target.query());
        self.target = Some(target);
        Ok(self)
    }

    /// Adds another value to the query each time it is sent, so that no cache has the answer.
    #[must_use]
    pub fn past_cache(mut self, is_past_cache: bool) -> Self {
        self.is_past_cache = is_past_cache;
        self
    }

    /// Sets the name in reports.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Builds the request. Fails when the URL does not convert to an HTTP URI.
    pub fn build(self) -> Result<Request, RequestError> {
        let Self { method, url, target, name, mut headers, cookies, body, is_past_cache } = self;
        let cannot = |source| RequestError::Uri { url: url.to_string(), source };

        if !cookies.is_empty() || headers.get_all(header::COOKIE).iter().count() > 1 {
            // In one line, as HTTP/1.1 wants it (RFC 6265, section 5.4).
            let typed = headers.get_all(header::COOKIE).iter().map(HeaderValue::as_bytes);
            let all = typed.chain(cookies.iter().map(String::as_bytes)).filter(|line| !line.is_empty());
            let joined = HeaderValue::try_from(all.collect::<Vec<_>>().join(&b"; "[..]));
            headers.insert(header::COOKIE, joined.map_err(|source| cannot(source.into()))?);
        }
        headers.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(USER_AGENT));
        headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static(ACCEPT));

        if body.is_empty() && matches!(method, Method::POST | Method::PUT | Method::PATCH) {
            // hyper leaves it out, and some servers then answer 411 (RFC 9110, section 8.6).
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }

        let authority = match headers.remove(header::HOST) {
            Some(host) => host,
            None => HeaderValue::try_from(authority(&url)).map_err(|source| cannot(source.into()))?,
        };
        // Servers and log readers expect Host first; a HeaderMap keeps the order of insertion.
        let mut with_host = HeaderMap::with_capacity(headers.len() + 2);
        with_host.insert(header::HOST, authority);
        with_host.extend(headers);
        let name = name.unwrap_or_else(|| format!("{method} {url}"));
        let request = Request::assembled(name, method, url, target, with_host, body)?;
        Ok(Request { is_past_cache, ..request })
    }
}

/// With a query value that no cache has seen; `None` if it becomes too long.
fn unseen(uri: &Uri) -> Option<Uri> {
    let target = uri.path_and_query()?;
    let mark = if target.query().is_some() { '&' } else { '?' };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = format!("{target}{mark}unladen={:016x}", fastrand::u64(..)).parse().ok();
    Uri::from_parts(parts).ok()
}

/// Host, with the port unless it is the scheme's default (RFC 9110, section 7.2).
fn authority(url: &Url) -> &str {
    &url[url::Position::BeforeHost..url::Position::AfterPort]
}

#[cfg(test)]
mod tests;
