//! Makes results from stacks.

use unladen_finding::look;
use unladen_profile::{MIN_REQUESTS, Profile, diff, functions};
use unladen_report::{ProfileDiff, Profiled};

use crate::exit::Failure;
use crate::profile::evidence;
use crate::profile::session::Measured;

pub(crate) fn of_page(measured: Measured) -> Profiled {
    let rows = functions(&measured.profile);
    let findings = look(&evidence::of(&measured, &rows));
    let mut notes = measured.notes;
    if measured.profile.total() == 0 {
        notes.push("no sample fell into any request: it is shorter than the time between samples; more requests, or a shorter --period".into());
    }
    Profiled {
        setup: Some(measured.setup),
        functions: rows,
        findings,
        profile: measured.profile,
        notes,
        written: Vec::new(),
        gates: Vec::new(),
        top: 0,
    }
}

pub(crate) fn of_file(profile: Profile, top: usize) -> Profiled {
    Profiled {
        setup: None,
        functions: functions(&profile),
        findings: Vec::new(),
        // Its tables are headed by why there are no intervals.
        notes: profile.notes.clone(),
        profile,
        written: Vec::new(),
        gates: Vec::new(),
        top,
    }
}

/// Fails if the profiles count different things.
pub(crate) fn diff_of(a: &Profile, b: &Profile) -> Result<ProfileDiff, Failure> {
    let mut notes: Vec<String> =
        notes_of(a).into_iter().chain(notes_of(b)).chain(a.notes.iter().chain(&b.notes).cloned()).collect();
    notes.dedup();
    Ok(ProfileDiff { setups: None, diff: diff(a, b)?, notes, written: Vec::new(), top: 0 })
}

fn notes_of(profile: &Profile) -> Vec<String> {
    let title = &profile.about.title;
    let note = match (profile.about.are_requests, profile.clusters.len()) {
        (false, _) => format!("{title} does not tell requests apart: its figures have no intervals"),
        (true, few) if few < MIN_REQUESTS => format!("{title} has {few} requests: intervals take {MIN_REQUESTS}"),
        _ => return Vec::new(),
    };
    vec![note]
}
