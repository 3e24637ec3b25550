//! The principal type is [`Verifier`]: rustls' verifier of servers, of something that judges what a server shows.

use std::fmt::Debug;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

use crate::provider;

/// What a server shows of itself, to whom, and when.
#[derive(Debug)]
pub struct Shown<'a> {
    pub certificate: &'a CertificateDer<'a>,
    /// What it sends besides.
    pub intermediates: &'a [CertificateDer<'a>],
    /// By which it was called.
    pub name: &'a ServerName<'a>,
    /// What an authority says of it (RFC 6960); may be empty.
    pub ocsp: &'a [u8],
    pub now: UnixTime,
}

/// Who judges whether a server is the one that is meant, by what it shows.
pub trait Judge: Debug + Send + Sync {
    /// # Errors
    /// Why it is not.
    fn judge(&self, shown: &Shown<'_>) -> Result<(), Error>;
}

/// Believes whom the judge believes, and that a server holds the key of what it shows.
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
