//! The principal type is [`SiteView`]: a site, as it can be looked at; and what it is told to forget.

use unladen_cache::StoreTotals;
use unladen_validator::State;

use crate::certificate_state::CertificateState;
use crate::snapshot_state::SnapshotState;

use crate::histogram::HistogramTotals;

/// A site, as it can be looked at.
pub trait SiteView: std::fmt::Debug + Send + Sync {
    /// The `[[site]]` table's.
    fn name(&self) -> &str;

    /// How it does.
    fn state(&self) -> SiteState;

    /// The certificates that it shows to its clients, as in [`Self::state`], which may take longer.
    fn certificates(&self) -> Vec<CertificateState> {
        self.state().certificates
    }

    /// Forgets, before it returns. How many responses; none: it keeps nothing anyway.
    fn forget(&self, what: &Forget) -> Option<u64>;
}

/// How a site does.
#[derive(Clone, Debug, Default)]
pub struct SiteState {
    /// Whether its clients come by TLS.
    pub is_https: bool,
    /// What it keeps; none: nothing.
    pub store: Option<StoreState>,
    /// Connections that were closed as soon as they came, as their client had enough …
    pub refused: u64,
    /// … and those that waited for a request, and were closed to make room.
    pub closed: u64,
    /// Bodies that wait.
    pub buffer: BufferState,
    /// Requests that wait for the application; none: they do not wait here.
    pub queue: Option<QueueState>,
    /// What it has written of its memory, and taken over; none: nothing is written.
    pub snapshot: Option<SnapshotState>,
    /// The certificates that it shows to its clients.
    pub certificates: Vec<CertificateState>,
    /// Its validators, by their paths; of several with the same, with a number.
    pub validators: Vec<(String, State)>,
}

/// Requests that wait for the application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueState {
    /// Requests at the application.
    pub running: u64,
    /// How many there may be; none: it is not known yet how many it can take.
    pub places: Option<u64>,
    /// Requests that wait.
    pub waiting: u64,
    /// How many may.
    pub length: u64,
    /// Whether the oldest of them are refused before their time is over.
    pub is_overload: bool,
    /// How many were refused, by the word for why.
    pub refused: [(&'static str, u64); 3],
    /// How many clients left while they waited.
    pub left: u64,
    /// How long those waited who got to the application, without those who did not have to wait.
    pub waited: HistogramTotals,
}

/// Bodies that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferState {
    /// Bytes in memory.
    pub memory: u64,
    /// Bytes in files.
    pub disk: u64,
    /// Files that were begun.
    pub files: u64,
    /// Bodies that a disk did not take.
    pub failures: u64,
}

/// What a site keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreState {
    /// What the store counts.
    pub totals: StoreTotals,
    /// Bytes that it may take.
    pub bound: u64,
    /// Answers that are on their way.
    pub fetches: u64,
    /// Bytes of them that are there already.
    pub fetch_bytes: u64,
}

/// What a site is to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forget {
    /// Which pages.
    pub what: What,
    /// It is to be asked about, and not gone.
    pub is_soft: bool,
}

/// What is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Url(PageAddress),
    /// All pages whose URL begins so.
    Prefix(PageAddress),
    Tag(String),
    /// Everything.
    All,
}

/// Where a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAddress {
    /// None: by whichever scheme.
    pub is_https: Option<bool>,
    /// As in `Host`.
    pub authority: String,
    /// Path and query.
    pub target: String,
}

// === impl What ===

/// As other nodes are told.
impl From<&What> for unladen_fleet::What {
    fn from(what: &What) -> Self {
        let page = |page: &PageAddress| unladen_fleet::Page {
            is_https: page.is_https,
            authority: page.authority.clone(),
            target: page.target.clone(),
        };
        match what {
            What::Url(place) => Self::Url(page(place)),
            What::Prefix(place) => Self::Prefix(page(place)),
            What::Tag(tag) => Self::Tag(tag.clone()),
            What::All => Self::All,
        }
    }
}

/// As another node tells it.
impl From<&unladen_fleet::What> for What {
    fn from(what: &unladen_fleet::What) -> Self {
        use unladen_fleet::What as Told;
        let page = |page: &unladen_fleet::Page| PageAddress {
            is_https: page.is_https,
            authority: page.authority.clone(),
            target: page.target.clone(),
        };
        match what {
            Told::Url(place) => Self::Url(page(place)),
            Told::Prefix(place) => Self::Prefix(page(place)),
            Told::Tag(tag) => Self::Tag(tag.clone()),
            Told::All => Self::All,
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
