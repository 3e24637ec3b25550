//! The keys that an `[[outbound]]` has too, and whose default is another below a `[[site]]`.

use super::key::{DURATION, FLAG, Key, NUMBER, key};

/// The keys whose default is another below a `[[site]]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "site.limits",
        "connections",
        NUMBER,
        "connections to the application, including idle ones; with HTTP/1.1, as many requests as it works on at a time",
        "Apache's default (`MaxRequestWorkers`); set fewer if the application has fewer workers",
    ),
    key(
        "site.limits",
        "pending",
        NUMBER,
        "requests that wait for a connection; beyond: a stale page if one may be served, else 503",
        "four for each connection: more would wait for longer than clients do",
    ),
    key(
        "site.client",
        "connections",
        NUMBER,
        "client connections; later ones wait to be accepted",
        "some thousand clients that keep theirs",
    ),
    key(
        "site.client",
        "head_timeout",
        DURATION,
        "from the first byte of a request to the end of its head, and for a TLS handshake",
        "enough on a bad line; a client that is slow on purpose is closed",
    ),
    key(
        "site.client",
        "body_rate",
        "bytes, or `\"none\"`",
        "the least average rate, in bytes a second, at which a request's body has to arrive …",
        "as in Apache's `RequestReadTimeout`: the slowest lines have more",
    ),
    key(
        "site.client",
        "answer_rate",
        "bytes, or `\"none\"`",
        "the least average rate, in bytes a second, at which the client has to read a response that is there …",
        "as for bodies: a slower client does not read",
    ),
    key(
        "site.client",
        "idle",
        DURATION,
        "between two requests on a connection",
        "a reader comes back within a minute, or opens a new connection",
    ),
    key(
        "site.timeouts",
        "request",
        "duration, or `\"none\"`",
        "the whole request with its retries, until the application's response has arrived; a WebSocket has `timeouts.tunnel`",
        "longer than any response takes; an endless request comes to an end",
    ),
    key(
        "site.buffer",
        "requests",
        FLAG,
        "whether a request's body is read to its end before a connection to the application is taken",
        "a slow client would occupy one of the application's few workers",
    ),
    key(
        "site.buffer",
        "answers",
        FLAG,
        "whether a response is read as fast as the application sends, however slowly the client reads",
        "likewise, a client that reads slowly",
    ),
];
