//! [`GROUPS`]: the tables that stand below others, and what of them `[defaults]` may have.

/// The tables that a `[[outbound]]` and a `[[site]]` may have, and `[defaults]` too.
pub(crate) const GROUPS: [&str; 11] =
    ["pool", "limits", "timeouts", "retry", "breaker", "outlier", "health", "resolve", "client", "buffer", "rate"];

/// The keys of a `[[outbound]]` itself that `[defaults]` may have too.
pub(crate) const SHARED: [&str; 10] =
    ["ca", "certificate", "key", "http", "balance", "forwarded", "via", "request_id", "http2", "socket_mode"];

/// Tables that are told as one value.
pub(crate) const INLINE: [&str; 5] = ["upstream", "tls", "eab", "request", "access"];
