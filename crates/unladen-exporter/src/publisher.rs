//! The principal type is [`Publisher`]: how some known exporters publish their values.

use std::time::Duration;

/// Families whose values are known to come late, and how long one has to watch to see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Publisher {
    prefix: &'static str,
    /// How long to watch after the last request.
    pub(crate) quiet: Duration,
    /// The least settle gap, however little the watch saw: what a quick machine publishes at once, a busy one publishes
    /// a turn later. Zero if the watch sees each turn.
    pub(crate) settle: Duration,
    pub(crate) hidden: Option<Hidden>,
}

/// Values that may come later than any watch sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    pub who: &'static str,
    pub after: Duration,
    /// The settle gap that rules it out.
    pub settle: Duration,
}

const PUBLISHERS: &[Publisher] = &[
    // A backend of PostgreSQL publishes its counts once a second at most; an idle one with some left, after ten seconds
    // (PGSTAT_MIN_INTERVAL and PGSTAT_IDLE_INTERVAL in its pgstat.c). A closed one publishes as it ends, which nobody
    // waits for: a busy machine once reported 4.56 transactions a request instead of 4, with the usual settle gap.
    Publisher {
        prefix: "pg_stat_",
        quiet: Duration::from_millis(12_000),
        settle: Duration::from_millis(1_250),
        hidden: Some(Hidden {
            who: "a session that stays connected to PostgreSQL publishes once a second at most, and the last of it when it has been \
                  idle for ten seconds",
            after: Duration::from_millis(10_000),
            settle: Duration::from_millis(11_000),
        }),
    },
    // cAdvisor looks at containers once in 10 to 15 s (--housekeeping_interval; the kubelet's own), and caches that.
    Publisher { prefix: "container_", quiet: Duration::from_millis(16_500), settle: Duration::ZERO, hidden: None },
];

/// The exporter's own counters, by client libraries' prefixes: always fresh, and not what it exports.
const OWN: &[&str] = &["go_", "process_", "promhttp_", "python_", "nodejs_", "jvm_", "scrape_"];

pub(crate) fn publisher(family: &str) -> Option<&'static Publisher> {
    PUBLISHERS.iter().find(|publisher| family.starts_with(publisher.prefix))
}

/// Whether it concerns the exporter itself.
pub(crate) fn is_own(family: &str) -> bool {
    OWN.iter().any(|prefix| family.starts_with(prefix)) || family.contains("_exporter_") || family.contains("_scrape")
}
