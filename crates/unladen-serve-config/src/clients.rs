//! Reads `[site.clients]`.

use unladen_toml::Value;

use super::explain::{Origin, Shown};
use super::groups::or_none;
use super::level::Level;
use super::reading::Reading;
use crate::settings::CrowdSettings;

/// A larger count is taken for a typing error.
const MANY: u64 = 1_000_000;

pub(super) fn read(site: &Level<'_>, r: &mut Reading<'_>) -> CrowdSettings {
    let (value, origin) = match site.find("clients", r) {
        Some((_, origin)) => (Shown::Flag(true), origin),
        None => (Shown::None, Origin::BuiltIn),
    };
    r.explain((site.whose.clone(), None), (site.table, "clients"), value, origin);
    let level = &site.group("clients", r);
    let usual = CrowdSettings::default();
    let clients = CrowdSettings {
        connections: level.count("connections", 1..=MANY, usual.connections, r),
        network_connections: level.count("network_connections", 1..=MANY, usual.network_connections, r),
        uploads: level.count("uploads", 1..=MANY, usual.uploads, r),
        network_uploads: level.count("network_uploads", 1..=MANY, usual.network_uploads, r),
        rate: rate(level, "rate", usual.rate, r),
        network_rate: rate(level, "network_rate", usual.network_rate, r),
        hits: level.flag("hits", usual.hits, r),
        ipv4: level.count("ipv4", 0..=32, usual.ipv4, r),
        ipv6: level.count("ipv6", 0..=128, usual.ipv6, r),
    };
    for (one, all, at) in [
        (clients.connections, clients.network_connections, ["network_connections", "connections"]),
        (clients.uploads, clients.network_uploads, ["network_uploads", "uploads"]),
    ] {
        if one > all {
            let what = at[1];
            r.warn(
                level.at(&at),
                format!("`clients.network_{what}` is below `clients.{what}`: one client can use up its whole network's share"),
            );
        }
    }
    clients
}

fn rate(level: &Level<'_>, name: &'static str, usual: Option<f64>, r: &mut Reading<'_>) -> Option<f64> {
    let expected = "requests a second, from 0.001 to 1000000, or \"none\"";
    let read = |value: &Value<'_>, _: &mut Reading<'_>| or_none(value, |value| value.number(0.001..=1e6, expected));
    level.take(name, usual, r, read, |rate| rate.map_or(Shown::None, Shown::Number))
}
