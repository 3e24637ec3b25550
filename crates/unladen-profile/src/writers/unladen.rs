//! The principal type is [`Unladen`].

use std::io::{self, Write};

use crate::profile::Profile;
use crate::write::Writer;

/// For Unladen itself: nothing is lost.
pub(crate) struct Unladen;

impl Writer for Unladen {
    fn name(&self) -> &'static str {
        "unladen"
    }

    fn about(&self) -> &'static str {
        "Unladen itself: nothing is lost"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".profile.json"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let _ = (profile, out);
        todo!()
    }
}
