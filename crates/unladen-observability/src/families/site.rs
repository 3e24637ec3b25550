//! Metrics of sites: [`families`].

use std::borrow::Cow;

use super::family::{Amount, Attributes, Family, Point};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::site_counts::{ASKED, BROUGHT, SiteTotals};
use crate::sites::{BufferState, CertificateState, QueueState, SiteState, SnapshotState, StoreState, WrittenSnapshot};

pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let mut all = requests(upstreams);
    all.extend(store(upstreams));
    all.extend(crowd(upstreams));
    all.extend(buffer(upstreams));
    all.extend(queue(upstreams));
    all.extend(validators(upstreams));
    all
}

fn requests(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family =
        |name, points: &dyn Fn(&OfSite, &SiteTotals) -> Vec<Point>| Family::of(name, counted(upstreams, points));
    vec![
        family("unladen.site.requests", &|site, totals| {
            let rows = totals.results.iter();
            rows.map(|row| {
                let mut attributes = vec![site.clone(), ("result", row.result.as_str().into())];
                if !row.why.is_empty() {
                    attributes.push(("reason", row.why.into()));
                }
                Point::whole(attributes, row.requests)
            })
            .collect()
        }),
        family("unladen.site.response.body", &|site, totals| {
            let each = crate::CacheResult::ALL.into_iter().map(|result| {
                let (requests, bytes) = totals.sum(|other| other == result);
                (requests > 0).then(|| Point::whole(vec![site.clone(), ("result", result.as_str().into())], bytes))
            });
            each.flatten().collect()
        }),
        family("unladen.site.upstream.duration", &|site, totals| {
            let points = ASKED.into_iter().zip(totals.asked).flat_map(|(asked, brought)| {
                BROUGHT.into_iter().zip(brought).filter(|(_, histogram)| histogram.count() > 0).map(
                    move |(brought, histogram)| {
                        let (by, result) = (("by", asked.as_str().into()), ("result", brought.as_str().into()));
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

fn store(upstreams: &[UpstreamSnapshot]) -> [Family; 8] {
    let family = |name, read: fn(&StoreState) -> u64| {
        let of_site = |site: &OfSite, state: &SiteState| {
            state.store.iter().map(|store| Point::whole(vec![site.clone()], read(store))).collect()
        };
        Family::of(name, present(upstreams, of_site))
    };
    [
        family("unladen.cache.size", |store| store.totals.bytes),
        family("unladen.cache.limit", |store| store.bound),
        family("unladen.cache.resources", |store| store.totals.resources),
        family("unladen.cache.stored", |store| store.totals.stored),
        family("unladen.cache.evicted", |store| store.totals.evicted),
        family("unladen.cache.purged", |store| store.totals.purged),
        family("unladen.cache.fetches_in_flight", |store| store.fetches),
        family("unladen.cache.fetch.body", |store| store.fetch_bytes),
    ]
}

fn crowd(upstreams: &[UpstreamSnapshot]) -> [Family; 2] {
    let family = |name, read: fn(&SiteState) -> u64| {
        Family::of(name, present(upstreams, |site, state| vec![Point::whole(vec![site.clone()], read(state))]))
    };
    [
        family("unladen.site.connections.refused", |state| state.refused),
        family("unladen.site.connections.closed_for_room", |state| state.closed),
    ]
}

fn buffer(upstreams: &[UpstreamSnapshot]) -> [Family; 4] {
    let family = |name, read: fn(&BufferState) -> u64| {
        Family::of(name, present(upstreams, |site, state| vec![Point::whole(vec![site.clone()], read(&state.buffer))]))
    };
    [
        family("unladen.site.buffer.memory", |buffer| buffer.memory),
        family("unladen.site.buffer.disk", |buffer| buffer.disk),
        family("unladen.site.buffer.files", |buffer| buffer.files),
        family("unladen.site.buffer.failures", |buffer| buffer.failures),
    ]
}

fn queue(upstreams: &[UpstreamSnapshot]) -> [Family; 7] {
    let family = |name, read: fn(&OfSite, &QueueState) -> Vec<Point>| {
        let of_site =
            |site: &OfSite, state: &SiteState| state.queue.iter().flat_map(|queue| read(site, queue)).collect();
        Family::of(name, present(upstreams, of_site))
    };
    [
        family("unladen.queue.running", |site, queue| vec![Point::whole(vec![site.clone()], queue.running)]),
        family("unladen.queue.places", |site, queue| {
            queue.places.iter().map(|places| Point::whole(vec![site.clone()], *places)).collect()
        }),
        family("unladen.queue.waiting", |site, queue| vec![Point::whole(vec![site.clone()], queue.waiting)]),
        family("unladen.queue.overload", |site, queue| {
            vec![Point::whole(vec![site.clone()], queue.is_overload.into())]
        }),
        family("unladen.queue.refused", |site, queue| {
            let of = |(why, n): (&'static str, u64)| Point::whole(vec![site.clone(), ("reason", why.into())], n);
            queue.refused.into_iter().map(of).collect()
        }),
        family("unladen.queue.left", |site, queue| vec![Point::whole(vec![site.clone()], queue.left)]),
        family("unladen.queue.wait.duration", |site, queue| vec![Point::histogram(vec![site.clone()], queue.waited)]),
    ]
}

fn validators(upstreams: &[UpstreamSnapshot]) -> [Family; 9] {
    type Counts = Vec<(Option<(&'static str, &'static str)>, u64)>;
    fn flag(is_so: Option<bool>) -> Counts {
        is_so.map(|is_so| (None, is_so.into())).into_iter().collect()
    }
    let family = |name, read: fn(&unladen_validator::State) -> Counts| {
        let of_site = |site: &OfSite, state: &SiteState| {
            let each = state.validators.iter().flat_map(|(path, state)| {
                read(state).into_iter().map(move |(more, n)| {
                    let mut attributes = vec![site.clone(), ("validator", Cow::from(path.clone()))];
                    attributes.extend(more.map(|(key, value)| (key, value.into())));
                    Point::whole(attributes, n)
                })
            });
            each.collect()
        };
        Family::of(name, present(upstreams, of_site))
    };
    [
        family("unladen.validator.asked", |state| vec![(None, state.asked)]),
        family("unladen.validator.collapsed", |state| vec![(None, state.shared)]),
        family("unladen.validator.failed", |state| {
            let others = state.failed.saturating_sub(state.timeouts);
            vec![(Some(("reason", "timeout")), state.timeouts), (Some(("reason", "error")), others)]
        }),
        family("unladen.validator.remembered", |state| vec![(None, state.remembered)]),
        family("unladen.validator.bypassed", |state| vec![(None, state.bypassed)]),
        family("unladen.validator.from_others", |state| vec![(None, state.from_others)]),
        family("unladen.validator.share_failed", |state| vec![(None, state.share_failed)]),
        family("unladen.validator.listening", |state| flag(state.is_listening)),
        family("unladen.validator.sharing", |state| flag(state.is_sharing)),
    ]
}

pub(super) type OfSite = (&'static str, Cow<'static, str>);

fn site_of(upstream: &UpstreamSnapshot) -> OfSite {
    ("site", upstream.name.to_string().into())
}

fn counted(upstreams: &[UpstreamSnapshot], points: impl Fn(&OfSite, &SiteTotals) -> Vec<Point>) -> Vec<Point> {
    let sites = upstreams.iter().filter_map(|upstream| Some((upstream, upstream.totals.site.as_ref()?)));
    sites.flat_map(|(upstream, totals)| points(&site_of(upstream), totals)).collect()
}

pub(super) fn present(
    upstreams: &[UpstreamSnapshot],
    points: impl Fn(&OfSite, &SiteState) -> Vec<Point>,
) -> Vec<Point> {
    let sites = upstreams.iter().filter_map(|upstream| Some((upstream, upstream.site.as_ref()?)));
    sites.flat_map(|(upstream, state)| points(&site_of(upstream), state)).collect()
}

pub(super) fn certificates(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, read: fn(&CertificateState) -> Option<u64>| {
        let of_site = |site: &OfSite, state: &SiteState| {
            let point = |one: &CertificateState| {
                Some(Point::whole(vec![site.clone(), ("name", one.name.clone().into())], read(one)?))
            };
            state.certificates.iter().filter_map(point).collect()
        };
        Family::of(name, present(upstreams, of_site))
    };
    vec![
        family("unladen.certificate.not_after", |certificate| certificate.not_after),
        family("unladen.certificate.failures", |certificate| Some(certificate.orders.as_ref()?.failures)),
        family("unladen.certificate.next_step", |certificate| certificate.orders.as_ref()?.next),
    ]
}

pub(super) fn snapshots(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let count = |name, read: fn(&SnapshotState) -> u64| {
        let of_site = |site: &OfSite, state: &SiteState| {
            state.snapshot.iter().map(|snapshot| Point::whole(vec![site.clone()], read(snapshot))).collect()
        };
        Family::of(name, present(upstreams, of_site))
    };
    let last = |name, read: fn(&WrittenSnapshot) -> Amount| {
        let of_site = |site: &OfSite, state: &SiteState| {
            let last = state.snapshot.iter().filter_map(|snapshot| snapshot.last.as_ref());
            last.map(|last| Point { attributes: vec![site.clone()], value: read(last), exemplars: None }).collect()
        };
        Family::of(name, present(upstreams, of_site))
    };
    let rejected = present(upstreams, |site, state| {
        let rejected = state.snapshot.iter().flat_map(|snapshot| &snapshot.rejected);
        rejected.map(|(why, n)| Point::whole(vec![site.clone(), ("reason", (*why).into())], *n)).collect()
    });
    vec![
        count("unladen.snapshot.loaded", |snapshot| snapshot.loaded),
        Family::of("unladen.snapshot.rejected", rejected),
        count("unladen.snapshot.refused", |snapshot| u64::from(snapshot.refused.is_some())),
        count("unladen.snapshot.failures", |snapshot| snapshot.failures),
        last("unladen.snapshot.last_written", |last| Amount::Real(last.at as f64 / 1000.0)),
        last("unladen.snapshot.responses", |last| Amount::Whole(last.responses)),
        last("unladen.snapshot.size", |last| Amount::Whole(last.bytes)),
        last("unladen.snapshot.duration", |last| Amount::Real(last.took.as_secs_f64())),
    ]
}
