//! `unladen serve`: the proxy.

use std::path::PathBuf;

use crate::exit::Failure;
use crate::serve;

/// Stand beside an application: take its calls, and keep the connections to where they go
///
/// An application calls 127.0.0.1 or a Unix socket in plain HTTP; Unladen sends that on over connections that it keeps: encrypted and
/// verified, HTTP/2 where the upstream offers it, with limits, retries that are safe, and a breaker. SIGTERM stops when all is answered,
/// SIGHUP (or a change of the file) reads the configuration again, SIGUSR2 hands over to a new process; no request is lost by any of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  unladen serve --config /etc/unladen.toml
  unladen serve --config unladen.toml --check        # 2 if it is wrong, with every mistake and its place
  unladen serve --config unladen.toml --explain      # every value, where it comes from, and why

A configuration:
  [[beside]]
  name = \"search\"
  listen = \"127.0.0.1:6102\"          # or \"unix:/run/unladen/search.sock\"
  upstream = \"https://search.example:9243\"

docs/serve.md describes all of it.")]
pub(super) struct Args {
    /// The configuration, TOML
    #[arg(long, short, value_name = "FILE")]
    config: PathBuf,
    /// Serve nothing: tell whether the configuration is right, and what is doubtful
    #[arg(long)]
    check: bool,
    /// Serve nothing: print every value, where it comes from, and the reason of each default; it is a configuration itself
    #[arg(long, conflicts_with = "check")]
    explain: bool,
    /// With --check or --explain, write JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    match args {
        Args { check: true, .. } => serve::check(&args.config, args.json),
        Args { explain: true, .. } => serve::explain(&args.config, args.json),
        Args { json: true, .. } => {
            Err(Failure::Usage("--json is for --check or --explain: serving itself shows nothing".to_owned()))
        }
        _ => serve::serve(&args.config),
    }
}
