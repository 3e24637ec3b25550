//! `unladen doctor`: what works here and what does not.

use unladen_load::Request;

use crate::doctor::{Verdict, document, examine, text, worst};
use crate::exit::Failure;
use crate::runs::{Origin, headed};
use crate::{output, terminal};

/// Check what works on this machine, and print the commands that fix the rest
///
/// It changes nothing, and takes less than two seconds; with a URL, a few requests are sent to it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sudo unladen doctor
  sudo unladen doctor http://127.0.0.1/
  unladen doctor --json | jq '.checks[] | select(.verdict == \"missing\")'

The exit code is 0 if nothing is missing, and 13 if something is missing that a command needs.
docs/reference/doctor.md, in share/doc/unladen or the source, explains each check.")]
pub(super) struct Args {
    /// A page to check: whether it can be reached, and which processes serve it
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Write JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, typed: &[String]) -> Result<(), Failure> {
    let page =
        args.url.as_deref().map(|url| Request::get(url).and_then(unladen_load::RequestBuilder::build)).transpose()?;
    let checked = examine(page);
    let told = match args.json {
        true => format!("{:#}", headed(document(&checked), &Origin::of_words(typed).about())),
        false => text(&checked, terminal::style()),
    };
    output::line(told.trim_end())?;
    match worst(&checked) {
        Verdict::Missing => Err(Failure::Lacking),
        Verdict::Ok | Verdict::Limited => Ok(()),
    }
}
