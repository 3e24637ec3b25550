//! The principal type is [`Anyone`]: trusts everyone.

use rustls::Error;

use crate::verifier::{Judge, Shown};

/// Trusts everyone. That the server holds the key it shows is still checked: the same work as an honest handshake.
#[derive(Debug)]
pub struct Anyone;

impl Judge for Anyone {
    fn judge(&self, _: &Shown<'_>) -> Result<(), Error> {
        Ok(())
    }
}
