//! `unladen serve`: the proxy.

use std::path::{Path, PathBuf};

use unladen_load::{Header, Request};
use unladen_serve::Asking;

use crate::cmd::values::cookies_of;
use crate::exit::Failure;
use crate::serve;

/// Serve: a proxy in front of an application, with a cache and TLS, and beside it, for the calls that it makes itself
///
/// [[site]] in the configuration is a site: Unladen takes its clients' requests, by TLS and HTTP/2 too, answers what it
/// keeps and may answer, and asks the application for the rest. [[outbound]] is another service that the application
/// calls: it asks Unladen at 127.0.0.1 or a Unix socket in plain HTTP, and Unladen sends that on over connections that
/// it keeps, encrypted and verified, with limits, safe retries and a circuit breaker. With [admin], it shows a live
/// page, metrics for Prometheus, and takes what `unladen purge` says.
///
/// Instead of serving: --check tells what is wrong with the configuration, --explain every value and its reason,
/// --check --connect whether everything can be connected to, --check --url what becomes of one request.
///
/// Signals: SIGTERM and SIGINT stop it when all requests under way are answered (a second one at once); SIGHUP, or a
/// change of the file or of a certificate, reads the configuration again; SIGUSR2 hands over to a new process, such as
/// another version. None of them loses a request.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  unladen serve /etc/unladen.toml
  unladen serve unladen.toml --check      # 2 if it is wrong, with every mistake
  unladen serve unladen.toml --check --connect      # 3 if something cannot be used
  unladen serve unladen.toml --explain    # every value, and why
  unladen serve unladen.toml --check --url https://site.example/news/ -b session=1
  kill -HUP $(pidof unladen)              # read the configuration again

A configuration:
  [[site]]
  name = \"shop\"
  listen = \"127.0.0.1:8080\"
  upstream = \"http://127.0.0.1:8000\"

  [[outbound]]
  name = \"search\"
  listen = \"127.0.0.1:6102\"             # or \"unix:/run/unladen/search.sock\"
  upstream = \"https://search.example:9243\"

  [admin]
  listen = \"127.0.0.1:9901\"             # http://127.0.0.1:9901/ is the live page

docs/reference/serve.md, in the source, describes all of it; so does `unladen serve FILE --explain`.")]
pub(super) struct Args {
    /// The configuration, TOML
    #[arg(value_name = "FILE", required_unless_present = "config", conflicts_with = "config")]
    file: Option<PathBuf>,
    /// The same as FILE
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Serve nothing: tell whether the configuration is right, and what is doubtful
    #[arg(long)]
    check: bool,
    /// Serve nothing: print every value, where it comes from, and the reason of each default; it is a configuration
    /// itself
    #[arg(long, conflicts_with = "check")]
    explain: bool,
    /// With --check: tell what answers this URL, whether its page is kept, for whom and how long, and why not
    #[arg(long, value_name = "URL", requires = "check")]
    url: Option<String>,
    /// With --url: a header of the request, `Name: value`; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER", requires = "url")]
    header: Vec<String>,
    /// With --url: a cookie of the request, `name=value`; may be repeated
    #[arg(short = 'b', long, value_name = "COOKIE", requires = "url")]
    cookie: Vec<String>,
    /// With --check: connect to each upstream and each validator's database, and tell what came of it (3 if one fails);
    /// with --url instead, ask the validator and the application of that page, once, and tell what becomes of the
    /// answer
    #[arg(long, requires = "check")]
    connect: bool,
    /// With --check or --explain, write JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let file = args.file.as_deref().or(args.config.as_deref()).unwrap_or(Path::new(""));
    match args {
        Args { check: true, .. } => {
            serve::check(file, args.asking()?.as_ref(), args.connect && args.url.is_none(), args.json)
        }
        Args { explain: true, .. } => serve::explain(file, args.json),
        Args { json: true, .. } => {
            Err(Failure::Usage("--json is for --check or --explain: serving itself shows nothing".to_owned()))
        }
        _ => serve::serve(file),
    }
}

// === impl Args ===

impl Args {
    /// The request of which is told what becomes of it.
    fn asking(&self) -> Result<Option<Asking>, Failure> {
        let Some(url) = &self.url else { return Ok(None) };
        let mut builder = Request::get(url)?;
        let cookies: Vec<&str> = self.cookie.iter().flat_map(|cookies| cookies_of(cookies)).collect();
        for cookie in &cookies {
            builder = builder.cookie(cookie)?;
        }
        let request = builder.build()?;
        let mut fields = Vec::new();
        for header in &self.header {
            let header: Header = header.parse()?;
            fields.push((header.name().as_str().to_owned(), header.value().as_bytes().to_vec()));
        }
        if !cookies.is_empty() {
            fields.push(("cookie".to_owned(), cookies.join("; ").into_bytes()));
        }
        Ok(Some(Asking { url: request.url().clone(), fields, connect: self.connect }))
    }
}
