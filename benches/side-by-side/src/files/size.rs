//! The principal type is [`Size`]: one file, and how it is asked for.

use std::time::Duration;

use crate::rig::callers::Amount;

/// One file, and how it is asked for.
pub(super) struct Size {
    pub(super) path: &'static str,
    pub(super) bytes: u64,
    pub(super) connections: usize,
    pub(super) warm_up: Amount,
    pub(super) amount: Amount,
    /// Our CPU time of a request over nginx's, at most …
    pub(super) bound: f64,
    /// … and over TLS.
    pub(super) bound_tls: f64,
}

pub(super) const SIZES: [Size; 3] = [
    Size {
        path: "/1k.bin",
        bytes: 1000,
        connections: 64,
        warm_up: Amount::Time(Duration::from_millis(500)),
        amount: Amount::Time(Duration::from_secs(2)),
        bound: 0.8,
        bound_tls: 0.9,
    },
    Size {
        path: "/100k.bin",
        bytes: 100_000,
        connections: 16,
        warm_up: Amount::Time(Duration::from_millis(500)),
        amount: Amount::Time(Duration::from_secs(2)),
        bound: 1.0,
        bound_tls: 0.9,
    },
    Size {
        path: "/100m.bin",
        bytes: 100_000_000,
        connections: 4,
        warm_up: Amount::Requests(4),
        amount: Amount::Requests(40),
        bound: 1.05,
        bound_tls: 0.9,
    },
];
