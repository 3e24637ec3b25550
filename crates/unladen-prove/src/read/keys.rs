//! The keys of the tables of an experiment.

pub(super) const TOP: [&str; 14] = [
    "variables",
    "title",
    "design",
    "url",
    "urls",
    "restarts",
    "cold",
    "cold_requests",
    "quantiles",
    "within",
    "expect_change",
    "load",
    "service",
    "knob",
];
pub(super) const LOAD: [&str; 20] = [
    "rate",
    "concurrency",
    "arrivals",
    "requests",
    "time",
    "phase",
    "warmup",
    "timeout",
    "headers",
    "cookies",
    "method",
    "body",
    "expect_status",
    "insecure",
    "cacert",
    "http",
    "keep_alive",
    "keep_cookies",
    "resume",
    "from",
];
pub(super) const KNOB: [&str; 7] = ["name", "on", "off", "initial", "restart", "ready", "settle"];
pub(super) const SERVICE: [&str; 4] = ["name", "restart", "unit", "ready"];
