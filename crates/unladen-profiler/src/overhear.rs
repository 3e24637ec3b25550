//! The principal function is [`overhear`].

use unladen_load::{Cancel, DriverConfig};

use crate::application::Application;
use crate::error::ProfilerError;
use crate::params::{Address, Params};

/// What a web server hands to an application for a request.
#[derive(Debug, Clone)]
pub struct Overheard {
    /// The parameters, without our mark.
    pub params: Params,
    /// The body that went with it.
    pub body: Vec<u8>,
    /// Where to.
    pub address: Address,
    /// Who takes it there.
    pub application: Application,
}

/// Sends the first request of `driver` with a mark, a header of random name and value, and looks for it in what all processes of this
/// machine send to sockets: the FastCGI request that bears it is the one that the web server made of ours.
///
/// # Errors
/// When the request fails, the kernel lets nobody look, or no FastCGI request bears the mark.
pub fn overhear(driver: &DriverConfig, cancel: &Cancel) -> Result<Overheard, ProfilerError> {
    let _ = (driver, cancel);
    todo!()
}
