//! The principal type is [`Sending`]: the part of the command line that says what is sent, and how, for all commands that send.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use unladen_load::{
    BodyText, ConnectTo, DriverConfig, Expect, Header, HttpVersion, Request, RequestBuilder, Roots, Statuses,
    TlsOptions, UrlLine,
};

use unladen_prove::Load;

use crate::exit::Failure;

/// How long a request may take, unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug, clap::Args)]
pub(super) struct Sending {
    /// Open a new connection for each request
    #[arg(long, help_heading = "How to send")]
    no_keepalive: bool,
    /// Version of HTTP
    #[arg(long, value_name = "VERSION", value_enum, default_value_t = Http::Auto, help_heading = "How to send")]
    http: Http,
    /// Connect to this Unix socket instead of the URL's host
    #[arg(long, value_name = "PATH", conflicts_with = "connect_to", help_heading = "How to send")]
    unix_socket: Option<PathBuf>,
    /// Connect to this address instead of the URL's host
    #[arg(long, value_name = "IP:PORT", help_heading = "How to send")]
    connect_to: Option<SocketAddr>,
    /// How long a request may take
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "30s", help_heading = "How to send")]
    timeout: Duration,
    /// Accept any TLS certificate
    #[arg(short = 'k', long, help_heading = "How to send")]
    insecure: bool,
    /// Trust the certificates in this PEM file alone
    #[arg(long, value_name = "FILE", help_heading = "How to send")]
    cacert: Option<PathBuf>,

    /// Method [default: GET, or POST with --data]
    #[arg(short = 'X', long, value_name = "METHOD", help_heading = "What to send")]
    method: Option<String>,
    /// A header, `Name: value`; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER", help_heading = "What to send")]
    header: Vec<String>,
    /// A cookie, `name=value`; may be repeated
    #[arg(short = 'b', long, value_name = "COOKIE", help_heading = "What to send")]
    cookie: Vec<String>,
    /// The body; @FILE reads it from a file
    #[arg(short = 'd', long, value_name = "BODY", help_heading = "What to send")]
    data: Option<String>,
    /// Statuses that are fine, such as 200-299,304 [default: 200-299]
    #[arg(long, value_name = "LIST", help_heading = "What to expect")]
    expect_status: Option<String>,
    /// A text that each body must hold, as it comes
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

/// A request, and how often it is sent, against the others.
pub(super) struct Weighted {
    pub(super) request: Request,
    pub(super) weight: f64,
}

// === impl Sending ===

impl Sending {
    /// The requests of URLs on the command line, and of a list.
    pub(super) fn requests(&self, urls: &[String], list: Option<&Path>) -> Result<Vec<Weighted>, Failure> {
        let body = self.body()?;
        let mut requests = Vec::new();
        for url in urls {
            requests.push(Weighted { request: self.dress(Request::get(url)?, body.as_deref())?, weight: 1.0 });
        }
        if let Some(file) = list {
            for line in UrlLine::read_list(file)? {
                let request = self.dress(line.request()?, body.as_deref())?;
                requests.push(Weighted { request, weight: line.weight });
            }
        }
        Ok(requests)
    }

    /// How they are sent, one at a time and without a rate.
    pub(super) fn driver(&self, requests: Vec<Request>) -> Result<DriverConfig, Failure> {
        let statuses: Statuses = self.expect_status.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let roots = self.cacert.clone().map_or(Roots::System, Roots::Only);
        let connect_to = self.unix_socket.clone().map(ConnectTo::Unix).or(self.connect_to.map(ConnectTo::Address));
        Ok(DriverConfig {
            connect_to,
            keep_alive: !self.no_keepalive,
            http: match self.http {
                Http::Auto => HttpVersion::Auto,
                Http::Http1 => HttpVersion::Http1,
                Http::Http2 => HttpVersion::Http2,
            },
            timeout: self.timeout,
            connect_timeout: self.timeout.min(Duration::from_secs(10)),
            tls: TlsOptions { roots, insecure: self.insecure, ..TlsOptions::default() },
            expect: Expect { statuses, body: self.expect_body.as_deref().map(BodyText::new), same: self.expect_same },
            ..DriverConfig::new(requests)
        })
    }

    /// Gives a request what all of them carry.
    pub(super) fn dress(&self, mut builder: RequestBuilder, body: Option<&[u8]>) -> Result<Request, Failure> {
        if let Some(method) = self.method.as_deref().or(body.map(|_| "POST")) {
            builder = builder.method(method)?;
        }
        for header in &self.header {
            builder = builder.header(header.parse::<Header>()?);
        }
        for cookie in &self.cookie {
            builder = builder.cookie(cookie)?;
        }
        if let Some(body) = body {
            builder = builder.body(body.to_vec());
        }
        Ok(builder.build()?)
    }

    /// Puts it into the load of an experiment.
    pub(super) fn fill(&self, load: &mut Load) -> Result<(), Failure> {
        if self.unix_socket.is_some() || self.connect_to.is_some() {
            return Err(Failure::Usage("an experiment connects to the hosts of its URLs: give those".into()));
        }
        // Made of a URL that is never asked, to have the rest read as for any other command.
        let config = self.driver(vec![Request::get("http://localhost/")?.build()?])?;
        load.keep_alive = config.keep_alive;
        load.http = config.http;
        load.timeout = config.timeout;
        load.tls = config.tls;
        load.expect = config.expect;
        load.cookies = self.cookie.clone();
        load.headers = self.header.iter().map(|header| header.parse()).collect::<Result<_, _>>()?;
        let body = self.body()?;
        let method = self.method.clone().or(body.as_ref().map(|_| "POST".to_owned()));
        if let Some(method) = method {
            let read = method.parse();
            load.method =
                Some(read.map_err(|_| Failure::Usage(format!("`{method}` is no method: expected GET, POST, …")))?);
        }
        if let Some(body) = body {
            load.body = String::from_utf8(body).map_err(|_| Failure::Usage("the body is no UTF-8 text".into()))?;
        }
        Ok(())
    }

    /// Whether any of it was given.
    pub(super) fn is_given(&self) -> bool {
        let texts = [&self.method, &self.data, &self.expect_status, &self.expect_body];
        self.no_keepalive
            || !matches!(self.http, Http::Auto)
            || self.unix_socket.is_some()
            || self.connect_to.is_some()
            || self.timeout != TIMEOUT
            || self.insecure
            || self.cacert.is_some()
            || !self.header.is_empty()
            || !self.cookie.is_empty()
            || texts.iter().any(|text| text.is_some())
            || self.expect_same
    }

    fn body(&self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(data) = &self.data else { return Ok(None) };
        let Some(file) = data.strip_prefix('@') else { return Ok(Some(data.as_bytes().to_vec())) };
        let read = std::fs::read(file);
        read.map(Some).map_err(|error| Failure::Usage(format!("cannot read the body from {file}: {error}")))
    }
}
