//! `unladen serve`: the proxy.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use unladen_load::{Header, Request};
use unladen_serve::Asking;
use unladen_serve_config::presets::STARTERS;

use crate::cmd::values::{admin_address, cookies_of};
use crate::exit::Failure;
use crate::serve::{self, Place, SiteOptions, Source};

/// Run the proxy: in front of an application, with a cache and TLS, and for the calls that the application makes
///
/// [[site]] in the configuration is a site: Unladen accepts its clients' requests, also with TLS and HTTP/2, answers
/// from its cache what it may, and asks the application for the rest. [[outbound]] is another service that the
/// application calls: the application calls Unladen at 127.0.0.1 or a Unix socket in plain HTTP, and Unladen forwards
/// the call over connections that it keeps, encrypted and verified, with limits, safe retries and a circuit breaker.
/// With [admin], it serves a live page, metrics for Prometheus, and takes the commands of `unladen purge`.
///
/// Without a file, options describe one site: --listen is the address that clients call, --to the application, or --root
/// the folder of files, with --php the server that runs its scripts. --explain then prints the same as a file. --init
/// writes a file to start from.
///
/// Instead of serving: --check reports what is wrong with the configuration, --explain prints every value and its
/// reason, --check --connect tries all connections, --check --url shows how one request would be answered.
///
/// Signals: SIGTERM and SIGINT stop it when all running requests are answered (a second one stops it at once); SIGHUP,
/// or a change of the file or of a certificate, makes it read the configuration again; SIGUSR2 hands over to a new
/// process, such as another version. None of them loses a request.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  unladen serve /etc/unladen.toml
  unladen serve unladen.toml --check      # lists every mistake; exit code 2 if there is one
  unladen serve unladen.toml --check --connect      # exit code 3 if something cannot be reached
  unladen serve unladen.toml --explain    # every value and its reason
  unladen serve unladen.toml --check --url https://site.example/news/ -b session=1
  kill -HUP $(pidof unladen)              # read the configuration again
  unladen serve --listen :8080 --to http://127.0.0.1:8000      # without a file
  unladen serve --listen :8080 --root . --php /run/php/php8.2-fpm.sock --preset wordpress
  unladen serve --init wordpress /etc/unladen.toml      # a file to start from
  unladen serve --health /etc/unladen.toml     # exit code 0 if it is ready, else 1

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

docs/reference/serve.md, in share/doc/unladen or the source, describes it; `unladen man unladen.toml` lists all keys.")]
pub(super) struct Args {
    /// The configuration, TOML
    #[arg(value_name = "FILE", required_unless_present_any = ["config", "listen", "root", "php", "to", "acme", "init", "health"])]
    #[arg(conflicts_with_all = ["config", "listen", "root", "php", "to", "acme"])]
    file: Option<PathBuf>,
    /// The same as FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["listen", "root", "php", "to", "acme"])]
    config: Option<PathBuf>,
    #[command(flatten)]
    site: SiteOptions,
    /// Write a configuration to start from, to standard output or to FILE, which must not exist yet
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(STARTERS.iter().map(|one| one.name)))]
    #[arg(conflicts_with_all = ["config", "check", "explain", "listen", "root", "php", "to", "acme", "preset", "hosts"])]
    init: Option<String>,
    /// Do not serve: report the configuration's mistakes and doubtful settings
    #[arg(long)]
    check: bool,
    /// Do not serve: print every value, where it comes from, and the reason of each default, as a valid configuration
    #[arg(long, conflicts_with = "check")]
    explain: bool,
    /// Do not serve: exit with 0 if the running process is ready, else 1, for health checks; it is asked at ADDRESS,
    /// such as 127.0.0.1:9901, or at the admin address of FILE
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["check", "explain", "init", "listen", "root", "php", "to", "acme"])]
    health: Option<String>,
    /// With --health: ask whether it is alive, not whether it is ready
    #[arg(long, requires = "health")]
    live: bool,
    /// With --check: show what answers this URL, whether its page is kept, for whom and how long, or why not
    #[arg(long, value_name = "URL", requires = "check")]
    url: Option<String>,
    /// With --url: a header of the request, `Name: value`; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER", requires = "url")]
    header: Vec<String>,
    /// With --url: a cookie of the request, `name=value`; may be repeated
    #[arg(short = 'b', long, value_name = "COOKIE", requires = "url")]
    cookie: Vec<String>,
    /// With --check: connect to each upstream and each validator's database, and report the result (exit code 3 if one
    /// fails); with --url instead, ask the validator and the application of that page once, and show what happens to
    /// the answer
    #[arg(long, requires = "check")]
    connect: bool,
    /// With --check or --explain, write JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(name) = &args.init {
        return serve::write_starter(name, args.file.as_deref());
    }
    if let Some(place) = &args.health {
        return args.health(place);
    }
    let source = args.source();
    match args {
        Args { check: true, .. } => {
            serve::check(&source, args.asking()?.as_ref(), args.connect && args.url.is_none(), args.json)
        }
        Args { explain: true, .. } => serve::explain(&source, args.json),
        Args { json: true, .. } => Err(Failure::Usage("--json needs --check or --explain".to_owned())),
        _ => serve::serve(&source),
    }
}

impl Args {
    fn health(&self, place: &str) -> Result<(), Failure> {
        let file = self.file.as_ref().or(self.config.as_ref());
        match (place, file) {
            ("", Some(file)) => serve::health(Place::File(file), self.live),
            ("", None) => Err(Failure::Usage(
                "--health needs the admin address, or the configuration of `unladen serve`".to_owned(),
            )),
            (_, Some(_)) => Err(Failure::Usage(format!("--health {place} and a configuration: give only one of them"))),
            (place, None) => {
                let address = admin_address(place).map(Place::Address);
                serve::health(address.unwrap_or(Place::File(Path::new(place))), self.live)
            }
        }
    }

    fn source(&self) -> Source {
        if let Some(file) = self.file.as_ref().or(self.config.as_ref()) {
            return Source::File(file.clone());
        }
        Source::Options(self.site.clone())
    }

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
