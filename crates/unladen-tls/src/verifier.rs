//! The principal type is [`Verifier`]: a rustls server verifier based on a [`Judge`].

use std::fmt::Debug;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

use crate::provider;

/// A server's certificates, and the circumstances.
#[derive(Debug)]
pub struct Shown<'a> {
    pub certificate: &'a CertificateDer<'a>,
    pub intermediates: &'a [CertificateDer<'a>],
    /// The name that was called.
    pub name: &'a ServerName<'a>,
    /// The authority's OCSP response (RFC 6960); may be empty.
    pub ocsp: &'a [u8],
    pub now: UnixTime,
}

/// Judges whether a server is the right one, by what it shows.
pub trait Judge: Debug + Send + Sync {
    /// # Errors
    /// Why it is not.
    fn judge(&self, shown: &Shown<'_>) -> Result<(), Error>;
}

/// Believes the judge, and that a server holds its certificate's key.
#[derive(Debug)]
pub struct Verifier<J>(pub J);

impl<J: Judge> ServerCertVerifier for Verifier<J> {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.0.judge(&Shown { certificate, intermediates, name, ocsp, now })?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &provider().signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &provider().signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider().signature_verification_algorithms.supported_schemes()
    }
}

/// Accepts every certificate. That the server holds its key is still checked: the same work as an honest handshake.
#[derive(Debug)]
pub struct Anyone;

impl Judge for Anyone {
    fn judge(&self, _: &Shown<'_>) -> Result<(), Error> {
        Ok(())
    }
}
