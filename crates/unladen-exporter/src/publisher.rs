//! The principal type is [`Publisher`]: what is known of how some exporters' values come about.

use std::time::Duration;

/// Families whose values are known to come late, and how long one has to watch to see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Publisher {
    /// How the families' names begin.
    prefix: &'static str,
    /// How long to watch after the last request.
    pub(crate) quiet: Duration,
}

/// The list.
const PUBLISHERS: &[Publisher] = &[
    // A backend of PostgreSQL publishes its counts once a second at most; one that is idle, and has some left, after ten
    // seconds (PGSTAT_MIN_INTERVAL and PGSTAT_IDLE_INTERVAL in its pgstat.c).
    Publisher { prefix: "pg_stat_", quiet: Duration::from_millis(12_000) },
    // cAdvisor looks at containers once in 10 to 15 s (--housekeeping_interval, and the kubelet's own), and answers what
    // it saw then.
    Publisher { prefix: "container_", quiet: Duration::from_millis(16_500) },
];

/// The exporter's own counters, by the names that client libraries give them. They are always fresh, and say nothing of
/// what the exporter tells of.
const OWN: &[&str] = &["go_", "process_", "promhttp_", "python_", "nodejs_", "jvm_", "scrape_"];

/// Of a family, if it is known.
pub(crate) fn publisher(family: &str) -> Option<&'static Publisher> {
    PUBLISHERS.iter().find(|publisher| family.starts_with(publisher.prefix))
}

/// Whether it tells of the exporter itself.
pub(crate) fn is_own(family: &str) -> bool {
    OWN.iter().any(|prefix| family.starts_with(prefix)) || family.contains("_exporter_") || family.contains("_scrape")
}
