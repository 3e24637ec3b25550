//! Connections to upstreams, kept: a PHP process cannot keep one past its request, this does it for all of them.
//!
//! The principal type is `Upstream`: where it is, how it does, what it may be asked at a time, and the connections to it.
#![forbid(unsafe_code)]

mod endpoint;
mod settings;
mod socket;

pub use endpoint::{Address, Endpoint};
pub use settings::*;
pub use socket::Socket;
