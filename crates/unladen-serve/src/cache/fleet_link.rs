//! The principal type is [`FleetLink`]: the other nodes, as a site's cache sees them.

use std::sync::Arc;
use std::time::Instant;

use unladen_cache::Stored;
use unladen_fleet::{Fleet, Lease, Outcome, Page, Position, Wait, What};
use unladen_http1::Request;

#[derive(Clone, Debug)]
pub(crate) struct FleetLink {
    pub(crate) fleet: Arc<Fleet>,
    /// `None` if stored responses are served whether or not the others are reached.
    lease: Option<Arc<Lease>>,
    site: Arc<str>,
}

impl FleetLink {
    pub(crate) fn new(fleet: Arc<Fleet>, site: &str) -> Self {
        Self { lease: fleet.lease(), fleet, site: site.into() }
    }

    /// Whether purges of other nodes before `at` may be missing here.
    pub(crate) fn is_cut_off(&self, at: Instant) -> bool {
        self.lease.as_ref().is_some_and(|lease| !lease.holds(at))
    }

    /// A soft-purged response may stand for an unknown purge: it is not served, not even while the application fails.
    pub(crate) fn doubts(&self, stored: &Stored) -> bool {
        stored.is_soft_purged()
    }

    /// Position up to which the fleet's purges were applied here, if known.
    pub(crate) fn position(&self) -> Option<Position> {
        self.fleet.position()
    }

    /// The same, provided all purges made here are included.
    pub(crate) fn settled_position(&self) -> Option<Position> {
        self.fleet.settled_position()
    }

    pub(crate) fn tell(&self, what: What, is_soft: bool) {
        self.fleet.tell(Some(&self.site), what, is_soft);
    }

    pub(crate) async fn purge(&self, what: What, is_soft: bool, wait: Option<Wait>) -> Outcome {
        self.fleet.purge(Some(&self.site), what, is_soft, wait).await
    }
}

/// What the others forget for a request: its page, or with `is_prefix` all pages beginning so. If the target is not
/// UTF-8 (only an application can bring that about), all that begins with its valid part.
pub(crate) fn what(request: &Request, is_https: Option<bool>, is_prefix: bool) -> What {
    let authority = String::from_utf8_lossy(&request.authority).into_owned();
    let page = |target: &str| Page { is_https, authority, target: target.to_owned() };
    match std::str::from_utf8(&request.target) {
        Ok(target) if is_prefix => What::Prefix(page(target)),
        Ok(target) => What::Url(page(target)),
        Err(_) => What::Prefix(page(request.target.utf8_chunks().next().map_or("", |chunk| chunk.valid()))),
    }
}

#[cfg(test)]
mod tests;
