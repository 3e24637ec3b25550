//! Connections to upstreams, kept: a PHP process cannot keep one past its request; this does it for all of them.
//!
//! The principal type is [`Upstream`]: address, state, limits and connections of an upstream.
#![forbid(unsafe_code)]

mod attempt;
mod backoff;
mod balance;
mod breaker;
mod bucket;
mod budget;
mod buffer;
mod connection;
mod counters;
mod dial;
mod discover;
mod discovery;
mod endpoint;
mod fastcgi;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod grpc;
mod h2_connection;
mod health;
mod idle_connections;
mod lease;
mod lease_error;
mod outlier;
mod placed;
mod resolve;
mod settings;
mod socket;
mod state;
mod take_over;
mod tls;
mod transport;
mod unanswered;
mod unix_stream;
mod upkeep;
mod upstream;
mod usable;
mod window;

pub use attempt::Spoken;
pub use backoff::delay;
pub use balance::Balancer;
pub use breaker::{Breaker, BreakerState, Pass};
pub use bucket::{Bucket, KeyedBuckets};
pub use budget::Budget;
pub use buffer::{Buffer, LARGE, SMALL};
pub use connection::Connection;
pub use counters::{Counters, Counts};
pub use dial::{dial, is_out_of_files};
pub use discovery::{Discovery, EndpointSource, XdsSource};
pub use endpoint::{Address, Endpoint};
pub use fastcgi::{AskError, ask_fastcgi};
pub use h2_connection::Stream;
pub use health::{Check, Unhealthy};
pub use lease::{Lease, LeaseSource, Need};
pub use lease_error::LeaseError;
pub use outlier::Outliers;
pub use placed::Placed;
pub use resolve::{Answer, ResolveError, ResolveStatus, Resolver, Watcher};
pub use settings::*;
pub use socket::Socket;
pub use state::{EndpointState, UpstreamState};
pub use tls::{Connector, TlsError, TlsFault, is_h2, is_resumed};
pub use transport::{Fault, Half, Transport};
pub use unanswered::Waits;
pub use unix_stream::UnixStream;
pub use upstream::{InFlight, Refusal, Retrying, Upstream, UpstreamError};
pub use usable::Usable;

#[cfg(test)]
mod tests;
