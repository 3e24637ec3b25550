//! The principal type is [`Forget`]: the storage that a fleet purges.

use std::time::Duration;

use crate::{BusError, What};

/// Storage that a fleet purges. Records from the bus can only make it forget.
pub trait Forget: std::fmt::Debug + Send + Sync {
    /// Forgets before it returns; if soft, revalidates before the next use. `site` is `None` for all; an unknown site
    /// stores nothing. Called where it may block. Returns the number of responses.
    fn forget(&self, site: Option<&str>, what: &What, is_soft: bool) -> u64;

    fn doubt(&self);

    fn tell(&self, news: &News);
}

/// News of the fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    CutOff {
        why: Option<BusError>,
    },
    Connected {
        /// Time without connection; `None` for the first connection.
        after: Option<Duration>,
    },
    /// The missed purges are unknown: everything stored is revalidated.
    Lost {
        why: &'static str,
        /// Number since the last report.
        times: u64,
    },
    /// A record cannot be read: everything stored is revalidated.
    Unreadable {
        why: String,
        /// Number since the last report.
        times: u64,
    },
    /// Too many purges wait for the engine: once it is reached, all nodes revalidate everything.
    Overflow,
    Untold,
}

impl News {
    /// Cause of [`News::Untold`], and advice.
    pub const UNTOLD: &'static str = "what one session notifies is not told to another: purges come up to a second late; a \
        pooler of transactions between (PgBouncer) breaks LISTEN: give the server's own address";
}
