//! [`profile()`] and [`diff_urls`]: they have pages profiled.

use std::time::Instant;

use unladen_load::Cancel;
use unladen_profile::{MIN_REQUESTS, Profile};
use unladen_report::{Ended, ProfileDiff, Profiled};

use crate::exit::Failure;
use crate::profile::options::{Budget, Options, Page};
use crate::profile::result;
use crate::profile::session::{Measured, Session};
use crate::progress::Progress;

/// Profiles a page.
///
/// # Errors
/// When it cannot be profiled. What ends it after enough requests for intervals is a note of the result.
pub(crate) fn profile(page: Page, options: &Options, cancel: &Cancel) -> Result<Profiled, Failure> {
    let progress = Progress::new(options.quiet);
    let mut sessions = [Session::open(page, options, cancel, &progress)?];
    let (ended, note) = steps(&mut sessions, options, cancel, &progress)?;
    progress.say("reading what the profiler saw");
    let [session] = sessions;
    let mut measured = session.finish(options, ended)?;
    measured.notes.extend(note);
    progress.say("adding up");
    let result = result::of_page(measured);
    progress.clear();
    Ok(result)
}

/// Profiles two pages in turns, and compares them.
///
/// # Errors
/// As [`profile()`].
pub(crate) fn diff_urls(
    pages: [Page; 2],
    options: &Options,
    cancel: &Cancel,
) -> Result<(ProfileDiff, [Profile; 2]), Failure> {
    let progress = Progress::new(options.quiet);
    let [a, b] = pages;
    let mut sessions = [Session::open(a, options, cancel, &progress)?, Session::open(b, options, cancel, &progress)?];
    let (ended, note) = steps(&mut sessions, options, cancel, &progress)?;
    progress.say("reading what the profilers saw");
    let [a, b] = sessions;
    let (a, b): (Measured, Measured) = (a.finish(options, ended)?, b.finish(options, ended)?);
    progress.say("comparing");
    let mut result = result::diff_of(&a.profile, &b.profile)?;
    result.notes.extend(a.notes.into_iter().chain(b.notes).chain(note));
    result.setups = Some([a.setup, b.setup]);
    progress.clear();
    Ok((result, [a.profile, b.profile]))
}

/// Rounds of one request of each, in random order, until there are enough.
fn steps(
    sessions: &mut [Session],
    options: &Options,
    cancel: &Cancel,
    progress: &Progress,
) -> Result<(Ended, Option<String>), Failure> {
    let begun = Instant::now();
    let mut rng = fastrand::Rng::with_seed(options.seed);
    let mut order: Vec<usize> = (0..sessions.len()).collect();
    loop {
        let done = sessions.iter().map(Session::requests).min().unwrap_or(0);
        let part = match options.budget {
            Budget::Requests(wanted) => done as f64 / wanted as f64,
            Budget::Time(time) => begun.elapsed().as_secs_f64() / time.as_secs_f64(),
        };
        // One request is the least, however long it takes.
        if part >= 1.0 && done > 0 {
            return Ok((Ended::Complete, None));
        }
        progress.at(part, begun.elapsed(), &format!("{done} requests profiled"));
        rng.shuffle(&mut order);
        for index in &order {
            match sessions[*index].step(cancel) {
                Ok(()) => {}
                Err(failure) => return stopped(failure, done),
            }
        }
        if cancel.is_cancelled() {
            return stopped(Failure::Interrupted { shown: false }, done);
        }
    }
}

/// What was seen until then is shown, if it is enough for intervals.
fn stopped(failure: Failure, done: usize) -> Result<(Ended, Option<String>), Failure> {
    match failure {
        failure if done < MIN_REQUESTS => Err(failure),
        Failure::Interrupted { .. } => Ok((Ended::Interrupted, None)),
        failure => Ok((Ended::Failed, Some(format!("it ended early: {failure}")))),
    }
}
