//! The principal type is [`SiteView`]: a site's state for display; and what it is to forget.

use std::time::Duration;

use unladen_cache::StoreTotals;
pub use unladen_fleet::{Page as PageAddress, What};
use unladen_validator::State;

use crate::histogram::HistogramTotals;

/// A site's state for display.
pub trait SiteView: std::fmt::Debug + Send + Sync {
    /// Name of the `[[site]]` table.
    fn name(&self) -> &str;

    /// Current state.
    fn state(&self) -> SiteState;

    /// Certificates shown to clients, without the cost of [`Self::state`].
    fn certificates(&self) -> Vec<CertificateState> {
        self.state().certificates
    }

    /// Forgets responses before it returns, and returns their number; `None` if it stores nothing.
    fn forget(&self, what: &Forget) -> Option<u64>;
}

/// State of a site.
#[derive(Clone, Debug, Default)]
pub struct SiteState {
    pub is_https: bool,
    /// `None` if it stores nothing.
    pub store: Option<StoreState>,
    /// Connections closed on arrival since their client had too many.
    pub refused: u64,
    pub closed: u64,
    pub buffer: BufferState,
    /// `None` if requests do not wait here.
    pub queue: Option<QueueState>,
    /// Memory written to disk and loaded; `None` if nothing is written.
    pub snapshot: Option<SnapshotState>,
    pub certificates: Vec<CertificateState>,
    /// Validators by path, numbered if a path repeats.
    pub validators: Vec<(String, State)>,
}

/// Queue of requests for the application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueState {
    pub running: u64,
    /// Limit of running requests; `None` until it is known how many the application can take.
    pub places: Option<u64>,
    pub waiting: u64,
    pub length: u64,
    /// Whether the oldest are refused before their time is over.
    pub is_overload: bool,
    pub refused: [(&'static str, u64); 3],
    pub left: u64,
    /// Waiting times of requests that reached the application, without those that did not wait.
    pub waited: HistogramTotals,
}

/// Bodies in the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferState {
    /// In bytes.
    pub memory: u64,
    /// In bytes.
    pub disk: u64,
    pub files: u64,
    pub failures: u64,
}

/// What a site stores.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreState {
    pub totals: StoreTotals,
    /// Maximum bytes.
    pub bound: u64,
    pub fetches: u64,
    /// Bytes so far of the fetches under way.
    pub fetch_bytes: u64,
}

/// What a site is to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forget {
    pub what: What,
    pub is_soft: bool,
}

/// A certificate that a site shows to its clients, or orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateState {
    pub name: String,
    /// Last second of validity, since 1970; `None` if there is no certificate yet.
    pub not_after: Option<u64>,
    /// `None` if it comes from files.
    pub orders: Option<OrderState>,
}

/// Orders of a certificate at its authority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderState {
    pub is_ordering: bool,
    /// Time of the next step, in seconds since 1970; `None` if unknown.
    pub next: Option<u64>,
    pub failures: u64,
    /// Last error: the authority's message, and what to do.
    pub error: Option<String>,
}

/// Snapshots of a site's memory: written ones, and the one loaded from its predecessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotState {
    pub loaded: u64,
    pub rejected: Vec<(&'static str, u64)>,
    /// Why the snapshot as a whole was not loaded; `None` if it was, or there was none.
    pub refused: Option<String>,
    pub last: Option<WrittenSnapshot>,
    pub failures: u64,
    /// Why the last write failed; `None` if one succeeded since.
    pub failure: Option<String>,
}

/// A snapshot that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenSnapshot {
    /// Completion, in milliseconds since 1970.
    pub at: i64,
    pub responses: u64,
    pub bytes: u64,
    /// Duration, with the pauses that keep the disk free for others.
    pub took: Duration,
}

#[cfg(test)]
pub(super) mod tests;
