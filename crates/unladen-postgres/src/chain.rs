//! The principal type is [`ChainOnly`]: checks certificates without their names.

use std::sync::Arc;

use rustls::client::danger::ServerCertVerifier;
use rustls::{CertificateError, Error};
use unladen_tls::{Judge, Shown};

/// Accepts what an authority has signed, whatever the name: libpq's `verify-ca`.
#[derive(Debug)]
pub(crate) struct ChainOnly(pub(crate) Arc<dyn ServerCertVerifier>);

impl Judge for ChainOnly {
    fn judge(&self, shown: &Shown<'_>) -> Result<(), Error> {
        let &Shown { certificate, intermediates, name, ocsp, now } = shown;
        // The name is checked last, when all else is well.
        match self.0.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Ok(_)
            | Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
