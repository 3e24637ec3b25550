//! The keys of `[site.queue]`.

use super::key::{DURATION, Key, NUMBER, TEXT, key};

pub(super) const KEYS: &[Key] = &[
    key(
        "queue",
        "running",
        NUMBER,
        "requests at the application at a time: its number of workers. At most `limits.connections`",
        "PHP-FPM's status page tells, if `fastcgi.status` is set; else this key is required",
    ),
    key(
        "queue",
        "length",
        NUMBER,
        "requests that wait; beyond, the client with the most of them gives one up, which is answered 503",
        "a burst of visitors with all that is on a page; some 8 MB of memory",
    ),
    key(
        "queue",
        "wait",
        DURATION,
        "how long a request waits at most; beyond: 503. Under overload, a tenth of this",
        "people wait for longer only if they must",
    ),
    key(
        "queue",
        "cookie",
        TEXT,
        "a cookie, such as `\"PHPSESSID\"`, that tells apart clients behind one address: up to 8 shares for an address",
        "none: each address has one share, because anybody can make cookies up",
    ),
];
