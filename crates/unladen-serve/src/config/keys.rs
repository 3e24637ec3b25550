//! [`KEYS`]: all that a configuration can say. Reading, `--explain` and docs/serve.md are made of this one list.

/// A key of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The table where it stands; empty: the top level. `pool` and the like are below `[[beside]]` and below `[defaults]`.
    pub table: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How its value is written.
    pub form: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Why its default is what it is; empty: there is none, it has to be given.
    pub why: &'static str,
}

/// The tables that a `[[beside]]` may have, and `[defaults]` too.
pub(super) const GROUPS: [&str; 10] =
    ["pool", "limits", "timeouts", "retry", "breaker", "outlier", "health", "resolve", "client", "rate"];

/// The keys of a `[[beside]]` itself that `[defaults]` may have too.
pub(super) const SHARED: [&str; 9] =
    ["ca", "certificate", "key", "http", "balance", "forwarded", "via", "request_id", "socket_mode"];

const fn key(
    table: &'static str,
    name: &'static str,
    form: &'static str,
    about: &'static str,
    why: &'static str,
) -> Key {
    Key { table, name, form, about, why }
}

const DURATION: &str = "duration";
const BYTES: &str = "bytes";
const NUMBER: &str = "number";
const SHARE: &str = "share";
const FLAG: &str = "true or false";
const TEXT: &str = "text";
const FILE: &str = "file";

/// All keys, table by table.
pub const KEYS: &[Key] = &[
    key(
        "",
        "threads",
        NUMBER,
        "threads that carry requests",
        "one for each CPU that this process may use, by its affinity and its cgroup's quota",
    ),
    key(
        "",
        "drain",
        DURATION,
        "how long requests under way may take when it stops or hands over",
        "as long as an upstream may take to begin its answer; systemd kills after 90 s",
    ),
    key("", "admin", "table", "where it shows itself", "nothing is shown unless that is asked for"),
    key("", "log", "table", "the access log: JSON, a request a line", "nothing is written unless that is asked for"),
    key("", "otlp", "table", "a collector of OpenTelemetry", "nothing is sent unless that is asked for"),
    key("admin", "listen", "address", "a loopback address, or a Unix socket", ""),
    key(
        "log",
        "file",
        FILE,
        "where to; opened anew at each reload",
        "standard error, which systemd keeps in its journal",
    ),
    key(
        "log",
        "sample",
        SHARE,
        "the share of requests that is written; statuses from 500 on and failures always are",
        "whoever asks for a log expects all of it",
    ),
    key("otlp", "endpoint", "URL", "of the collector, OTLP over HTTP, such as `http://127.0.0.1:4318`", ""),
    key(
        "otlp",
        "sample",
        SHARE,
        "the share of requests that is traced, of those for which the caller (`traceparent`) has not decided",
        "enough to see what is usual; callers that trace say so themselves",
    ),
    key("otlp", "every", DURATION, "how often metrics are sent", "OpenTelemetry's own default"),
    key("otlp", "service", TEXT, "`service.name`", "the program's name"),
    key("beside", "name", TEXT, "its name in logs and metrics", ""),
    key("beside", "listen", "address, or a list", "where the application calls", ""),
    key("beside", "upstream", "URL, or a list of URLs or of `{ url, weight }`", "where its calls go", ""),
    key("beside", "ca", FILE, "authorities to trust, PEM", "the system's"),
    key("beside", "certificate", FILE, "own certificate and its chain, PEM", "few upstreams ask for one"),
    key("beside", "key", FILE, "its key, PEM", "there is no certificate of our own either"),
    key("beside", "server_name", TEXT, "the name to ask for (SNI) and to verify", "the upstream's, as in its URL"),
    key(
        "beside",
        "insecure",
        FLAG,
        "accept any certificate",
        "a certificate that is not verified protects from nobody",
    ),
    key(
        "beside",
        "http",
        "`\"auto\"`, `\"1\"` or `\"2\"`",
        "which HTTP the upstream is spoken to",
        "HTTP/2 where a TLS upstream offers it, else HTTP/1.1",
    ),
    key(
        "beside",
        "balance",
        "`\"least-requests\"` or `\"round-robin\"`",
        "which of several places is taken",
        "of two drawn at random the less busy one: a slow place gets less",
    ),
    key(
        "beside",
        "host",
        "`\"upstream\"`, `\"keep\"` or a name",
        "what the upstream is told as `Host`",
        "the application says the address of this listener, which the upstream does not know",
    ),
    key(
        "beside",
        "forwarded",
        "`\"pass\"`, `\"x-forwarded\"`, `\"forwarded\"` or `\"strip\"`",
        "what becomes of `X-Forwarded-*` and `Forwarded`",
        "beside an application it is the application's to say for whom it calls",
    ),
    key(
        "beside",
        "via",
        FLAG,
        "whether `Via` is added",
        "RFC 9110, 7.6.3 wants it of a gateway, and a loop can be seen by it",
    ),
    key(
        "beside",
        "request_id",
        FLAG,
        "whether requests without `X-Request-Id` are given one",
        "a request can then be found in the logs of both sides",
    ),
    key(
        "beside",
        "socket_mode",
        "`\"0660\"`",
        "who may open its Unix sockets, as of chmod",
        "its user and group, such as the application's",
    ),
    key(
        "beside",
        "breaker",
        "table, or `false`",
        "answers at once while the upstream is broken",
        "on: waiting for an upstream that is down would take all of the application's processes",
    ),
    key(
        "beside",
        "outlier",
        "table, or `false`",
        "takes a place that fails out for a while",
        "on: a place that fails is not asked over and over while others answer",
    ),
    key(
        "beside",
        "health",
        "table, or `false`",
        "asks the places how they are",
        "off: no path is known that may be asked",
    ),
    key("beside", "rate", "tables", "bounds of rates", "off: how much is too much is not known"),
    key("upstream", "url", "URL", "`http://`, `https://` with a name and perhaps a port, or `unix:/path`", ""),
    key("upstream", "weight", NUMBER, "its share, 1 to 1000", "all alike"),
    key(
        "pool",
        "idle",
        DURATION,
        "an idle connection is closed after this long",
        "below the 5 s of Node.js and Apache, the shortest of the servers in wide use, so that this side closes first",
    ),
    key(
        "pool",
        "fresh",
        DURATION,
        "idle for less, a connection is good enough for a request that must not be sent twice",
        "no server in wide use closes a connection so soon",
    ),
    key("pool", "warm", NUMBER, "connections kept ready", "a connection that nobody uses costs the upstream memory"),
    key(
        "pool",
        "max_idle",
        NUMBER,
        "idle connections, of all threads",
        "more would seldom be used again before they are too old",
    ),
    key("pool", "max_age", DURATION, "a connection is not used for longer", "new addresses get their part in time"),
    key("pool", "max_requests", NUMBER, "nor for more requests", "nginx's own bound, `keepalive_requests`"),
    key(
        "limits",
        "connections",
        NUMBER,
        "connections to the upstream, idle ones included",
        "far above what is usual, and below what a process may open",
    ),
    key("limits", "pending", NUMBER, "requests that wait for a connection", "as many as there may be connections"),
    key(
        "limits",
        "requests",
        NUMBER,
        "requests under way, those that wait included",
        "HTTP/2 carries several on a connection",
    ),
    key("limits", "retries", NUMBER, "requests being sent again", "more would be a storm of their own"),
    key("limits", "head_bytes", BYTES, "a response's head", "as for requests; nginx takes 4 or 8 KiB"),
    key("timeouts", "connect", DURATION, "name, TCP and TLS together", "some ten round trips around the world"),
    key(
        "timeouts",
        "first_byte",
        DURATION,
        "from the request's end to the response's first byte",
        "PHP's own `max_execution_time`",
    ),
    key("timeouts", "idle", DURATION, "between two pieces of a body", "PHP's own `max_execution_time`"),
    key(
        "timeouts",
        "request",
        "duration, or `\"none\"`",
        "the whole, retries included",
        "none: a long answer is no fault",
    ),
    key("timeouts", "tunnel", DURATION, "between two pieces of a WebSocket's", "those are quiet for long, and few"),
    key("retry", "attempts", NUMBER, "how often a request is sent again", "the second time helps, the third seldom"),
    key(
        "retry",
        "statuses",
        "list of numbers",
        "statuses for which an idempotent request is sent again",
        "none: an upstream that answers has decided",
    ),
    key(
        "retry",
        "budget",
        SHARE,
        "of all requests, those that may be sent again",
        "an upstream in trouble gets a fifth more, not double",
    ),
    key("retry", "backoff", DURATION, "the first wait; doubled each time, and jittered", "about a connection's set-up"),
    key("retry", "max_backoff", DURATION, "no wait is longer", "a page waits for it"),
    key(
        "retry",
        "replay_bytes",
        BYTES,
        "of a body, kept to be sent again",
        "most calls have less, and memory is bounded",
    ),
    key("breaker", "failures", SHARE, "the share of failures that opens it …", "half: below that, asking is worth it"),
    key("breaker", "requests", NUMBER, "… among at least so many requests …", "fewer are chance"),
    key("breaker", "window", DURATION, "… within this time", "long enough to see so many, short enough to act"),
    key("breaker", "open", DURATION, "how long it stays open", "time for a restart"),
    key("breaker", "trials", NUMBER, "requests let through then; all good, it closes", "one may be luck"),
    key("outlier", "consecutive", NUMBER, "failures in a row that take a place out", "five are no chance"),
    key("outlier", "ejection", DURATION, "for how long, times how often it was", "time for a restart"),
    key("outlier", "max_ejection", DURATION, "no longer than this", "what is repaired comes back within five minutes"),
    key("outlier", "max_share", SHARE, "of the places that may be out at a time", "the rest has to carry all"),
    key("health", "path", TEXT, "asked with GET; 200 to 299 is good", ""),
    key("health", "every", DURATION, "how often", "a place that comes back is found within ten seconds or so"),
    key(
        "health",
        "timeout",
        DURATION,
        "how long an answer may take",
        "a place that needs longer for nothing is no help",
    ),
    key("health", "healthy", NUMBER, "good answers in a row that bring a place back", "one may be luck"),
    key("health", "unhealthy", NUMBER, "bad ones that take it out", "one may be a packet lost"),
    key(
        "resolve",
        "min_ttl",
        DURATION,
        "no answer of DNS is believed for less …",
        "a TTL of 0 would ask for each connection",
    ),
    key(
        "resolve",
        "max_ttl",
        DURATION,
        "… or for longer",
        "a move is seen within five minutes, whatever the zone says",
    ),
    key("resolve", "timeout", DURATION, "how long asking may take", "resolv.conf's own; the last good answer is kept"),
    key("client", "connections", NUMBER, "connections; later ones wait", "enough for any number of PHP processes"),
    key("client", "head_bytes", BYTES, "a request's head", "cookies and tokens fit; nginx takes 32 KiB"),
    key("client", "fields", NUMBER, "a request's header fields", "few requests have forty"),
    key("client", "body_bytes", "bytes, or `\"none\"`", "a request's body", "none: it is streamed and costs no memory"),
    key(
        "client",
        "head_timeout",
        DURATION,
        "from a request's first byte to its head's end",
        "a client on this machine needs no longer",
    ),
    key("client", "idle", DURATION, "between requests", "a client that keeps its connection saves the accept"),
    key(
        "client",
        "streams",
        NUMBER,
        "of HTTP/2, at a time on a connection",
        "nginx's own bound, `http2_max_concurrent_streams`",
    ),
    key("rate", "header", TEXT, "a bucket for each value of this header", "one bucket for all"),
    key("rate", "rate", "number", "requests a second", ""),
    key("rate", "burst", NUMBER, "so many at once", "a second's worth"),
    key("rate", "keys", NUMBER, "values that are kept apart; others share a bucket", "memory is bounded"),
];

/// The key of a table.
pub(super) fn find(table: &str, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.table == table && key.name == name)
}

/// The names of a table's own keys.
pub(super) fn names(table: &str) -> Vec<&'static str> {
    KEYS.iter().filter(|key| key.table == table).map(|key| key.name).collect()
}

/// How a table is called.
pub(super) fn headed(table: &str) -> String {
    match table {
        "" => "the top level".into(),
        "admin" | "log" | "otlp" => format!("[{table}]"),
        "beside" => "[[beside]]".into(),
        "upstream" => "`upstream`".into(),
        "rate" => "[[beside.rate]]".into(),
        group => format!("[beside.{group}]"),
    }
}
