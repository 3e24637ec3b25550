//! The principal type is [`FleetLink`]: the other nodes, as what is kept here sees them.

use std::sync::Arc;
use std::time::Instant;

use unladen_cache::Stored;
use unladen_fleet::{Fleet, Lease, Outcome, Page, Wait, What};
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

// === impl FleetLink ===

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

    /// Tells the others, and waits for nobody.
    pub(crate) fn tell(&self, what: What) {
        self.fleet.tell(Some(&self.site), what, false);
    }

    /// Tells the others, and waits as asked for.
    pub(crate) async fn purge(&self, what: What, is_soft: bool, wait: Option<Wait>) -> Outcome {
        self.fleet.purge(Some(&self.site), what, is_soft, wait).await
    }
}

/// A page that a request is for. None: its target is no text, as others are told of it.
pub(crate) fn page(request: &Request, is_https: Option<bool>) -> Option<Page> {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(ToOwned::to_owned);
    Some(Page { is_https, authority: text(&request.authority)?, target: text(&request.target)? })
}

/// What others forget for it: the page; if its target is no text, all that begins as the part of it that is.
pub(crate) fn what(request: &Request, is_https: Option<bool>, is_prefix: bool) -> What {
    if let Some(page) = page(request, is_https) {
        return if is_prefix { What::Prefix(page) } else { What::Url(page) };
    }
    let valid = |bytes: &[u8]| {
        let chunk = bytes.utf8_chunks().next();
        chunk.map(|chunk| chunk.valid().to_owned()).unwrap_or_default()
    };
    let (authority, target) = (valid(&request.authority), valid(&request.target));
    if authority.len() < request.authority.len() || authority.is_empty() {
        return What::All;
    }
    What::Prefix(Page { is_https, authority, target })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_is_no_text_means_all_that_begins_so() {
        let of = |target: &[u8]| {
            let request = Request { authority: b"a.example".to_vec(), target: target.to_vec(), ..Request::default() };
            what(&request, None, false)
        };
        let page = |target: &str| Page { is_https: None, authority: "a.example".into(), target: target.into() };
        assert_eq!(of(b"/a?\xc3\xa9"), What::Url(page("/a?\u{e9}")));
        assert_eq!(of(b"/a\xe9b"), What::Prefix(page("/a")));
    }
}
