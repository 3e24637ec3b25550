//! The principal type is [`FleetLink`]: the other nodes, as what is kept here sees them.

use std::sync::Arc;
use std::time::Instant;

use unladen_cache::Stored;
use unladen_fleet::{Fleet, Lease, Outcome, Page, Position, Wait, What};
use unladen_http1::Request;

/// The other nodes, as what a site keeps sees them.
#[derive(Clone, Debug)]
pub(crate) struct FleetLink {
    pub(crate) fleet: Arc<Fleet>,
    /// None: what is stored is served whether or not the others are reached.
    lease: Option<Arc<Lease>>,
    /// The site's name, by which the others know it.
    site: Arc<str>,
}

impl FleetLink {
    pub(crate) fn new(fleet: Arc<Fleet>, site: &str) -> Self {
        Self { lease: fleet.lease(), fleet, site: site.into() }
    }

    /// Whether purges of others may be missing here, for a request that came then.
    pub(crate) fn is_cut_off(&self, at: Instant) -> bool {
        self.lease.as_ref().is_some_and(|lease| !lease.holds(at))
    }

    /// Whether it may stand for a purge that is not known: then it answers nobody, not even while the application fails.
    pub(crate) fn doubts(&self, stored: &Stored) -> bool {
        stored.is_soft_purged()
    }

    /// All that the fleet has purged up to there is forgotten here; none: it is not known.
    pub(crate) fn position(&self) -> Option<Position> {
        self.fleet.position()
    }

    /// The same, if all that was purged here is among it.
    pub(crate) fn settled_position(&self) -> Option<Position> {
        self.fleet.settled_position()
    }

    /// Tells the others, and waits for nobody.
    pub(crate) fn tell(&self, what: What, is_soft: bool) {
        self.fleet.tell(Some(&self.site), what, is_soft);
    }

    /// Tells the others, and waits as asked for.
    pub(crate) async fn purge(&self, what: What, is_soft: bool, wait: Option<Wait>) -> Outcome {
        self.fleet.purge(Some(&self.site), what, is_soft, wait).await
    }
}

/// What others forget for a request: its page, or all that begin so; if its target is no text, which only an application
/// can bring about, all that begins as the part of it that is.
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
