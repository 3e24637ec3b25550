//! The keys of the whole: the top level, `[admin]`, `[log]`, `[otlp]`.

use super::key::{BYTES, DURATION, FILE, Key, LIST, NUMBER, SHARE, TEXT, key};

/// The keys of the whole.
pub(super) const KEYS: &[Key] = &[
    key(
        "",
        "threads",
        NUMBER,
        "worker threads that carry requests",
        "one for each CPU that this process may use (CPU affinity, cgroup quota)",
    ),
    key(
        "",
        "drain",
        DURATION,
        "on stop or handover, how long requests under way may take to finish",
        "as long as an upstream may take to begin its response; systemd kills the process after 90 s",
    ),
    key(
        "",
        "client_memory",
        BYTES,
        "memory that is held for all clients together: responses that they have not read yet, and their requests; one client may hold a fourth of it, one connection a twelfth",
        "under attack, the process stays within 64 MiB of its idle size",
    ),
    key(
        "",
        "zone",
        TEXT,
        "the zone of this machine: endpoints in it are preferred, where `endpoints` tells zones",
        "none: all zones are alike",
    ),
    key(
        "",
        "admin",
        "table",
        "the admin address: metrics, the live page, purging",
        "there is no admin address unless one is configured",
    ),
    key(
        "",
        "log",
        "table",
        "the access log: one line of JSON a request",
        "there is no access log unless one is configured",
    ),
    key("", "otlp", "table", "an OpenTelemetry collector", "nothing is exported unless a collector is configured"),
    key(
        "",
        "fleet",
        "table",
        "other nodes that purges have to reach: [fleet.md](fleet.md)",
        "purges are forgotten by this process alone",
    ),
    key("admin", "listen", "address", "a loopback address, or a Unix socket", ""),
    key("log", "file", FILE, "the file; each reload reopens it", "standard error, which systemd keeps in its journal"),
    key(
        "log",
        "sample",
        SHARE,
        "the share of requests that is logged; failures and statuses of 500 and more always are",
    key(
        "",
        "tier",
        "table",
        "other nodes that are asked for a page before the application is: [tier.md](tier.md)",
        "each node asks the application itself",
    ),
        "a log is expected to be complete",
    ),
    key(
        "log",
        "fields",
        LIST,
        "the fields of a line: [observability.md](observability.md#the-access-log) lists them",
        "all of them: which field a question needs is known only afterwards",
    ),
    key(
        "log",
        "addresses",
        "`\"full\"`, `\"truncated\"` or `\"none\"`",
        "how client addresses are logged; `truncated`: only the network, /24 of IPv4 and /48 of IPv6",
        "an attacker is found by the address; truncate addresses where they are personal data that you do not need",
    ),
    key("otlp", "endpoint", "URL", "the collector's URL, OTLP over HTTP, such as `http://127.0.0.1:4318`", ""),
    key(
        "otlp",
        "sample",
        SHARE,
        "the share of new traces that is sampled; a caller's own decision (`traceparent`) stands",
        "enough to see what is usual; callers that trace decide themselves",
    ),
    key("otlp", "every", DURATION, "the interval between metric exports", "OpenTelemetry's default"),
    key("otlp", "service", TEXT, "the resource attribute `service.name`", "the program's name"),
];
    key(
        "otlp",
        "environment",
        TEXT,
        "the resource attribute `deployment.environment.name`, such as `production`",
        "none: the attribute is not sent",
    ),
