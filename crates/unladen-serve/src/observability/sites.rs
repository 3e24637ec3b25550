//! The principal type is [`SiteView`]: a site, as it can be looked at; and what it is told to forget.

use unladen_cache::{Purge, StoreTotals, write_key};
use unladen_http1::Request;
use unladen_validator::State;

use crate::site::Site;
use crate::spool::SpoolState;

/// A site, as it can be looked at.
pub(crate) trait SiteView: std::fmt::Debug + Send + Sync {
    /// The `[[site]]` table's.
    fn name(&self) -> &str;

    /// How it does.
    fn state(&self) -> SiteState;

    /// Forgets, before it returns. How many responses; none: it keeps nothing anyway.
    fn forget(&self, what: &Forget) -> Option<u64>;
}

/// How a site does.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteState {
    /// Whether its clients come by TLS.
    pub(crate) is_https: bool,
    /// What it keeps; none: nothing.
    pub(crate) store: Option<StoreState>,
    /// Connections that were closed as soon as they came, as their client had enough …
    pub(crate) refused: u64,
    /// … and those that waited for a request, and were closed to make room.
    pub(crate) closed: u64,
    /// Bodies that wait.
    pub(crate) buffer: SpoolState,
    /// Its validators, by their paths; of several with the same, with a number.
    pub(crate) validators: Vec<(String, State)>,
}

/// What a site keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StoreState {
    pub(crate) totals: StoreTotals,
    /// Bytes that it may take.
    pub(crate) bound: u64,
    /// Answers that are on their way.
    pub(crate) fetches: u64,
    /// Bytes of them that are there already.
    pub(crate) fetch_bytes: u64,
}

/// What a site is to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forget {
    pub(crate) what: What,
    /// It is to be asked about, and not gone.
    pub(crate) is_soft: bool,
}

/// What is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A page.
    Url(PageAddress),
    /// All pages whose URL begins so.
    Prefix(PageAddress),
    /// What has this tag.
    Tag(String),
    /// Everything.
    All,
}

/// Where a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageAddress {
    /// None: by whichever scheme.
    pub(crate) is_https: Option<bool>,
    pub(crate) authority: String,
    pub(crate) target: String,
}

impl SiteView for Site {
    fn name(&self) -> &str {
        &self.proxy.upstream.settings().name
    }

    fn state(&self) -> SiteState {
        let store = self.cache.as_ref().map(|cache| {
            let (fetches, fetch_bytes) = cache.fetches.in_flight();
            StoreState {
                totals: cache.store.totals(),
                bound: cache.settings.memory,
                fetches: fetches as u64,
                fetch_bytes,
            }
        });
        let mut validators: Vec<(String, State)> = Vec::new();
        for validator in &self.validators {
            let path = &validator.settings().path;
            let numbered = (2..).map(|n| format!("{path} ({n})"));
            let mut names = std::iter::once(path.clone()).chain(numbered);
            let name = names.find(|name| !validators.iter().any(|(other, _)| other == name));
            validators.extend(name.map(|name| (name, validator.state())));
        }
        let buffer = self.proxy.spools.state();
        let (refused, closed) = (self.crowd.refused(), self.crowd.closed());
        SiteState { is_https: self.settings.tls.is_some(), store, refused, closed, buffer, validators }
    }

    fn forget(&self, Forget { what, is_soft }: &Forget) -> Option<u64> {
        let cache = self.cache.as_ref()?;
        let keys = |place: &PageAddress| {
            let request = Request {
                authority: place.authority.as_bytes().to_vec(),
                target: place.target.as_bytes().to_vec(),
                ..Request::default()
            };
            let key = |is_https: &bool| {
                let mut key = Vec::new();
                write_key(&request, *is_https, &cache.policy, &mut key);
                key
            };
            let schemes =
                [true, false].into_iter().filter(|is_https| place.is_https.is_none_or(|only| only == *is_https));
            schemes.map(|is_https| key(&is_https)).collect::<Vec<_>>()
        };
        let purges: Vec<Purge> = match what {
            What::Url(place) => keys(place).into_iter().map(Purge::Key).collect(),
            What::Prefix(place) => keys(place).into_iter().map(Purge::Prefix).collect(),
            What::Tag(tag) => vec![Purge::Tag(tag.as_str().into())],
            What::All => vec![Purge::All],
        };
        Some(purges.iter().map(|purge| cache.forget(purge, *is_soft)).sum())
    }
}

#[cfg(test)]
pub(super) mod tests;
