//! Metrics of services of limits: [`families`].

use super::family::{Attributes, Family, Point, Shape, Unit};
use crate::rate_services::RateServiceState;

/// Of each that is asked.
pub(super) fn families(services: &[RateServiceState]) -> Vec<Family> {
    let of = |state: &RateServiceState, result: Option<&'static str>| -> Attributes {
        let service = ("service", state.service.clone().into());
        [Some(service), result.map(|result| ("result", result.into()))].into_iter().flatten().collect()
    };
    let results = |state: &RateServiceState| {
        let all = [
            ("within", state.within),
            ("over", state.over),
            ("late", state.late),
            ("failed", state.failed),
            ("open", state.open),
            ("busy", state.busy),
        ];
        all.map(|(result, n)| Point::whole(of(state, Some(result)), n))
    };
    let gauge = |name, thing, help, value: fn(&RateServiceState) -> u64| Family {
        name,
        unit: Unit::Of(thing),
        shape: Shape::Gauge,
        help,
        points: services.iter().map(|state| Point::whole(of(state, None), value(state))).collect(),
    };
    vec![
        Family {
            name: "unladen.rate_limit_service.requests",
            unit: Unit::Of("{request}"),
            shape: Shape::Counter,
            help: "Requests with a bound of a service of limits: within it, over it; late, failed, open, busy: no answer, and the process's own bound held.",
            points: services.iter().flat_map(results).collect(),
        },
        gauge(
            "unladen.rate_limit_service.open",
            "1",
            "1 while the service has failed so often that it is only tried from time to time.",
            |state| state.is_open.into(),
        ),
        gauge(
            "unladen.rate_limit_service.in_flight",
            "{request}",
            "Questions that wait for the service's answer.",
            |state| state.in_flight,
        ),
    ]
}
