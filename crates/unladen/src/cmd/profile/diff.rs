//! `unladen profile diff`: what a change moved between two files or two pages.

use std::path::Path;

use unladen_document::Written;
use unladen_profile::Profile;
use unladen_report::{ProfileDiff, Report};

use crate::cmd::keeping::KeepArgs;
use crate::cmd::profile::files::{Kept, Listed};
use crate::cmd::profile::how::{How, page_of};
use crate::cmd::sending::Sending;
use crate::cmd::showing::Showing;
use crate::exit::Failure;
use crate::interrupt;
use crate::profile::{self, Ran};
use crate::runs::Origin;

/// Show what a change moved, function by function
///
/// Compares two files, or two URLs, whose requests are then sent in turns, in random order.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The baseline: a profile file, or a URL
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
    #[command(flatten)]
    listed: Listed,
    #[command(flatten)]
    showing: Showing,
    #[command(flatten)]
    keep: KeepArgs,
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    args.showing.check(false)?;
    match (is_url(&args.a), is_url(&args.b)) {
        (true, true) => of_urls(&args, typed),
        (false, false) => {
            let read = |file: &String| unladen_profile::read(Path::new(file), None);
            let (a, b) = (read(&args.a)?, read(&args.b)?);
            let mut result = profile::diff_of(&a, &b)?;
            // Two profiles of one script have the same title.
            if a.about.title == b.about.title {
                (result.document.baseline, result.document.candidate) = (args.a.clone(), args.b.clone());
                result.diff.iter_mut().for_each(|diff| diff.titles = [args.a.clone(), args.b.clone()]);
            }
            result.top = args.listed.top;
            result.document.about.complete(Origin::of_file(typed).about());
            Ok(args.showing.show(Report::ProfileDiff(&result))?)
        }
        _ => Err(Failure::Usage(
            "expected two files or two URLs: a file and a URL would be profiled at different times".into(),
        )),
    }
}

fn of_urls(args: &Args, typed: &[String]) -> Result<(), Failure> {
    let options = args.how.resolve(args.showing.quiet)?;
    let folder = args.kept.folder()?;
    let pages = [page_of(&args.sending, &args.a)?, page_of(&args.sending, &args.b)?];
    let mut keeper = args.keep.clone().keeper(typed, args.showing.quiet)?;
    keeper.origin.set_seed(options.seed);
    let cancel = interrupt::on_signal()?;
    let Ran { result: (mut result, profiles), failure } = profile::diff_urls(pages, &options, &cancel)?;
    result.top = args.listed.top;
    let written = folder.map_or(Ok(Vec::new()), |folder| write(args, &folder, &result, &profiles));
    let written = written.map(|files| result.document.written = files);
    result.document.about.complete(keeper.origin.about());
    // Also if a file could not be written: the measurement is not lost.
    let shown = args.showing.show_and_keep(Report::ProfileDiff(&result), &keeper, || None);
    if let Some(failure) = failure {
        return Err(failure);
    }
    written?;
    shown
}

fn write(args: &Args, folder: &Path, result: &ProfileDiff, profiles: &[Profile; 2]) -> Result<Vec<Written>, Failure> {
    let [a, b] = [profile::slug(&args.a), profile::slug(&args.b)];
    let b = if a == b { format!("{b}-b") } else { b };
    let mut written = Vec::new();
    for (profile, name) in profiles.iter().zip([&a, &b]) {
        written.extend(profile::write_native(profile, folder, name)?);
    }
    if let Some(diff) = &result.diff {
        written.push(profile::write_flame_diff(diff, folder, &format!("{a}-{b}"))?);
    }
    Ok(written)
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
