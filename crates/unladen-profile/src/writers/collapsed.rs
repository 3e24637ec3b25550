//! The principal type is [`Collapsed`].

use std::io::{self, Write};

use crate::profile::Profile;
use crate::write::Writer;

/// For flamegraph.pl, inferno, speedscope: `a;b;c 12` in each line.
pub(crate) struct Collapsed;

impl Writer for Collapsed {
    fn name(&self) -> &'static str {
        "collapsed"
    }

    fn about(&self) -> &'static str {
        "flamegraph.pl, inferno, speedscope: `a;b;c 12` in each line"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".collapsed", ".folded", ".txt"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let _ = (profile, out);
        todo!()
    }
}
