//! The principal type is [`Sending`]: options of all sending commands that say what is sent, and how.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use unladen_load::{
    BodyText, ConnectTo, DriverConfig, Expect, Header, HttpVersion, Request, RequestBuilder, Roots, Statuses,
    TlsOptions, UrlList,
};

use unladen_load::{ClientIdentity, time_of};
use unladen_prove::Load;

use crate::carried::basic;
use crate::cmd::values::{address, cookies_of};
use crate::exit::Failure;
use crate::say::say;

const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug, clap::Args)]
pub(super) struct Sending {
    /// Open a new connection for each request
    #[arg(long, help_heading = "How to send")]
    no_keepalive: bool,
    /// Do not send back cookies that answers set: each request comes from a new visitor, for whom an application may
    /// start a session
    #[arg(long, help_heading = "How to send")]
    no_cookies: bool,
    /// The version of HTTP
    #[arg(long, value_name = "VERSION", value_enum, default_value_t = Http::Auto, help_heading = "How to send")]
    http: Http,
    /// As curl's: --http 1.1
    #[arg(long = "http1.1", hide = true, conflicts_with_all = ["http", "http2"])]
    http1: bool,
    /// As curl's: --http 2
    #[arg(long, hide = true, visible_alias = "http2-prior-knowledge", conflicts_with = "http")]
    http2: bool,
    /// As curl's; refused, with what to do instead
    #[arg(short = '0', long = "http1.0", hide = true)]
    http10: bool,
    /// As curl's; refused, with what to do instead
    #[arg(short = 'L', long, hide = true)]
    location: bool,
    /// Connect to this Unix socket instead of the URL's host
    #[arg(long, value_name = "PATH", conflicts_with = "connect_to", help_heading = "How to send")]
    unix_socket: Option<PathBuf>,
    /// Connect to this address instead of the URL's host
    #[arg(long, value_name = "IP:PORT", value_parser = address, help_heading = "How to send")]
    connect_to: Option<SocketAddr>,
    /// How long a request may take
    #[arg(long, short_alias = 'm', alias = "max-time", value_name = "TIME", value_parser = time_of, default_value = "30s", help_heading = "How to send")]
    timeout: Duration,
    /// Accept any TLS certificate
    #[arg(short = 'k', long, help_heading = "How to send")]
    insecure: bool,
    /// Trust only the certificates in this PEM file
    #[arg(long, value_name = "FILE", help_heading = "How to send")]
    cacert: Option<PathBuf>,
    /// A client certificate, PEM, for servers that ask for one
    #[arg(short = 'E', long, value_name = "FILE", help_heading = "How to send")]
    cert: Option<PathBuf>,
    /// Its key, PEM, unless it is in the same file
    #[arg(long, value_name = "FILE", requires = "cert", help_heading = "How to send")]
    key: Option<PathBuf>,

    /// Method [default: GET, or POST with --data]
    #[arg(short = 'X', long, alias = "request", value_name = "METHOD", help_heading = "What to send")]
    method: Option<String>,
    /// A header, `Name: value`; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER", help_heading = "What to send")]
    header: Vec<String>,
    /// Log in with HTTP Basic authentication, in the header `Authorization`
    #[arg(short, long, value_name = "USER:PASSWORD", help_heading = "What to send")]
    user: Option<String>,
    /// The header `User-Agent`
    #[arg(short = 'A', long, value_name = "AGENT", help_heading = "What to send")]
    user_agent: Option<String>,
    /// A cookie, `name=value`, or several, `a=1; b=2`; may be repeated
    #[arg(short = 'b', long, value_name = "COOKIE", help_heading = "What to send")]
    cookie: Vec<String>,
    /// The body, sent with POST (unless a line of --urls names a method), as a form (Content-Type:
    /// application/x-www-form-urlencoded) unless -H sets another type; @FILE reads it from a file
    #[arg(short = 'd', long, alias = "data-binary", value_name = "BODY", help_heading = "What to send")]
    data: Option<String>,
    /// Like --data, but a body that begins with @ is sent as it is
    #[arg(long, value_name = "BODY", conflicts_with = "data", help_heading = "What to send")]
    data_raw: Option<String>,
    /// Expected statuses, such as 200-299,304 [default: 200-299]
    #[arg(long, value_name = "LIST", help_heading = "What to expect")]
    expect_status: Option<String>,
    /// A text that each body must contain, before it is unpacked
    #[arg(long, value_name = "TEXT", help_heading = "What to expect")]
    expect_body: Option<String>,
    /// Each answer must be the same as the first one to the same request
    #[arg(long, help_heading = "What to expect")]
    expect_same: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Http {
    /// What the server prefers over TLS, else 1.1
    Auto,
    #[value(name = "1.1")]
    Http1,
    #[value(name = "2")]
    Http2,
}

pub(super) struct Weighted {
    pub(super) request: Request,
    pub(super) weight: f64,
}

impl Sending {
    pub(super) fn requests(&self, urls: &[String], list: Option<&Path>) -> Result<Vec<Weighted>, Failure> {
        let body = self.body()?;
        self.doubt();
        let mut requests = Vec::new();
        for url in urls {
            if Path::new(url).is_file() {
                let said =
                    "is a file, and a URL is expected: --urls reads a list of URLs, `unladen prove` an experiment";
                return Err(Failure::Usage(format!("{url} {said}")));
            }
            requests.push(Weighted { request: self.dress(Request::get(url)?, body.as_deref())?, weight: 1.0 });
        }
        if let Some(file) = list {
            let list = UrlList::read(file)?;
            list.remark().into_iter().for_each(|remark| say!("unladen: {remark}"));
            for line in list.lines {
                let weight = line.weight;
                let builder = self.dressed(line.request()?, body.as_deref(), line.is_method_named)?;
                requests.push(Weighted { request: builder.build()?, weight });
            }
        }
        Ok(requests)
    }

    /// How they are sent: one at a time, without a rate.
    pub(super) fn driver(&self, requests: Vec<Request>) -> Result<DriverConfig, Failure> {
        self.refuse()?;
        let statuses: Statuses = self.expect_status.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let roots = self.cacert.clone().map_or(Roots::System, Roots::Only);
        let identity = self.cert.clone().map(|certificate| ClientIdentity { certificate, key: self.key.clone() });
        let connect_to = self.unix_socket.clone().map(ConnectTo::Unix).or(self.connect_to.map(ConnectTo::Address));
        Ok(DriverConfig {
            connect_to,
            keep_alive: !self.no_keepalive,
            keep_cookies: !self.no_cookies,
            http: match self.http {
                _ if self.http1 => HttpVersion::Http1,
                _ if self.http2 => HttpVersion::Http2,
                Http::Auto => HttpVersion::Auto,
                Http::Http1 => HttpVersion::Http1,
                Http::Http2 => HttpVersion::Http2,
            },
            timeout: self.timeout,
            connect_timeout: self.timeout.min(Duration::from_secs(10)),
            tls: TlsOptions { roots, insecure: self.insecure, identity, ..TlsOptions::default() },
            expect: Expect { statuses, body: self.expect_body.as_deref().map(BodyText::new), same: self.expect_same },
            ..DriverConfig::new(requests)
        })
    }

    pub(super) fn dress(&self, builder: RequestBuilder, body: Option<&[u8]>) -> Result<Request, Failure> {
        Ok(self.dressed(builder, body, false)?.build()?)
    }

    /// Like [`Self::dress`]. Only -X replaces a method that was named beforehand.
    fn dressed(
        &self,
        mut builder: RequestBuilder,
        body: Option<&[u8]>,
        is_method_named: bool,
    ) -> Result<RequestBuilder, Failure> {
        let of_body = body.filter(|_| !is_method_named).map(|_| "POST");
        if let Some(method) = self.method.as_deref().or(of_body) {
            builder = builder.method(method)?;
        }
        for header in self.headers()? {
            builder = builder.header(header);
        }
        for cookie in self.cookies() {
            builder = builder.cookie(cookie)?;
        }
        if let Some(body) = body {
            builder = builder.body(body.to_vec());
        }
        Ok(builder)
    }

    pub(super) fn fill(&self, load: &mut Load) -> Result<(), Failure> {
        if self.unix_socket.is_some() || self.connect_to.is_some() {
            return Err(Failure::Usage("an experiment connects to the hosts of its URLs: change the URLs".into()));
        }
        // From a URL that is never requested, so that the rest is read as for any other command.
        let config = self.driver(vec![Request::get("http://localhost/")?.build()?])?;
        load.keep_alive = config.keep_alive;
        load.keep_cookies = config.keep_cookies;
        load.http = config.http;
        load.timeout = config.timeout;
        load.tls = config.tls;
        load.expect = config.expect;
        load.cookies = self.cookies().map(str::to_owned).collect();
        load.headers = self.headers()?;
        self.doubt();
        let body = self.body()?;
        let method = self.method.clone().or(body.as_ref().map(|_| "POST".to_owned()));
        if let Some(method) = method {
            let read = method.parse();
            load.method =
                Some(read.map_err(|_| Failure::Usage(format!("`{method}` is not a method: expected GET, POST, …")))?);
        }
        if let Some(body) = body {
            load.body = String::from_utf8(body).map_err(|_| Failure::Usage("the body is not UTF-8 text".into()))?;
        }
        Ok(())
    }

    pub(super) fn is_given(&self) -> bool {
        let texts = [
            &self.method,
            &self.data,
            &self.data_raw,
            &self.user,
            &self.user_agent,
            &self.expect_status,
            &self.expect_body,
        ];
        let flags = self.no_keepalive || self.no_cookies || self.http1 || self.http2 || self.http10 || self.location;
        let is_tls_given = self.insecure || self.cacert.is_some() || self.cert.is_some();
        flags
            || is_tls_given
            || !matches!(self.http, Http::Auto)
            || self.unix_socket.is_some()
            || self.connect_to.is_some()
            || self.timeout != TIMEOUT
            || !self.header.is_empty()
            || !self.cookie.is_empty()
            || texts.iter().any(|text| text.is_some())
            || self.expect_same
    }

    /// The cookies; like curl, one option may hold several.
    fn cookies(&self) -> impl Iterator<Item = &str> {
        self.cookie.iter().flat_map(|cookies| cookies_of(cookies))
    }

    fn headers(&self) -> Result<Vec<Header>, Failure> {
        let mut headers = Vec::new();
        let typed = self.header.iter().map(|header| header.parse()).collect::<Result<Vec<Header>, _>>()?;
        let is_typed = |name: &str| typed.iter().any(|header| header.name().as_str() == name);
        let (is_authorized, is_of_type) = (is_typed("authorization"), is_typed("content-type"));
        // It may be a token, so it is not shown.
        if self.user.as_ref().is_some_and(|user| !user.contains(':')) {
            return Err(Failure::Usage(
                "-u: expected USER:PASSWORD, such as -u joe:secret (-u joe: for an empty password); for a token, use \
                 -H 'Authorization: Bearer …'"
                    .into(),
            ));
        }
        // As curl: the header wins.
        if let Some(user) = self.user.as_ref().filter(|_| !is_authorized) {
            headers.push(basic(user.as_bytes()).parse()?);
        }
        if let Some(agent) = &self.user_agent {
            headers.push(format!("User-Agent: {agent}").parse()?);
        }
        headers.extend(typed);
        if (self.data.is_some() || self.data_raw.is_some()) && !is_of_type {
            // As curl: PHP fills $_POST from nothing else.
            headers.push("Content-Type: application/x-www-form-urlencoded".parse()?);
        }
        Ok(headers)
    }

    /// Refuses curl options that mean something not done here.
    fn refuse(&self) -> Result<(), Failure> {
        if self.location {
            return Err(Failure::Usage(
                "-L: redirects are not followed, because each would be another request; give the final URL, which \
                 `curl -sLo /dev/null -w '%{url_effective}\\n' URL` prints"
                    .into(),
            ));
        }
        if self.http10 {
            return Err(Failure::Usage(
                "-0: HTTP/1.0 is not supported; for HTTP/1.1 with a connection for each request, use --http 1.1 \
                 --no-keepalive"
                    .into(),
            ));
        }
        Ok(())
    }

    /// Warns of what is probably not meant: `-d 10` is a time for wrk and k6, but a body here, as for curl.
    fn doubt(&self) {
        if let Some(data) = self.data.as_deref().filter(|data| !data.is_empty() && time_of(data).is_ok()) {
            say!(
                "unladen: warning: -d {data} sends the body `{data}` by POST, as curl does; if you meant a time, use \
                 -t {data}"
            );
        }
    }

    fn body(&self) -> Result<Option<Vec<u8>>, Failure> {
        if let Some(data) = &self.data_raw {
            return Ok(Some(data.as_bytes().to_vec()));
        }
        let Some(data) = &self.data else { return Ok(None) };
        let Some(file) = data.strip_prefix('@') else { return Ok(Some(data.as_bytes().to_vec())) };
        let read = std::fs::read(file);
        read.map(Some).map_err(|error| Failure::Usage(format!("cannot read the body from {file}: {error}")))
    }
}
