//! [`KEYS`]: all that a configuration can say. Reading, `--explain` and docs/serve.md are made of this one list.

use super::explain::Whose;

/// A key of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The table where it stands; empty: the top level. `pool` and the like are below `[[beside]]`, below `[[front]]` and below
    /// `[defaults]`; `front.limits` and the like are of those below `[[front]]` whose default is another.
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

/// The tables that a `[[beside]]` and a `[[front]]` may have, and `[defaults]` too.
pub(super) const GROUPS: [&str; 10] =
    ["pool", "limits", "timeouts", "retry", "breaker", "outlier", "health", "resolve", "client", "rate"];

/// The keys of a `[[beside]]` itself that `[defaults]` may have too.
pub(super) const SHARED: [&str; 9] =
    ["ca", "certificate", "key", "http", "balance", "forwarded", "via", "request_id", "socket_mode"];

/// Tables that are told as one value.
pub(super) const INLINE: [&str; 3] = ["upstream", "app", "tls"];

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
const LIST: &str = "list of texts";

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
    key("front", "name", TEXT, "its name in logs and metrics", "there is mostly one; a second one needs another"),
    key("front", "listen", "address, or a list", "where clients call", ""),
    key("front", "app", "URL, or a list of URLs or of `{ url, weight }`", "where the application is", ""),
    key(
        "front",
        "tls",
        "`{ cert, key }`, or a list of them",
        "certificates, read again when they change; of several the one for the name that the client asks for (SNI), else the first",
        "none: plain HTTP, as it is behind another server that has TLS",
    ),
    key(
        "front",
        "tls12",
        FLAG,
        "whether TLS 1.2 is spoken too, besides 1.3",
        "programs that call are older than browsers",
    ),
    key("front", "http2", FLAG, "whether clients are offered HTTP/2", "one connection carries all of a page"),
    key(
        "front",
        "redirect",
        "address, or a list",
        "addresses of plain HTTP, from where clients are sent on to https",
        "nothing is listened at unless that is asked for",
    ),
    key(
        "front",
        "hsts",
        "true or false, or text",
        "`Strict-Transport-Security` (RFC 6797), as it is sent; `true`: `max-age=31536000`",
        "browsers keep to it for as long as it says, also if TLS has to be given up",
    ),
    key(
        "front",
        "per_client",
        NUMBER,
        "requests under way of one client: of one address, of IPv6 its /64",
        "as many as a connection of HTTP/2 may have, and half of what the application is asked at a time",
    ),
    key(
        "front",
        "retry_after",
        DURATION,
        "what clients are told to wait if the application has too much to do (`Retry-After`, whole seconds)",
        "most crowds are gone by then",
    ),
    key(
        "front",
        "cache",
        "table, or `false`",
        "what is kept",
        "on: RFC 9111 keeps only what the application allows to",
    ),
    key("front", "trusted", "table", "who may say for whom it asks", "nobody: whoever calls is the client"),
    key(
        "front",
        "validator",
        "tables",
        "cheap questions that tell whether a page is still current",
        "off: only the application knows what to ask",
    ),
    key("front", "ca", FILE, "authorities to trust, PEM, for an application with https", "the system's"),
    key(
        "front",
        "certificate",
        FILE,
        "own certificate and its chain, PEM, to show the application",
        "few applications ask for one",
    ),
    key("front", "key", FILE, "its key, PEM", "there is no such certificate either"),
    key(
        "front",
        "server_name",
        TEXT,
        "the name to ask the application for (SNI) and to verify",
        "the application's, as in its URL",
    ),
    key(
        "front",
        "insecure",
        FLAG,
        "accept any certificate of the application",
        "a certificate that is not verified protects from nobody",
    ),
    key(
        "front",
        "http",
        "`\"auto\"`, `\"1\"` or `\"2\"`",
        "which HTTP the application is spoken to",
        "HTTP/2 where it has TLS and offers it, else HTTP/1.1",
    ),
    key(
        "front",
        "balance",
        "`\"least-requests\"` or `\"round-robin\"`",
        "which of several places is taken",
        "of two drawn at random the less busy one: a slow place gets less",
    ),
    key(
        "front",
        "host",
        "`\"upstream\"`, `\"keep\"` or a name",
        "what the application is told as `Host`",
        "applications make links of it, and one may serve several sites",
    ),
    key(
        "front",
        "forwarded",
        "`\"x-forwarded\"`, `\"forwarded\"` or `\"strip\"`",
        "how the application is told for whom it answers; what clients say of it themselves is taken off",
        "PHP's frameworks, Rails and Django read `X-Forwarded-*`, and few read `Forwarded`",
    ),
    key(
        "front",
        "via",
        FLAG,
        "whether `Via` is added",
        "RFC 9110, 7.6.3 wants it of a gateway, and a loop can be seen by it",
    ),
    key(
        "front",
        "request_id",
        FLAG,
        "whether requests without `X-Request-Id` are given one",
        "a request can then be found in the logs of both sides",
    ),
    key(
        "front",
        "socket_mode",
        "`\"0660\"`",
        "who may open its Unix sockets, as of chmod",
        "its user and group, such as another server's in front",
    ),
    key(
        "front",
        "breaker",
        "table, or `false`",
        "answers at once while the application is broken",
        "off: a page that fails says little of the others, and `limits.pending` bounds who waits",
    ),
    key(
        "front",
        "outlier",
        "table, or `false`",
        "takes a place that fails out for a while",
        "on: a place that fails is not asked over and over while others answer",
    ),
    key(
        "front",
        "health",
        "table, or `false`",
        "asks the places how they are",
        "off: no path is known that may be asked",
    ),
    key("front", "rate", "tables", "bounds of rates", "off: how much is too much is not known"),
    key("tls", "cert", FILE, "certificate and its chain, PEM", ""),
    key("tls", "key", FILE, "its key, PEM", ""),
    key(
        "trusted",
        "proxies",
        "list of addresses and nets, `\"unix\"`",
        "who is believed when it says for whom it asks; `\"unix\"`: who comes by a Unix socket",
        "nobody",
    ),
    key(
        "trusted",
        "header",
        "`\"x-forwarded-for\"` or `\"forwarded\"`",
        "what they say it with: `X-Forwarded-For` and `-Proto`, or `Forwarded` (RFC 7239)",
        "what nearly all proxies send",
    ),
    key(
        "trusted",
        "proxy_protocol",
        FLAG,
        "whether their connections begin with PROXY, version 1 or 2",
        "few are set to, and then it has to be there",
    ),
    key("cache", "memory", BYTES, "all of it together", "some ten thousand pages"),
    key("cache", "largest", BYTES, "the longest body that is stored", "what is longer is mostly read once"),
    key(
        "cache",
        "variants",
        NUMBER,
        "variants of one address (`Vary`); the least used goes",
        "languages times encodings times countries, where that is used",
    ),
    key(
        "cache",
        "ignore_cookies",
        LIST,
        "cookies that must not split the cache; with `*` at the end: how their names begin",
        "what a cookie is for is not known",
    ),
    key(
        "cache",
        "vary_cookies",
        LIST,
        "the only cookies by which `Vary: Cookie` tells apart",
        "all that are not ignored",
    ),
    key(
        "cache",
        "store_set_cookie",
        FLAG,
        "whether responses with `Set-Cookie` are stored, with it",
        "what sets a cookie is mostly for one user",
    ),
    key(
        "cache",
        "languages",
        LIST,
        "the application's languages, by which `Vary: Accept-Language` tells apart",
        "by the header as it is",
    ),
    key(
        "cache",
        "ignore_query",
        LIST,
        "parameters of the query that are no part of the key; with `*` at the end likewise",
        "what a parameter is for is not known",
    ),
    key(
        "cache",
        "heuristic",
        SHARE,
        "without a lifetime said: this share of the time since `Last-Modified` …",
        "RFC 9111, 4.2.2 names it as typical",
    ),
    key("cache", "heuristic_max", DURATION, "… and no longer", "what was never changed may be changed today"),
    key(
        "cache",
        "stale_if_error",
        DURATION,
        "where the response does not say: how long after its time a page is served when the application fails (RFC 5861)",
        "whether an old page does no harm is not known",
    ),
    key(
        "cache",
        "stale_while_revalidate",
        DURATION,
        "where it does not say: how long a page is served while it is asked for anew (RFC 5861)",
        "likewise",
    ),
    key(
        "cache",
        "uncacheable",
        DURATION,
        "for so long after a response that was not stored nobody waits for another's",
        "Varnish's own, the hit-for-miss of its built-in VCL",
    ),
    key(
        "cache",
        "compress",
        FLAG,
        "whether bodies that the application left plain are compressed, once for each variant",
        "a page is sent more often than it is compressed",
    ),
    key(
        "cache",
        "country",
        "table",
        "adds `X-GeoIP-Country` to each request",
        "nothing is added unless that is asked for",
    ),
    key(
        "cache",
        "purge",
        "list of addresses and nets, `\"unix\"`",
        "from where PURGE is taken",
        "nobody: the admin address can do it too",
    ),
    key("country", "database", FILE, "MaxMind's format (mmdb), by country; read again when it changes", ""),
    key(
        "validator",
        "path",
        TEXT,
        "for which pages: `{name}` is one segment, `{name*}` at the end all that is left",
        "",
    ),
    key(
        "validator",
        "database",
        "URL",
        "`postgres://`, `mysql://` or `sqlite:` and a file",
        "one of `database`, `file` and `head` says what is asked",
    ),
    key(
        "validator",
        "query",
        TEXT,
        "in SQL, with `$1`, `$2` … (PostgreSQL, SQLite) or `?` (MariaDB, MySQL, SQLite): one row, one column",
        "it belongs to `database`",
    ),
    key(
        "validator",
        "parameters",
        LIST,
        "names of the path, in the order in which the query has them",
        "in the path's order, as many as the query has",
    ),
    key(
        "validator",
        "file",
        FILE,
        "a file whose time of change is the answer; `{name}` is what the path has there",
        "one of `database`, `file` and `head` says what is asked",
    ),
    key(
        "validator",
        "head",
        FLAG,
        "asks the application with HEAD, for `ETag` or `Last-Modified`",
        "one of `database`, `file` and `head` says what is asked",
    ),
    key("validator", "timeout", DURATION, "how long an answer may take", "a hundred times what an index needs"),
    key(
        "validator",
        "connections",
        NUMBER,
        "connections to the database, of each thread",
        "questions are sent one behind the other; a second one is there while the first is stuck",
    ),
    key(
        "validator",
        "stale",
        "duration, or `\"none\"`",
        "without an answer in time: a page known to be current no longer ago than this is served all the same",
        "none: the application is asked, so that no page is ever stale",
    ),
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
    key(
        "front.limits",
        "connections",
        NUMBER,
        "connections to the application, idle ones included: by HTTP/1.1 the requests that it works on at a time",
        "Apache's own bound of them (`MaxRequestWorkers`); less than that if the application has fewer workers",
    ),
    key(
        "front.limits",
        "pending",
        NUMBER,
        "requests that wait for a connection; beyond, a stale page if it is allowed, else 503",
        "four for each connection: more would wait for longer than clients do",
    ),
    key(
        "front.client",
        "connections",
        NUMBER,
        "connections; later ones wait",
        "some thousand clients that keep theirs",
    ),
    key(
        "front.client",
        "head_timeout",
        DURATION,
        "from a request's first byte to its head's end, and for a TLS handshake",
        "enough on a bad line; who is slower on purpose is rid of",
    ),
    key(
        "front.client",
        "idle",
        DURATION,
        "between requests",
        "who reads a page comes back within a minute, or opens a new one",
    ),
];

/// The key of a table: of a `[[front]]`'s, with its own default if it has one.
pub(super) fn find(whose: &Whose, table: &str, name: &str) -> Option<&'static Key> {
    let of_front = |key: &&Key| key.table.strip_prefix("front.") == Some(table) && key.name == name;
    let own = whose.front().and_then(|_| KEYS.iter().find(of_front));
    own.or_else(|| KEYS.iter().find(|key| key.table == table && key.name == name))
}

/// The names of a table's own keys.
pub(super) fn names(table: &str) -> Vec<&'static str> {
    KEYS.iter().filter(|key| key.table == table).map(|key| key.name).collect()
}

/// How a table is called below its `[[beside]]` or `[[front]]`; empty: it is that one, or the top level.
pub(super) fn below(table: &'static str) -> &'static str {
    match table {
        "beside" | "front" => "",
        "country" => "cache.country",
        table => table.strip_prefix("front.").unwrap_or(table),
    }
}

/// How a table is called: where it may stand.
pub(super) fn headed(table: &'static str) -> Vec<String> {
    match table {
        "" => vec!["the top level".into()],
        "admin" | "log" | "otlp" => vec![format!("[{table}]")],
        "beside" | "front" => vec![format!("[[{table}]]")],
        "upstream" => vec!["`upstream`".into(), "`app`".into()],
        "tls" => vec!["`tls`".into()],
        "rate" => vec!["[[beside.rate]]".into(), "[[front.rate]]".into()],
        "validator" => vec!["[[front.validator]]".into()],
        "cache" | "trusted" | "country" => vec![format!("[front.{}]", below(table))],
        of_front if of_front.starts_with("front.") => vec![format!("[{of_front}]")],
        group => vec![format!("[beside.{group}]"), format!("[front.{group}]")],
    }
}
