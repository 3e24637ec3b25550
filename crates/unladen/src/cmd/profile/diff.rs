//! `unladen profile diff`: what a change moved, of two files or two pages.

use std::path::Path;

use unladen_load::{Cancel, LoadError};
use unladen_report::Ended;

use crate::cmd::profile::files::{self, Kept};
use crate::cmd::profile::how::How;
use crate::cmd::sending::Sending;
use crate::cmd::showing::Showing;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::Report;
use crate::profile::{self, Page};

use super::TOP;

/// What a change moved, function by function
///
/// Of two files, or of two URLs, whose requests are then sent in turns, in random order.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The baseline: a file of a profile, or a URL
    #[arg(value_name = "A")]
    a: String,
    /// The candidate
    #[arg(value_name = "B")]
    b: String,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    sending: Sending,
    #[command(flatten)]
    kept: Kept,
    /// How many functions to list
    #[arg(long, value_name = "N", default_value_t = TOP, help_heading = "What to show")]
    top: usize,
    #[command(flatten)]
    showing: Showing,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    args.showing.check()?;
    match (is_url(&args.a), is_url(&args.b)) {
        (true, true) => of_urls(&args),
        (false, false) => {
            let (a, b) = (files::read(Path::new(&args.a), None)?, files::read(Path::new(&args.b), None)?);
            let mut result = profile::diff_of(&a, &b)?;
            // Two of one script have one title.
            if a.about.title == b.about.title {
                result.diff.titles = [&args.a, &args.b].map(String::clone);
            }
            result.top = args.top;
            Ok(args.showing.show(Report::ProfileDiff(&result))?)
        }
        _ => Err(Failure::Usage(
            "two files, or two URLs: a file was made at another time than a page is profiled now".into(),
        )),
    }
}

fn of_urls(args: &Args) -> Result<(), Failure> {
    let options = args.how.resolve(args.showing.quiet)?;
    let folder = args.kept.folder()?;
    let pages = [Page::new(&args.sending, &args.a)?, Page::new(&args.sending, &args.b)?];
    let cancel = Cancel::new();
    interrupt::on_signal(&cancel).map_err(|source| LoadError::Thread { source })?;
    let (mut result, profiles) = profile::diff_urls(pages, &options, &cancel)?;
    result.top = args.top;
    if let Some(folder) = &folder {
        let [a, b] = [profile::slug(&args.a), profile::slug(&args.b)];
        let b = if a == b { format!("{b}-b") } else { b };
        for (profile, name) in profiles.iter().zip([&a, &b]) {
            result.written.extend(profile::write_native(profile, folder, name)?);
        }
        result.written.push(profile::write_flame_diff(&result.diff, folder, &format!("{a}-{b}"))?);
    }
    args.showing.show(Report::ProfileDiff(&result))?;
    let interrupted = |setup: &unladen_report::ProfileSetup| setup.ended == Ended::Interrupted;
    if result.setups.as_ref().is_some_and(|setups| setups.iter().any(interrupted)) {
        return Err(Failure::Interrupted { shown: true });
    }
    Ok(())
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
