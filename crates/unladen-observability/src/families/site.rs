//! Metrics of sites: [`families`].

use std::borrow::Cow;

use super::family::{Amount, Attributes, Family, Point};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::site_counts::{ASKED, BROUGHT, SiteTotals};
use crate::sites::{CertificateState, SiteState, SnapshotState, StoreState, WrittenSnapshot};

pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let mut all = requests(upstreams);
    all.extend(states(upstreams));
    all
}

fn requests(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, points: &dyn Fn(&OfSite, &SiteTotals) -> Vec<Point>| {
        let sites = upstreams.iter().filter_map(|upstream| Some((upstream, upstream.totals.site.as_ref()?)));
        Family::of(name, sites.flat_map(|(upstream, totals)| points(&site_of(upstream), totals)).collect())
    };
    vec![
        family("unladen.site.requests", &|site, totals| {
            let rows = totals.results.iter();
            rows.map(|row| {
                let mut attributes = vec![site.clone(), ("result", row.result.into_str().into())];
                if !row.why.is_empty() {
                    attributes.push(("reason", row.why.into()));
                }
                Point::whole(attributes, row.requests)
            })
            .collect()
        }),
        family("unladen.site.response.body", &|site, totals| {
            let each = crate::CacheResult::ALL.iter().copied().map(|result| {
                let (requests, bytes) = totals.sum(|other| other == result);
                (requests > 0).then(|| Point::whole(vec![site.clone(), ("result", result.into_str().into())], bytes))
            });
            each.flatten().collect()
        }),
        family("unladen.site.upstream.duration", &|site, totals| {
            let points = ASKED.into_iter().zip(totals.asked).flat_map(|(asked, brought)| {
                BROUGHT.into_iter().zip(brought).filter(|(_, histogram)| histogram.count() > 0).map(
                    move |(brought, histogram)| {
                        let (by, result) = (("by", asked.as_str().into()), ("result", brought.into_str().into()));
                        (vec![by, result], histogram)
                    },
                )
            });
            let of_site =
                |(more, histogram): (Attributes, _)| Point::histogram([vec![site.clone()], more].concat(), histogram);
            points.map(of_site).collect()
        }),
        family("unladen.site.upstream.body", &|site, totals| vec![Point::whole(vec![site.clone()], totals.bytes)]),
        family("unladen.site.upstream.saved_estimate", &|site, totals| {
            vec![Point::real(vec![site.clone()], totals.saved().as_secs_f64())]
        }),
    ]
}

/// Points of a site, by what distinguishes them beside the site.
type Points = Vec<(Attributes, Amount)>;

fn states(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, read: fn(&SiteState) -> Points| {
        let sites = upstreams.iter().filter_map(|upstream| Some((upstream, upstream.site.as_ref()?)));
        let points = sites.flat_map(|(upstream, state)| {
            let of_site = move |(more, value): (Attributes, _)| Point {
                attributes: [vec![site_of(upstream)], more].concat(),
                value,
                exemplars: None,
            };
            read(state).into_iter().map(of_site)
        });
        Family::of(name, points.collect())
    };
    vec![
        family("unladen.cache.size", |state| of_store(state, |store| store.totals.bytes)),
        family("unladen.cache.limit", |state| of_store(state, |store| store.bound)),
        family("unladen.cache.resources", |state| of_store(state, |store| store.totals.resources)),
        family("unladen.cache.stored", |state| of_store(state, |store| store.totals.stored)),
        family("unladen.cache.evicted", |state| of_store(state, |store| store.totals.evicted)),
        family("unladen.cache.purged", |state| of_store(state, |store| store.totals.purged)),
        family("unladen.cache.fetches_in_flight", |state| of_store(state, |store| store.fetches)),
        family("unladen.cache.fetch.body", |state| of_store(state, |store| store.fetch_bytes)),
        family("unladen.site.connections.refused", |state| whole(state.refused)),
        family("unladen.site.connections.closed_for_room", |state| whole(state.closed)),
        family("unladen.site.buffer.memory", |state| whole(state.buffer.memory)),
        family("unladen.site.buffer.disk", |state| whole(state.buffer.disk)),
        family("unladen.site.buffer.files", |state| whole(state.buffer.files)),
        family("unladen.site.buffer.failures", |state| whole(state.buffer.failures)),
        family("unladen.queue.running", |state| whole(state.queue.as_ref().map(|queue| queue.running))),
        family("unladen.queue.places", |state| whole(state.queue.as_ref().and_then(|queue| queue.places))),
        family("unladen.queue.waiting", |state| whole(state.queue.as_ref().map(|queue| queue.waiting))),
        family("unladen.queue.overload", |state| whole(state.queue.as_ref().map(|queue| u64::from(queue.is_overload)))),
        family("unladen.queue.refused", |state| {
            let refused = state.queue.iter().flat_map(|queue| queue.refused);
            refused.map(|(why, n)| (vec![("reason", why.into())], Amount::Whole(n))).collect()
        }),
        family("unladen.queue.left", |state| whole(state.queue.as_ref().map(|queue| queue.left))),
        family("unladen.queue.wait.duration", |state| {
            state.queue.iter().map(|queue| (Vec::new(), Amount::Histogram(queue.waited))).collect()
        }),
        family("unladen.validator.asked", |state| of_validators(state, |one| whole(one.asked))),
        family("unladen.validator.collapsed", |state| of_validators(state, |one| whole(one.shared))),
        family("unladen.validator.failed", |state| {
            of_validators(state, |one| {
                let failed = [("timeout", one.timeouts), ("error", one.failed.saturating_sub(one.timeouts))];
                failed.into_iter().map(|(why, n)| (vec![("reason", why.into())], Amount::Whole(n))).collect()
            })
        }),
        family("unladen.validator.remembered", |state| of_validators(state, |one| whole(one.remembered))),
        family("unladen.validator.bypassed", |state| of_validators(state, |one| whole(one.bypassed))),
        family("unladen.validator.from_others", |state| of_validators(state, |one| whole(one.from_others))),
        family("unladen.validator.share_failed", |state| of_validators(state, |one| whole(one.share_failed))),
        family("unladen.validator.listening", |state| {
            of_validators(state, |one| whole(one.is_listening.map(u64::from)))
        }),
        family("unladen.validator.sharing", |state| of_validators(state, |one| whole(one.is_sharing.map(u64::from)))),
        family("unladen.snapshot.loaded", |state| of_snapshot(state, |snapshot| snapshot.loaded)),
        family("unladen.snapshot.rejected", |state| {
            let rejected = state.snapshot.iter().flat_map(|snapshot| &snapshot.rejected);
            rejected.map(|(why, n)| (vec![("reason", (*why).into())], Amount::Whole(*n))).collect()
        }),
        family("unladen.snapshot.refused", |state| of_snapshot(state, |snapshot| snapshot.refused.is_some().into())),
        family("unladen.snapshot.failures", |state| of_snapshot(state, |snapshot| snapshot.failures)),
        family("unladen.snapshot.last_written", |state| of_last(state, |last| Amount::Real(last.at as f64 / 1000.0))),
        family("unladen.snapshot.responses", |state| of_last(state, |last| Amount::Whole(last.responses))),
        family("unladen.snapshot.size", |state| of_last(state, |last| Amount::Whole(last.bytes))),
        family("unladen.snapshot.duration", |state| of_last(state, |last| Amount::Real(last.took.as_secs_f64()))),
        family("unladen.certificate.not_after", |state| of_certificates(state, |one| one.not_after)),
        family("unladen.certificate.failures", |state| {
            of_certificates(state, |one| Some(one.orders.as_ref()?.failures))
        }),
        family("unladen.certificate.next_step", |state| of_certificates(state, |one| one.orders.as_ref()?.next)),
    ]
}

fn whole(n: impl Into<Option<u64>>) -> Points {
    n.into().map(|n| (Vec::new(), Amount::Whole(n))).into_iter().collect()
}

fn of_store(state: &SiteState, read: fn(&StoreState) -> u64) -> Points {
    whole(state.store.as_ref().map(read))
}

fn of_snapshot(state: &SiteState, read: fn(&SnapshotState) -> u64) -> Points {
    whole(state.snapshot.as_ref().map(read))
}

fn of_last(state: &SiteState, read: fn(&WrittenSnapshot) -> Amount) -> Points {
    let last = state.snapshot.iter().filter_map(|snapshot| snapshot.last.as_ref());
    last.map(|last| (Vec::new(), read(last))).collect()
}

fn of_validators(state: &SiteState, read: fn(&unladen_validator::State) -> Points) -> Points {
    let of = |(path, state): &(String, unladen_validator::State)| {
        let validator = ("validator", Cow::from(path.clone()));
        read(state).into_iter().map(move |(more, value)| ([vec![validator.clone()], more].concat(), value))
    };
    state.validators.iter().flat_map(of).collect()
}

fn of_certificates(state: &SiteState, read: fn(&CertificateState) -> Option<u64>) -> Points {
    let of = |one: &CertificateState| Some((vec![("name", one.name.clone().into())], Amount::Whole(read(one)?)));
    state.certificates.iter().filter_map(of).collect()
}

type OfSite = (&'static str, Cow<'static, str>);

fn site_of(upstream: &UpstreamSnapshot) -> OfSite {
    ("site", upstream.name.to_string().into())
}
