//! The principal type is [`Counters`]: connection events of an upstream, all threads together.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Connection events of an upstream since it was configured.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: AtomicU64,)*
        }

        /// [`Counters`] at one moment.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Current values.
            pub fn read(&self) -> Counts {
                Counts { $($name: self.$name.load(Ordering::Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Connections opened.
    connects,
    connect_failures,
    handshakes_full,
    handshakes_resumed,
    /// Failed TLS handshakes, unverified certificates included.
    handshake_failures,
    /// Idle connections closed for their idle time.
    closed_idle,
    /// … for their age.
    closed_age,
    /// … for their number of requests.
    closed_requests,
    /// … because more were idle than allowed.
    closed_surplus,
    /// … because the upstream had closed them.
    closed_by_peer,
    /// Requests that waited for a connection.
    waited,
    /// Name lookups.
    lookups,
    /// Failed lookups; the last good answer is kept.
    lookup_failures,
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
