//! Metrics of fronts: [`families`].

use std::borrow::Cow;

use super::{Amount, Attributes, Family, Point, Shape, Unit, UpstreamSnapshot};
use crate::seeing::front_counts::{ASKED, BROUGHT, FrontTotals};
use crate::seeing::fronts::{FrontState, StoreState};

/// Of those of these upstreams that are fronts.
pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, unit, shape, help, points| Family { name, unit, shape, help, points };
    let mut all = vec![
        family(
            "unladen.front.requests",
            Unit::Of("{request}"),
            Shape::Counter,
            "Requests by what the cache did, and why.",
            counted(upstreams, |front, totals| {
                let rows = totals.results.iter();
                rows.map(|row| {
                    let mut attributes = vec![front.clone(), ("result", row.result.as_str().into())];
                    if !row.why.is_empty() {
                        attributes.push(("why", row.why.into()));
                    }
                    Point::whole(attributes, row.requests)
                })
                .collect()
            }),
        ),
        family(
            "unladen.front.response.body",
            Unit::Bytes,
            Shape::Counter,
            "Bytes of bodies that clients got, by what the cache did.",
            counted(upstreams, |front, totals| {
                let each = crate::CacheResult::ALL.into_iter().map(|result| {
                    let (requests, bytes) = totals.sum(|other| other == result);
                    (requests > 0).then(|| Point::whole(vec![front.clone(), ("result", result.as_str().into())], bytes))
                });
                each.flatten().collect()
            }),
        ),
        family(
            "unladen.front.application.duration",
            Unit::Seconds,
            Shape::Histogram,
            "Requests that were sent to the application: from when it had the request to its answer's last byte.",
            counted(upstreams, |front, totals| {
                let points = ASKED.into_iter().zip(totals.asked).flat_map(|(asked, brought)| {
                    BROUGHT.into_iter().zip(brought).filter(|(_, histogram)| histogram.count() > 0).map(
                        move |(brought, histogram)| {
                            let (by, result) = (("by", asked.as_str().into()), ("result", brought.as_str().into()));
                            (vec![by, result], histogram)
                        },
                    )
                });
                let of_front = |(more, histogram): (Attributes, _)| {
                    Point::histogram([vec![front.clone()], more].concat(), histogram)
                };
                points.map(of_front).collect()
            }),
        ),
        family(
            "unladen.front.application.body",
            Unit::Bytes,
            Shape::Counter,
            "Bytes of bodies that the application sent.",
            counted(upstreams, |front, totals| vec![Point::whole(vec![front.clone()], totals.bytes)]),
        ),
        family(
            "unladen.front.application.saved_estimate",
            Unit::Seconds,
            Shape::Gauge,
            "An estimate: the application's time (not its CPU time) that the cache has saved, if what was answered from memory had \
             taken as long as what was fetched took on average; less what the fetches took.",
            counted(upstreams, |front, totals| {
                vec![Point { attributes: vec![front.clone()], value: Amount::Real(totals.saved().as_secs_f64()) }]
            }),
        ),
    ];
    all.extend(store(upstreams));
    all.extend(validators(upstreams));
    all
}

fn store(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, unit, shape, help, read: fn(&StoreState) -> u64| Family {
        name,
        unit,
        shape,
        help,
        points: present(upstreams, |front, state| {
            state.store.iter().map(|store| Point::whole(vec![front.clone()], read(store))).collect()
        }),
    };
    vec![
        family("unladen.front.store", Unit::Bytes, Shape::UpDown, "Memory that what is stored takes.", |store| {
            store.totals.bytes
        }),
        family("unladen.front.store.limit", Unit::Bytes, Shape::Gauge, "Memory that it may take.", |store| store.bound),
        family(
            "unladen.front.store.resources",
            Unit::Of("{resource}"),
            Shape::UpDown,
            "URLs of which something is stored.",
            |store| store.totals.resources,
        ),
        family(
            "unladen.front.store.stored",
            Unit::Of("{response}"),
            Shape::Counter,
            "Responses that were stored, those in the place of others included.",
            |store| store.totals.stored,
        ),
        family(
            "unladen.front.store.evicted",
            Unit::Of("{response}"),
            Shape::Counter,
            "Responses that had to make room.",
            |store| store.totals.evicted,
        ),
        family(
            "unladen.front.store.purged",
            Unit::Of("{response}"),
            Shape::Counter,
            "Responses that were purged, softly ones included.",
            |store| store.totals.purged,
        ),
        family(
            "unladen.front.fillings",
            Unit::Of("{response}"),
            Shape::UpDown,
            "Answers that are on their way from the application, for all who wait for them.",
            |store| store.fillings,
        ),
        family(
            "unladen.front.fillings.body",
            Unit::Bytes,
            Shape::UpDown,
            "Bytes of their bodies that are there already.",
            |store| store.filling_bytes,
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
        points: present(upstreams, |front, state| {
            let each = state.validators.iter().flat_map(|(path, state)| {
                read(state).into_iter().map(move |(more, n)| {
                    let mut attributes = vec![front.clone(), ("validator", Cow::from(path.clone()))];
                    attributes.extend(more.map(|(key, value)| (key, value.into())));
                    Point::whole(attributes, n)
                })
            });
            each.collect()
        }),
    };
    vec![
        family("unladen.front.validator.asked", "{question}", "Questions that were asked of its source.", |state| {
            vec![(None, state.asked)]
        }),
        family(
            "unladen.front.validator.shared",
            "{request}",
            "Requests that waited for the answer to another's question.",
            |state| vec![(None, state.shared)],
        ),
        family("unladen.front.validator.failed", "{question}", "Questions that were not answered, and why.", |state| {
            let others = state.failed.saturating_sub(state.timeouts);
            vec![(Some(("why", "timeout")), state.timeouts), (Some(("why", "error")), others)]
        }),
    ]
}

/// The attribute that says whose a point is.
type OfFront = (&'static str, Cow<'static, str>);

fn front_of(upstream: &UpstreamSnapshot) -> OfFront {
    ("front", upstream.name.to_string().into())
}

fn counted(upstreams: &[UpstreamSnapshot], points: impl Fn(&OfFront, &FrontTotals) -> Vec<Point>) -> Vec<Point> {
    let fronts = upstreams.iter().filter_map(|upstream| Some((upstream, upstream.totals.front.as_ref()?)));
    fronts.flat_map(|(upstream, totals)| points(&front_of(upstream), totals)).collect()
}

fn present(upstreams: &[UpstreamSnapshot], points: impl Fn(&OfFront, &FrontState) -> Vec<Point>) -> Vec<Point> {
    let fronts = upstreams.iter().filter_map(|upstream| Some((upstream, upstream.front.as_ref()?)));
    fronts.flat_map(|(upstream, state)| points(&front_of(upstream), state)).collect()
}
