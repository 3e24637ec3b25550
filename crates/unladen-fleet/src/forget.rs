//! The principal type is [`Forget`]: whoever keeps what a fleet has purged.

use std::time::Duration;

use crate::{BusError, What};

/// Whoever keeps what a fleet has purged. What the bus brings can make it do nothing else than forget.
pub trait Forget: std::fmt::Debug + Send + Sync {
    /// Forgets, before it returns; softly: asks before it is served again. `site`: none: all of them; of one that is
    /// not there, nothing is kept. Called where it may block. How many responses.
    fn forget(&self, site: Option<&str>, what: &What, is_soft: bool) -> u64;

    /// Has everything asked about that is stored now: a purge of it may have been lost.
    fn doubt(&self);

    /// What became of the fleet: for a log.
    fn tell(&self, news: &News);
}

/// What became of the fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// The engine is not reached, or purges are not read as fast as they come.
    CutOff {
        /// What went wrong last, if anything did.
        why: Option<BusError>,
    },
    /// It is, and everything was read that was missed.
    Connected {
        /// How long it was not; none: it is the first time.
        after: Option<Duration>,
    },
    /// What was missed is not known: everything that is stored is asked about.
    Lost {
        /// What happened to the engine.
        why: &'static str,
        /// How often since this was told last.
        times: u64,
    },
    /// A record cannot be read: everything that is stored is asked about.
    Unreadable {
        /// What is wrong with it.
        why: String,
        /// How often since this was told last.
        times: u64,
    },
    /// More purges wait for the engine than may: once it is there, all nodes are told to ask about everything.
    Overflow,
    /// The engine does not tell of purges: this node finds them when it looks, up to a second late.
    Untold,
}

impl News {
    /// What [`News::Untold`] comes of, and what to do.
    pub const UNTOLD: &'static str = "what one session notifies is not told to another: purges come up to a second late; a \
        pooler of transactions between (PgBouncer) breaks LISTEN: give the server's own address";
}
