//! The principal type is [`Pprof`].

use std::io::{self, Write};

use crate::profile::Profile;
use crate::write::Writer;

/// For go tool pprof, pprof, Grafana Pyroscope: protocol buffers with gzip.
pub(crate) struct Pprof;

impl Writer for Pprof {
    fn name(&self) -> &'static str {
        "pprof"
    }

    fn about(&self) -> &'static str {
        "go tool pprof, pprof, Grafana Pyroscope: protocol buffers with gzip"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".pb.gz", ".pprof"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let _ = (profile, out);
        todo!()
    }
}
