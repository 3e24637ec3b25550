//! The principal type is [`Counters`]: what has happened to an upstream's connections, all threads together.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What has happened to an upstream's connections since it was configured.
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
            /// As they are now.
            pub fn read(&self) -> Counts {
                Counts { $($name: self.$name.load(Ordering::Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Connections made.
    connects,
    /// Connections that could not be made: refused, unreachable, timed out.
    connect_failures,
    /// Whole TLS handshakes.
    handshakes_full,
    /// Resumed TLS handshakes.
    handshakes_resumed,
    /// TLS handshakes that failed, a certificate that could not be verified among them.
    handshake_failures,
    /// Idle connections closed for their idle time.
    closed_idle,
    /// … for their age.
    closed_age,
    /// … for their number of requests.
    closed_requests,
    /// … because more were idle than may be.
    closed_surplus,
    /// … because the upstream had closed them.
    closed_by_peer,
    /// Requests that waited for a connection.
    waited,
    /// Names looked up.
    lookups,
    /// Look-ups that failed; the last good answer is kept.
    lookup_failures,
}

/// One more.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
