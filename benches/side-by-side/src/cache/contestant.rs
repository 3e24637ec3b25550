//! The principal type is [`Contestant`]: a program that can be a cache.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::rig::certificates::Certificates;

/// What it is told.
pub(super) struct Place<'a> {
    /// Ports of 127.0.0.1: where it listens, and where the application is.
    pub(super) listen: u16,
    pub(super) origin: u16,
    /// Bytes of memory for what is stored.
    pub(super) memory: u64,
    /// What it shows, if TLS is spoken.
    pub(super) tls: Option<&'a Certificates>,
    /// Lines of its configuration, of ours alone.
    pub(super) more: String,
}

pub(super) trait Contestant {
    fn name(&self) -> String;

    /// What runs it in the foreground with one thread for requests. What it reads is written into `folder`.
    fn command(&self, place: &Place<'_>, folder: &Path) -> Result<Command>;

    /// The same as one process that callgrind can follow; none if there is no such way.
    fn single(&self, place: &Place<'_>, folder: &Path) -> Result<Option<Command>> {
        self.command(place, folder).map(Some)
    }

    /// Whether it is what the bounds are of.
    fn is_ours(&self) -> bool {
        false
    }

    fn speaks_tls(&self) -> bool {
        true
    }
}
