//! Metrics of rate limit services: [`families`].

use super::family::{Attributes, Family, Point};
use crate::rate_services::RateServiceState;

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
    let gauge = |name, value: fn(&RateServiceState) -> u64| {
        Family::of(name, services.iter().map(|state| Point::whole(of(state, None), value(state))).collect())
    };
    vec![
        Family::of("unladen.rate_limit_service.requests", services.iter().flat_map(results).collect()),
        gauge("unladen.rate_limit_service.open", |state| state.is_open.into()),
        gauge("unladen.rate_limit_service.in_flight", |state| state.in_flight),
    ]
}
