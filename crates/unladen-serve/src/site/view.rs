//! A site as it can be observed and purged: [`SiteView`].

use unladen_cache::{Purge, write_key};
use unladen_http1::Request;
use unladen_observability::{
    CertificateState, Forget, OrderState, PageAddress, SiteState, SiteView, SnapshotState, StoreState, What,
};
use unladen_validator::State;

use super::Site;

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
        let account = self.cache.as_ref().map(|cache| cache.account.state());
        // Without a file, a handover may have brought something.
        let snapshot = account.filter(|state| self.settings.snapshot.is_some() || *state != SnapshotState::default());
        let queue = self.proxy.queue.as_ref().map(|queue| queue.state());
        let certificates = self.certificates();
        SiteState {
            is_https: self.settings.tls.is_some(),
            store,
            refused,
            closed,
            buffer,
            queue,
            snapshot,
            certificates,
            validators,
        }
    }

    fn certificates(&self) -> Vec<CertificateState> {
        let files = self.acceptor.iter().flat_map(|acceptor| acceptor.files());
        let from_file = |(name, not_after): &(String, u64)| CertificateState {
            name: name.clone(),
            not_after: Some(*not_after),
            orders: None,
        };
        let issued = self.held.iter().map(|held| {
            let look = held.look();
            CertificateState {
                name: look.names.into_iter().next().unwrap_or_default(),
                not_after: look.not_after,
                orders: Some(OrderState {
                    is_ordering: look.is_ordering,
                    next: look.next,
                    failures: look.failures.into(),
                    error: look.error,
                }),
            }
        });
        files.map(from_file).chain(issued).collect()
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
