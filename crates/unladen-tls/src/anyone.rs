//! The principal type is [`Anyone`]: accepts every certificate.

use rustls::Error;

use crate::verifier::{Judge, Shown};

/// Accepts every certificate. That the server holds its key is still checked: the same work as an honest handshake.
#[derive(Debug)]
pub struct Anyone;

impl Judge for Anyone {
    fn judge(&self, _: &Shown<'_>) -> Result<(), Error> {
        Ok(())
    }
}
