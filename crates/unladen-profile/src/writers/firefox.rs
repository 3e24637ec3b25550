//! The principal type is [`Firefox`].

use std::io::{self, Write};

use crate::profile::Profile;
use crate::write::Writer;

/// For https://profiler.firefox.com.
pub(crate) struct Firefox;

impl Writer for Firefox {
    fn name(&self) -> &'static str {
        "firefox"
    }

    fn about(&self) -> &'static str {
        "https://profiler.firefox.com"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".firefox.json"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let _ = (profile, out);
        todo!()
    }
}
