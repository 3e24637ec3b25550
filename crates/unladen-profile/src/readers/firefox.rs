//! The principal type is [`Firefox`]: files of Firefox's profiler, in the processed format.
//!
//! See `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md` of
//! <https://github.com/firefox-devtools/profiler>.

use crate::input::Input;
use crate::profile::Profile;
use crate::read_error::ReadError;
use crate::reader::ProfileReader;
use crate::readers::json;

mod document;
mod places;
mod samples;

const FORMAT: &str = "firefox";

/// Reads files of Firefox's profiler. Each thread whose samples have the same kind of weight as the first's becomes a
/// cluster; others do not fit into one profile, and are left out.
pub(crate) struct Firefox;

impl ProfileReader for Firefox {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Firefox's profiler, and what writes for it: samply"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let has = |text: &str| memchr::memmem::find(head, text.as_bytes()).is_some();
        // The browser's own recordings are recognised too, to be refused with advice.
        let is_profile = has("\"preprocessedProfileVersion\"") || (has("\"stackwalk\"") && has("\"interval\""));
        json::is_object(head) && has("\"meta\"") && is_profile
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        samples::profile(json::document(FORMAT, input)?).map_err(|what| json::wrong(FORMAT, what))
    }
}

#[cfg(test)]
mod tests;
