//! The principal type is [`Elsewhere`]: what became of a source elsewhere.

use std::time::Duration;

use unladen_agent::Standpoint;
use unladen_lockin::Spoiled;

use crate::weigh::catalog::SourceId;

#[derive(Debug)]
pub(crate) struct Elsewhere {
    pub(crate) id: SourceId,
    pub(crate) name: String,
    pub(crate) is_exporter: bool,
    pub(crate) round_trip: Option<Duration>,
    pub(crate) processors: Option<usize>,
    /// Why it went away before the end.
    pub(crate) gone: Option<String>,
    /// The blocks that were spoiled there, if known.
    pub(crate) spoiled: Option<Spoiled>,
    pub(crate) standpoint: Option<Standpoint>,
    /// Records of ended processes were lost there.
    pub(crate) has_lost: bool,
    pub(crate) notes: Vec<String>,
}
