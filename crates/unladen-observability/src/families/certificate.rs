//! Metrics of the certificates of sites: [`families`].

use super::family::{Family, Point, Shape, Unit};
use super::site::present;
use crate::certificate_state::CertificateState;
use crate::metrics_snapshot::UpstreamSnapshot;

/// Of those of these upstreams that are sites.
pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
    let family = |name, unit, help, read: fn(&CertificateState) -> Option<u64>| Family {
        name,
        unit,
        shape: Shape::Gauge,
        help,
        points: present(upstreams, |site, state| {
            let certificates = state.certificates.iter();
            let point = |one: &CertificateState| {
                Some(Point::whole(vec![site.clone(), ("name", one.name.clone().into())], read(one)?))
            };
            certificates.filter_map(point).collect()
        }),
    };
    vec![
        family(
            "unladen.certificate.not_after",
            Unit::Seconds,
            "The last second in which the certificate is valid, since 1970; absent as long as there is none.",
            |certificate| certificate.not_after,
        ),
        family(
            "unladen.certificate.failures",
            Unit::Of("{order}"),
            "Orders at the authority that failed since the last that succeeded; the live page and standard error say why.",
            |certificate| certificate.orders.as_ref().map(|orders| orders.failures),
        ),
        family(
            "unladen.certificate.next_step",
            Unit::Seconds,
            "When the certificate is ordered next, or the authority asked when that should be, since 1970.",
            |certificate| certificate.orders.as_ref().and_then(|orders| orders.next),
        ),
    ]
}
