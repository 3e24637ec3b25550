//! The principal type is [`Speedscope`].

use std::io::{self, Write};

use crate::profile::Profile;
use crate::write::Writer;

/// For https://www.speedscope.app.
pub(crate) struct Speedscope;

impl Writer for Speedscope {
    fn name(&self) -> &'static str {
        "speedscope"
    }

    fn about(&self) -> &'static str {
        "https://www.speedscope.app"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".speedscope.json"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let _ = (profile, out);
        todo!()
    }
}
