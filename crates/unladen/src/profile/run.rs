//! [`profile()`] and [`diff_urls`]: profile pages.

use std::time::Instant;

use unladen_load::Cancel;
use unladen_profile::{MIN_REQUESTS, Profile};
use unladen_report::{Ended, ProfileDiff, Profiled};

use crate::exit::Failure;
use crate::profile::result;
use crate::profile::session::{Budget, Measured, Options, Page, Session};
use crate::progress::Progress;

pub(crate) struct Ran<T> {
    pub(crate) result: T,
    /// Why the result is not the complete one that was asked for.
    pub(crate) failure: Option<Failure>,
}

/// Fails if the page cannot be profiled, or if it ended before there were enough requests for intervals.
pub(crate) fn profile(page: Page, options: &Options, cancel: &Cancel) -> Result<Ran<Profiled>, Failure> {
    with_progress(options, |progress| {
        let mut sessions = [Session::open(page, options, cancel, progress)?];
        let (ended, failure) = steps(&mut sessions, options, cancel, progress)?;
        progress.say("reading what the profiler saw");
        let [session] = sessions;
        let measured = session.finish(options, ended)?;
        progress.say("adding up");
        Ok(Ran { result: result::of_page(measured), failure })
    })
}

/// Profiles two pages in turns and compares them. Fails like [`profile()`], and if they are not profiled alike.
pub(crate) fn diff_urls(
    pages: [Page; 2],
    options: &Options,
    cancel: &Cancel,
) -> Result<Ran<(ProfileDiff, [Profile; 2])>, Failure> {
    with_progress(options, |progress| {
        let [a, b] = pages;
        let mut sessions = [Session::open(a, options, cancel, progress)?, Session::open(b, options, cancel, progress)?];
        if let [a, b] = &sessions
            && a.profiler.name() != b.profiler.name()
        {
            return Err(Failure::Usage(format!(
                "one page is profiled with {}, the other with {}, which count different things: use --profiler perf \
                 for both",
                a.profiler.name(),
                b.profiler.name()
            )));
        }
        let (ended, failure) = steps(&mut sessions, options, cancel, progress)?;
        progress.say("reading what the profilers saw");
        let [a, b] = sessions;
        let (a, b): (Measured, Measured) = (a.finish(options, ended)?, b.finish(options, ended)?);
        progress.say("comparing");
        let mut result = result::diff_of(&a.profile, &b.profile)?;
        result.document.notes.extend(a.notes.into_iter().chain(b.notes));
        result.document.setups = Some([a.setup, b.setup]);
        Ok(Ran { result: (result, [a.profile, b.profile]), failure })
    })
}

/// Works under a progress line, which is always removed.
fn with_progress<T>(options: &Options, work: impl FnOnce(&Progress) -> Result<T, Failure>) -> Result<T, Failure> {
    let progress = Progress::new(options.quiet);
    let done = work(&progress);
    progress.clear();
    done
}

/// Rounds of one request of each page, in random order, until there are enough.
fn steps(
    sessions: &mut [Session],
    options: &Options,
    cancel: &Cancel,
    progress: &Progress,
) -> Result<(Ended, Option<Failure>), Failure> {
    let begun = Instant::now();
    let mut rng = fastrand::Rng::with_seed(options.seed);
    let mut order: Vec<usize> = (0..sessions.len()).collect();
    loop {
        let done = sessions.iter().map(|session| session.profiled.len()).min().unwrap_or(0);
        let part = match options.budget {
            Budget::Requests(wanted) => done as f64 / wanted as f64,
            Budget::Time(time) => begun.elapsed().as_secs_f64() / time.as_secs_f64(),
        };
        // At least one request, however long it takes.
        if part >= 1.0 && done > 0 {
            return Ok((Ended::Complete, None));
        }
        let (planned, of) = match options.budget {
            Budget::Requests(wanted) => (None, format!(" of {wanted}")),
            Budget::Time(time) => (Some(time), String::new()),
        };
        progress.at(part, begun.elapsed(), planned, &format!("{done}{of} requests profiled"));
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

/// Keeps what was seen so far, if it is enough for intervals.
fn stopped(failure: Failure, done: usize) -> Result<(Ended, Option<Failure>), Failure> {
    match failure {
        failure if done < MIN_REQUESTS => Err(failure),
        Failure::Interrupted { .. } => Ok((Ended::Interrupted, Some(Failure::Interrupted { shown: true }))),
        failure => Ok((Ended::Failed, Some(failure))),
    }
}
