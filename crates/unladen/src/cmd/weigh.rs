//! `unladen weigh`: the command line, and what it resolves to.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use unladen_load::{
    Cancel, ConnectTo, DriverConfig, Expect, Header, HttpVersion, LoadError, Request, RequestBuilder, Roots, Statuses,
    TlsOptions, UrlLine,
};
use unladen_probe::GroupBy;
use unladen_report::{Ended, format_named};

use crate::exit::Failure;
use crate::weigh::{Budget, Options, Outcome};
use crate::{interrupt, output, terminal, weigh};

/// What one request costs, by subsystem, on a live server
///
/// Requests run in some phases and pause in others, in random order; what the counters of all processes do in step with
/// them is caused by them. Nothing has to be configured. Other load on the server is fine: it widens the intervals.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    unladen weigh http://127.0.0.1:8080/index.php/Main_Page\n  \
    sudo unladen weigh --until 2% -H 'Cookie: session=…' https://wiki.example/\n  \
    unladen weigh --urls pages.txt --json > weights.json")]
pub(super) struct Args {
    /// The URL to weigh; several are weighed in one interleaved run, so that they compare
    #[arg(required_unless_present = "urls", value_name = "URL")]
    url: Vec<String>,
    /// A file of URLs: `[WEIGHT] [METHOD] URL [label]`, one a line
    #[arg(short = 'f', long, value_name = "FILE")]
    urls: Option<PathBuf>,

    /// How long to measure, such as 30s or 2min [default: 30s; with --until at most 5min]
    #[arg(short, long, value_name = "TIME", value_parser = humantime::parse_duration, help_heading = "How long")]
    time: Option<Duration>,
    /// How many requests to measure, of each URL; rounded up to whole blocks
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "time", help_heading = "How long")]
    requests: Option<u64>,
    /// Stop when the interval of the largest CPU weight is this narrow, such as 2%
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "How long")]
    until: Option<f64>,

    /// Requests under way at once
    #[arg(short, long, value_name = "N", default_value_t = 1, help_heading = "How to send")]
    concurrency: usize,
    /// Requests a second while requests run, instead of back to back
    #[arg(long, value_name = "RATE", help_heading = "How to send")]
    rate: Option<f64>,
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
    #[arg(long, value_name = "LIST", help_heading = "What to send")]
    expect_status: Option<String>,

    /// How processes are put together
    #[arg(long, value_name = "HOW", value_enum, default_value_t = By::Auto, help_heading = "How to measure")]
    group_by: By,
    /// Mean length of a phase [default: 500ms, or what the page and this machine need]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, help_heading = "How to measure")]
    phase: Option<Duration>,
    /// The part of a phase kept for work done after the last answer
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "100ms", help_heading = "How to measure")]
    settle: Duration,
    /// Repeats the plan of phases of an earlier run
    #[arg(long, value_name = "N", help_heading = "How to measure")]
    seed: Option<u64>,

    /// Write JSON instead of tables
    #[arg(long, help_heading = "What to show")]
    json: bool,
    /// Write the result to a file: JSON if it ends in .json, a picture in .svg, else tables; may be repeated
    #[arg(short, long, value_name = "FILE", help_heading = "What to show")]
    output: Vec<PathBuf>,
    /// No progress line
    #[arg(short, long, help_heading = "What to show")]
    quiet: bool,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// Systemd unit or container, else user and executable
    Auto,
    /// Control group
    Cgroup,
    /// User and executable
    Exe,
    /// User
    User,
    /// Each process
    Pid,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    let (json, files) = (args.json, args.output.clone());
    let options = args.resolve()?;
    files.iter().try_for_each(|file| output::check(file))?;
    let cancel = Cancel::new();
    interrupt::on_signal(&cancel).map_err(|source| LoadError::Thread { source })?;
    let Outcome { result, failure } = weigh::weigh(options, &cancel)?;

    let format = format_named(if json { "json" } else { "text" });
    let mut written = Ok(());
    if let Some(format) = format {
        written = output::to_stdout(format, &result, terminal::style());
    }
    for file in files {
        let name = match file.extension().and_then(|extension| extension.to_str()) {
            Some("json") => "json",
            Some("svg") => "svg",
            _ => "text",
        };
        if let Some(format) = format_named(name) {
            written = written.and(output::to_file(&file, format, &result));
        }
    }
    if written.is_err() {
        // A minute's measuring shall not be lost to a full disk.
        output::to_stderr(&result);
    }
    match failure {
        Some(failure) => Err(failure),
        None if result.ended == Ended::Interrupted => Err(Failure::Interrupted { shown: true }),
        None => written.map_err(Failure::from),
    }
}

// === impl Args ===

impl Args {
    /// From what was typed to what it means.
    fn resolve(self) -> Result<Options, Failure> {
        let requests = self.build_requests()?;
        let statuses: Statuses = self.expect_status.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let budget = Budget { time: self.time, requests: self.requests, until: self.until };
        let roots = self.cacert.map_or(Roots::System, Roots::Only);
        let connect_to = self.unix_socket.map(ConnectTo::Unix).or(self.connect_to.map(ConnectTo::Address));
        let driver = DriverConfig {
            connect_to,
            concurrency: self.concurrency,
            keep_alive: !self.no_keepalive,
            http: match self.http {
                Http::Auto => HttpVersion::Auto,
                Http::Http1 => HttpVersion::Http1,
                Http::Http2 => HttpVersion::Http2,
            },
            rate: self.rate,
            timeout: self.timeout,
            connect_timeout: self.timeout.min(Duration::from_secs(10)),
            tls: TlsOptions { roots, insecure: self.insecure, ..TlsOptions::default() },
            expect: Expect { statuses, ..Expect::default() },
            ..DriverConfig::new(requests)
        };
        Ok(Options {
            driver,
            budget,
            phase: self.phase,
            settle: self.settle,
            group_by: match self.group_by {
                By::Auto => GroupBy::Auto,
                By::Cgroup => GroupBy::Cgroup,
                By::Exe => GroupBy::Exe,
                By::User => GroupBy::User,
                By::Pid => GroupBy::Pid,
            },
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32)),
            quiet: self.quiet,
        })
    }

    fn build_requests(&self) -> Result<Vec<Request>, Failure> {
        let mut builders = Vec::new();
        for url in &self.url {
            builders.push(Request::get(url)?);
        }
        if let Some(file) = &self.urls {
            for line in UrlLine::read_list(file)? {
                builders.push(line.request()?);
            }
        }
        let body = self.data.as_deref().map(body).transpose()?;
        builders.into_iter().map(|builder| self.dress(builder, body.as_deref())).collect()
    }

    /// Gives a request what all of them carry.
    fn dress(&self, mut builder: RequestBuilder, body: Option<&[u8]>) -> Result<Request, Failure> {
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
}

fn body(data: &str) -> Result<Vec<u8>, Failure> {
    match data.strip_prefix('@') {
        Some(file) => {
            std::fs::read(file).map_err(|error| Failure::Usage(format!("cannot read the body from {file}: {error}")))
        }
        None => Ok(data.as_bytes().to_vec()),
    }
}

/// `2%` or `0.02`, as a share.
fn percent(text: &str) -> Result<f64, String> {
    let share = match text.strip_suffix('%') {
        Some(number) => number.trim().parse().map(|number: f64| number / 100.0),
        None => text.parse(),
    };
    match share {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a percentage above 0% and below 100%, such as 2%".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_and_shares_are_the_same() {
        assert_eq!(percent("2%"), Ok(0.02));
        assert_eq!(percent("0.02"), Ok(0.02));
        for wrong in ["2", "0%", "-1%", "100%", "x", "NaN", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
