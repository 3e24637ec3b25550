//! The principal type is [`Missing`]: groups on a request's path but not in its profile. The kernel's clock shows what
//! it samples, and says nothing of what it does not.

use unladen_load::{Cancel, DriverConfig};
use unladen_path::follow;
use unladen_probe::{GroupBy, Instrument, ProbeError};
use unladen_profile::{FrameKind, Profile};

use crate::path::Path;

#[derive(Debug, Default)]
pub(super) struct Missing {
    groups: Vec<String>,
    /// What is unknown of the path, and who cannot be observed.
    notes: Vec<String>,
}

impl Missing {
    /// Sends a few requests and observes who takes them. Fails if the system's processes cannot be read.
    pub(super) fn follow(driver: &DriverConfig, cancel: &Cancel) -> Result<Self, ProbeError> {
        let unknown = |why: &str| {
            format!("who the request goes through is not known, so whoever is missing here is not told: {why}")
        };
        let route = match follow(driver, 0, cancel) {
            Ok(route) => route,
            Err(error) => return Ok(Self { notes: vec![unknown(&error.to_string())], ..Self::default() }),
        };
        let mut instrument = Instrument::open(GroupBy::Auto)?;
        let path = Path::of(route, &mut instrument);
        let beyond = path.seen.beyond.iter();
        let mut notes: Vec<String> = beyond
            .map(|beyond| {
                format!("{} is on the request's path, and not looked at: {}", beyond.peer, beyond.why.as_str())
            })
            .collect();
        notes.extend(path.seen.unknown.map(|path| unknown(&path.why)));
        Ok(Self { groups: path.groups.iter().map(|group| instrument.group(*group).name.clone()).collect(), notes })
    }

    /// Notes for the profile, without those it already has (`said`).
    pub(super) fn notes(self, profile: &Profile, said: &[String]) -> Vec<String> {
        let is_in =
            |name: &str| profile.frames.iter().any(|(_, frame)| frame.kind == FrameKind::Group && frame.name == name);
        let is_told = |name: &str| said.iter().any(|note| note.starts_with(&format!("{name} is left out")));
        let missing = self.groups.iter().filter(|name| !is_in(name) && !is_told(name));
        let missing = missing.map(|name| {
            format!(
                "{name} is on the request's path, and is not in this profile: it was not seen on a processor more often with requests than \
                 without; send more of them"
            )
        });
        missing.chain(self.notes).collect()
    }
}

#[cfg(test)]
mod tests;
