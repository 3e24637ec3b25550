//! All metrics: [`families`] makes them.
//!
//! Names and attributes are those of OpenTelemetry's semantic conventions where there are any; own ones begin with
//! `unladen.`.

mod certificate;
mod family;
mod fleet;
mod rate_service;
mod requests;
mod site;
mod snapshot;
mod tier;
mod upstream;

pub(super) use self::family::{Amount, Attributes, Examples, Family, Point, Shape, Unit};
use super::metrics_snapshot::MetricsSnapshot;

/// All metrics, those without points left out.
pub(super) fn families(snapshot: &MetricsSnapshot) -> Vec<Family> {
    let mut all = requests::families(&snapshot.upstreams);
    all.extend(upstream::families(&snapshot.upstreams));
    all.extend(site::families(&snapshot.upstreams));
    all.extend(snapshot::families(&snapshot.upstreams));
    all.extend(certificate::families(&snapshot.upstreams));
    all.extend(fleet::families(snapshot.fleet.as_ref()));
    all.extend(tier::families(snapshot.tier.as_ref()));
    all.extend(rate_service::families(&snapshot.rate_services));
    all.extend(own(snapshot));
    all.retain(|family| !family.points.is_empty());
    all
}

/// Of the process as a whole.
fn own(snapshot: &MetricsSnapshot) -> Vec<Family> {
    let (log, export, process, memory) = (&snapshot.log, &snapshot.export, &snapshot.process, &snapshot.client_memory);
    let whole = |name, unit, shape, help, points: &[(Attributes, u64)]| Family {
        name,
        unit,
        shape,
        help,
        points: points.iter().map(|(attributes, n)| Point::whole(attributes.clone(), *n)).collect(),
    };
    let real = |name, help, shape, value| Family {
        name,
        unit: Unit::Seconds,
        shape,
        help,
        points: vec![Point::real(vec![], value)],
    };
    let of = |key, value: &'static str, n| (vec![(key, value.into())], n);
    vec![
        whole(
            "unladen.access_log.lines",
            Unit::Of("{line}"),
            Shape::Counter,
            "Lines of the access log: written; lost, as too many were waiting; lost, as they could not be written.",
            &[
                of("result", "written", log.written),
                of("result", "lost_full", log.lost_full),
                of("result", "lost_write", log.lost_write),
            ],
        ),
        whole(
            "unladen.otlp.spans",
            Unit::Of("{span}"),
            Shape::Counter,
            "Spans for the collector: taken by it; lost, as too many were waiting; lost, as it did not take them.",
            &[
                of("result", "sent", export.spans_sent),
                of("result", "lost_full", export.spans_full),
                of("result", "lost_export", export.spans_failed),
            ],
        ),
        whole(
            "unladen.otlp.exports",
            Unit::Of("{export}"),
            Shape::Counter,
            "Requests to the collector: taken by it, sent again, given up.",
            &[
                of("result", "taken", export.taken),
                of("result", "retried", export.retried),
                of("result", "given_up", export.given_up),
            ],
        ),
        whole(
            "unladen.build.info",
            Unit::Of("1"),
            Shape::Gauge,
            "Which version this is; always 1.",
            &[of("version", env!("CARGO_PKG_VERSION"), 1)],
        ),
        whole(
            "unladen.draining",
            Unit::Of("1"),
            Shape::Gauge,
            "1 while it stops and lets requests in flight end.",
            &[(vec![], u64::from(snapshot.draining))],
        ),
        whole(
            "unladen.client_memory.held",
            Unit::Bytes,
            Shape::UpDown,
            "What is held for clients: what they do not take yet, and their requests.",
            &[(vec![], memory.held as u64)],
        ),
        whole(
            "unladen.client_memory.limit",
            Unit::Bytes,
            Shape::Gauge,
            "What may be held for clients.",
            &[(vec![], memory.limit as u64)],
        ),
        whole(
            "unladen.client_memory.reached",
            Unit::Of("{time}"),
            Shape::Counter,
            "Times that something had to wait: its connection, its client, or the process held as much as it may.",
            &[
                of("bound", "connection", memory.reached[0]),
                of("bound", "client", memory.reached[1]),
                of("bound", "process", memory.reached[2]),
            ],
        ),
        whole(
            "unladen.client_memory.ended",
            Unit::Of("{connection}"),
            Shape::Counter,
            "Connections that were ended: they took nothing of what they were sent for too long; memory was short, and they took least.",
            &[of("reason", "stalled", memory.ended_stalled), of("reason", "slow", memory.ended_slow)],
        ),
        real("process.cpu", "CPU time of all threads, user and kernel.", Shape::Counter, process.cpu.as_secs_f64()),
        whole("process.resident_memory", Unit::Bytes, Shape::UpDown, "Memory in RAM.", &[(vec![], process.resident)]),
        whole(
            "process.virtual_memory",
            Unit::Bytes,
            Shape::UpDown,
            "Memory that is addressed.",
            &[(vec![], process.addressed)],
        ),
        whole(
            "process.open_fds",
            Unit::Of("{file}"),
            Shape::UpDown,
            "Files and sockets that are open.",
            &[(vec![], process.open_files)],
        ),
        whole(
            "process.max_fds",
            Unit::Of("{file}"),
            Shape::Gauge,
            "Files and sockets that may be open.",
            &[(vec![], process.max_files)],
        ),
        real("process.start_time", "When counting began, since 1970.", Shape::Gauge, snapshot.started.seconds()),
    ]
}

#[cfg(test)]
pub(super) mod tests;
