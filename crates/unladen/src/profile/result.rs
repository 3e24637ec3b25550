//! Makes results from stacks.

use unladen_finding::look;
use unladen_profile::{MIN_REQUESTS, Profile, diff, functions};
use unladen_report::{ProfileDiff, Profiled, WARM, written_finding};

use crate::exit::Failure;
use crate::profile::evidence;
use crate::profile::session::Measured;

pub(crate) fn of_page(measured: Measured) -> Profiled {
    let rows = functions(&measured.profile);
    let findings = look(&evidence::of(&measured, &rows));
    let Measured { setup, profile, mut notes, .. } = measured;
    if profile.total() == 0 {
        notes.push(
            "no sample fell into a request: requests are shorter than the time between samples; send more \
            requests, or use a shorter --period"
                .into(),
        );
    }
    let mut result = Profiled::of(profile, &rows, None);
    let document = &mut result.document;
    document.target.clone_from(&setup.url);
    document.findings = findings.iter().map(|found| written_finding(&setup.url, WARM, found)).collect();
    document.setup = Some(setup);
    document.notes = notes;
    result
}

pub(crate) fn of_file(profile: Profile, top: Option<usize>) -> Profiled {
    // Its tables are headed by why there are no intervals.
    let notes = profile.notes.clone();
    let rows = functions(&profile);
    let mut result = Profiled::of(profile, &rows, top);
    result.document.notes = notes;
    result
}

/// Fails if the profiles count different things.
pub(crate) fn diff_of(a: &Profile, b: &Profile) -> Result<ProfileDiff, Failure> {
    let mut notes: Vec<String> =
        notes_of(a).into_iter().chain(notes_of(b)).chain(a.notes.iter().chain(&b.notes).cloned()).collect();
    notes.dedup();
    let mut result = ProfileDiff::of(diff(a, b)?, None);
    result.document.notes = notes;
    Ok(result)
}

fn notes_of(profile: &Profile) -> Vec<String> {
    let title = &profile.about.title;
    let note = match (profile.about.are_requests, profile.clusters.len()) {
        (false, _) => format!("{title} does not tell requests apart: its figures have no intervals"),
        (true, few) if few < MIN_REQUESTS => format!("{title} has {few} requests: intervals need {MIN_REQUESTS}"),
        _ => return Vec::new(),
    };
    vec![note]
}
