//! Metrics of the certificates of sites: [`families`].

use super::family::{Family, Point};
use super::site::{OfSite, present};
use crate::certificate_state::CertificateState;
use crate::metrics_snapshot::UpstreamSnapshot;
use crate::sites::SiteState;

pub(super) fn families(upstreams: &[UpstreamSnapshot]) -> Vec<Family> {
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
