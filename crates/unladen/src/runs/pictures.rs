//! [`pictures`]: pictures of a run, from its evidence.

use unladen_profile::{FlameStyle, Input, flame, reader_named};
use unladen_publish::RunPicture;

/// The command whose evidence is a profile.
const PROFILE: &str = "profile";

/// The flame graph of a profile; empty if unreadable, as the report is complete without.
pub(crate) fn pictures(verb: &str, evidence: Option<&[u8]>) -> Vec<RunPicture> {
    let profile = || {
        let mut bytes = evidence.filter(|_| verb == PROFILE)?;
        reader_named("unladen")?.read(&mut Input::new(&mut bytes)).ok()
    };
    let picture = profile().and_then(|profile| {
        let mut svg = Vec::new();
        flame(&profile, &FlameStyle::of(&profile), &mut svg).ok()?;
        Some(RunPicture {
            title: "Flame graph: where the time of a request goes".to_owned(),
            svg: String::from_utf8(svg).ok()?,
        })
    });
    picture.into_iter().collect()
}
