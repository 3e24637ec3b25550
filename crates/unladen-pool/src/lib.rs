//! Connections to upstreams, kept: a PHP process cannot keep one past its request; this does it for all of them.
//!
//! The principal type is [`Upstream`]: address, state, limits and connections of an upstream.
#![forbid(unsafe_code)]

mod attempt;
mod balance;
mod breaker;
mod bucket;
mod buffer;
mod connection;
mod dial;
mod discover;
mod endpoint;
mod fastcgi;
pub mod grpc;
mod h2_connection;
mod health;
mod idle_connections;
mod lease;
mod outlier;
mod resolve;
mod retry;
mod settings;
mod socket;
mod state;
mod tls;
mod transport;
mod unanswered;
mod unix_stream;
mod upkeep;
mod upstream;
mod window;

pub use attempt::Spoken;
pub use balance::Balancer;
pub use breaker::{Breaker, BreakerState, Pass};
pub use bucket::{Bucket, KeyedBuckets};
pub use buffer::{Buffer, LARGE, SMALL};
pub use connection::Connection;
pub use dial::{dial, is_out_of_files};
pub use endpoint::{Address, Endpoint, Placed};
pub use fastcgi::{AskError, ask_fastcgi};
pub use h2_connection::{LeaseError, Stream};
pub use health::{Check, Unhealthy};
pub use lease::{Lease, LeaseSource, Need};
pub use outlier::Outliers;
pub use resolve::{Answer, ResolveError, ResolveStatus, Resolver, Watcher};
pub use retry::{Budget, delay};
pub use settings::*;
pub use socket::Socket;
pub use state::{EndpointState, UpstreamState};
pub use tls::{Connector, TlsError, TlsFault, is_h2, is_resumed};
pub use transport::{Fault, Half, Transport};
pub use unanswered::Waits;
pub use unix_stream::UnixStream;
pub use upkeep::Usable;
pub use upstream::{Counters, Counts, InFlight, Refusal, Retrying, Upstream, UpstreamError};

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use discover::fuzzing;

#[cfg(test)]
mod tests;
