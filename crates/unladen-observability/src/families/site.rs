//! Metrics of sites: [`families`].

use std::borrow::Cow;

use super::family::{Attributes, Family, Point, Shape, Unit};
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::site_counts::{ASKED, BROUGHT, SiteTotals};
use crate::sites::{BufferState, QueueState, SiteState, StoreState};

/// Of those of these upstreams that are sites.
pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, unit, shape, help, points| Family { name, unit, shape, help, points };
    let mut all = vec![
        family(
            "unladen.site.requests",
            Unit::Of("{request}"),
            Shape::Counter,
            "Requests by what the cache did, and why.",
            counted(upstreams, |site, totals| {
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
        ),
        family(
            "unladen.site.response.body",
            Unit::Bytes,
            Shape::Counter,
            "Bytes of bodies that clients got, by what the cache did.",
            counted(upstreams, |site, totals| {
                let each = crate::CacheResult::ALL.into_iter().map(|result| {
                    let (requests, bytes) = totals.sum(|other| other == result);
                    (requests > 0).then(|| Point::whole(vec![site.clone(), ("result", result.as_str().into())], bytes))
                });
                each.flatten().collect()
            }),
        ),
        family(
            "unladen.site.upstream.duration",
            Unit::Seconds,
            Shape::Histogram,
            "Requests that were sent to the application: from when it had the request to its answer's last byte.",
            counted(upstreams, |site, totals| {
                let points = ASKED.into_iter().zip(totals.asked).flat_map(|(asked, brought)| {
                    BROUGHT.into_iter().zip(brought).filter(|(_, histogram)| histogram.count() > 0).map(
                        move |(brought, histogram)| {
                            let (by, result) = (("by", asked.as_str().into()), ("result", brought.as_str().into()));
                            (vec![by, result], histogram)
                        },
                    )
                });
                let of_site = |(more, histogram): (Attributes, _)| {
                    Point::histogram([vec![site.clone()], more].concat(), histogram)
                };
                points.map(of_site).collect()
            }),
        ),
        family(
            "unladen.site.upstream.body",
            Unit::Bytes,
            Shape::Counter,
            "Bytes of bodies that the application sent.",
            counted(upstreams, |site, totals| vec![Point::whole(vec![site.clone()], totals.bytes)]),
        ),
        family(
            "unladen.site.upstream.saved_estimate",
            Unit::Seconds,
            Shape::Gauge,
            "An estimate: the application's time (not its CPU time) that the cache has saved, if what was answered from memory had \
             taken as long as what was fetched took on average; less what the fetches took.",
            counted(upstreams, |site, totals| vec![Point::real(vec![site.clone()], totals.saved().as_secs_f64())]),
        ),
    ];
    all.extend(store(upstreams));
    all.extend(crowd(upstreams));
    all.extend(buffer(upstreams));
    all.extend(queue(upstreams));
    all.extend(validators(upstreams));
    all
}

fn store(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, unit, shape, help, read: fn(&StoreState) -> u64| Family {
        name,
        unit,
        shape,
        help,
        points: present(upstreams, |site, state| {
            state.store.iter().map(|store| Point::whole(vec![site.clone()], read(store))).collect()
        }),
    };
    vec![
        family("unladen.cache.size", Unit::Bytes, Shape::UpDown, "Memory that what is stored takes.", |store| {
            store.totals.bytes
        }),
        family("unladen.cache.limit", Unit::Bytes, Shape::Gauge, "Memory that it may take.", |store| store.bound),
        family(
            "unladen.cache.resources",
            Unit::Of("{resource}"),
            Shape::UpDown,
            "URLs of which something is stored.",
            |store| store.totals.resources,
        ),
        family(
            "unladen.cache.stored",
            Unit::Of("{response}"),
            Shape::Counter,
            "Responses that were stored, those in the place of others included.",
            |store| store.totals.stored,
        ),
        family(
            "unladen.cache.evicted",
            Unit::Of("{response}"),
            Shape::Counter,
            "Responses that had to make room.",
            |store| store.totals.evicted,
        ),
        family(
            "unladen.cache.purged",
            Unit::Of("{response}"),
            Shape::Counter,
            "Responses that were purged, softly ones included.",
            |store| store.totals.purged,
        ),
        family(
            "unladen.cache.fetches_in_flight",
            Unit::Of("{response}"),
            Shape::UpDown,
            "Answers that are on their way from the application, for all who wait for them.",
            |store| store.fetches,
        ),
        family(
            "unladen.cache.fetch.body",
            Unit::Bytes,
            Shape::UpDown,
            "Bytes of their bodies that are there already.",
            |store| store.fetch_bytes,
        ),
    ]
}

fn crowd(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, help, read: fn(&SiteState) -> u64| Family {
        name,
        unit: Unit::Of("{connection}"),
        shape: Shape::Counter,
        help,
        points: present(upstreams, |site, state| vec![Point::whole(vec![site.clone()], read(state))]),
    };
    vec![
        family(
            "unladen.site.connections.refused",
            "Connections that were closed as soon as they came, as their client or network had as many as it may.",
            |state| state.refused,
        ),
        family(
            "unladen.site.connections.closed_for_room",
            "Connections that waited for a request, and were closed to make room for others.",
            |state| state.closed,
        ),
    ]
}

fn buffer(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, unit, shape, help, read: fn(&BufferState) -> u64| Family {
        name,
        unit,
        shape,
        help,
        points: present(upstreams, |site, state| vec![Point::whole(vec![site.clone()], read(&state.buffer))]),
    };
    vec![
        family(
            "unladen.site.buffer.memory",
            Unit::Bytes,
            Shape::UpDown,
            "Memory that bodies take that wait.",
            |buffer| buffer.memory,
        ),
        family("unladen.site.buffer.disk", Unit::Bytes, Shape::UpDown, "What they take of files.", |buffer| {
            buffer.disk
        }),
        family(
            "unladen.site.buffer.files",
            Unit::Of("{file}"),
            Shape::Counter,
            "Bodies that did not fit into memory.",
            |buffer| buffer.files,
        ),
        family(
            "unladen.site.buffer.failures",
            Unit::Of("{failure}"),
            Shape::Counter,
            "Bodies that could not be written to a file, or read from it.",
            |buffer| buffer.failures,
        ),
    ]
}

fn queue(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, unit, shape, help, read: fn(&OfSite, &QueueState) -> Vec<Point>| Family {
        name,
        unit,
        shape,
        help,
        points: present(upstreams, |site, state| state.queue.iter().flat_map(|queue| read(site, queue)).collect()),
    };
    let request = Unit::Of("{request}");
    vec![
        family(
            "unladen.queue.running",
            request,
            Shape::UpDown,
            "Requests that the application works on, as far as they came by the queue.",
            |site, queue| vec![Point::whole(vec![site.clone()], queue.running)],
        ),
        family("unladen.queue.places", request, Shape::Gauge, "How many it may be given at a time.", |site, queue| {
            queue.places.iter().map(|places| Point::whole(vec![site.clone()], *places)).collect()
        }),
        family(
            "unladen.queue.waiting",
            request,
            Shape::UpDown,
            "Requests that wait for the application.",
            |site, queue| vec![Point::whole(vec![site.clone()], queue.waiting)],
        ),
        family(
            "unladen.queue.overload",
            Unit::Of("1"),
            Shape::Gauge,
            "1 while requests are refused before they have waited for as long as they may.",
            |site, queue| vec![Point::whole(vec![site.clone()], queue.is_overload.into())],
        ),
        family(
            "unladen.queue.refused",
            request,
            Shape::Counter,
            "Requests that were answered 503 in the application's place, and why.",
            |site, queue| {
                let of = |(why, n): (&'static str, u64)| Point::whole(vec![site.clone(), ("reason", why.into())], n);
                queue.refused.into_iter().map(of).collect()
            },
        ),
        family(
            "unladen.queue.left",
            request,
            Shape::Counter,
            "Requests whose clients left while they waited.",
            |site, queue| vec![Point::whole(vec![site.clone()], queue.left)],
        ),
        family(
            "unladen.queue.wait.duration",
            Unit::Seconds,
            Shape::Histogram,
            "How long requests waited that got to the application, without those that did not have to wait.",
            |site, queue| vec![Point::histogram(vec![site.clone()], queue.waited)],
        ),
    ]
}

fn validators(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    type Counts = Vec<(Option<(&'static str, &'static str)>, u64)>;
    let family = |name, thing, help, read: fn(&unladen_validator::State) -> Counts| Family {
        name,
        unit: Unit::Of(thing),
        shape: Shape::Counter,
        help,
        points: present(upstreams, |site, state| {
            let each = state.validators.iter().flat_map(|(path, state)| {
                read(state).into_iter().map(move |(more, n)| {
                    let mut attributes = vec![site.clone(), ("validator", Cow::from(path.clone()))];
                    attributes.extend(more.map(|(key, value)| (key, value.into())));
                    Point::whole(attributes, n)
                })
            });
            each.collect()
        }),
    };
    vec![
        family("unladen.validator.asked", "{question}", "Questions that were asked of its source.", |state| {
            vec![(None, state.asked)]
        }),
        family(
            "unladen.validator.collapsed",
            "{request}",
            "Requests that waited for the answer to another's question.",
            |state| vec![(None, state.shared)],
        ),
        family("unladen.validator.failed", "{question}", "Questions that were not answered, and why.", |state| {
            let others = state.failed.saturating_sub(state.timeouts);
            vec![(Some(("reason", "timeout")), state.timeouts), (Some(("reason", "error")), others)]
        }),
        family(
            "unladen.validator.remembered",
            "{request}",
            "Requests that were not asked about, as an answer before was vouched for or young enough.",
            |state| vec![(None, state.remembered)],
        ),
        family(
            "unladen.validator.bypassed",
            "{request}",
            "Requests of clients that had just changed something, which were asked about all the same.",
            |state| vec![(None, state.bypassed)],
        ),
        family(
            "unladen.validator.from_others",
            "{question}",
            "Questions that another node's answer did for.",
            |state| vec![(None, state.from_others)],
        ),
        family(
            "unladen.validator.share_failed",
            "{question}",
            "Questions that were asked here, as the engine that nodes share answers by was of no use.",
            |state| vec![(None, state.share_failed)],
        ),
        Family {
            shape: Shape::UpDown,
            ..family(
                "unladen.validator.listening",
                "1",
                "Whether notifications of changes are heard: 1, or 0.",
                |state| state.is_listening.map(|is| (None, u64::from(is))).into_iter().collect(),
            )
        },
        Family {
            shape: Shape::UpDown,
            ..family(
                "unladen.validator.sharing",
                "1",
                "Whether answers can be shared with other nodes: 1, or 0.",
                |state| state.is_sharing.map(|is| (None, u64::from(is))).into_iter().collect(),
            )
        },
    ]
}

/// The attribute that says whose a point is.
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
