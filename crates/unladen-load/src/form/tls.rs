//! The principal type is [`TlsForm`]: TLS options with certificates in place of file names.

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::tls::{Carried, Roots, TlsOptions};

/// Trusted authorities and client identity, in DER.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsForm {
    insecure: bool,
    resume: bool,
    authorities: Vec<Vec<u8>>,
    chain: Vec<Vec<u8>>,
    key: Option<Vec<u8>>,
}

// === impl TlsForm ===

impl TlsForm {
    /// Reads the files that the options name; `https` says whether TLS is used at all. The other host trusts the same
    /// authorities: a container often has none of its own.
    ///
    /// # Errors
    /// When a file cannot be read, or the system has no authorities.
    pub fn of(tls: &TlsOptions, https: bool) -> Result<Self, LoadError> {
        let bytes = |all: Vec<CertificateDer<'static>>| all.into_iter().map(|one| one.to_vec()).collect::<Vec<_>>();
        let of_system =
            || unladen_tls::system_certificates().map_err(|none| LoadError::NoSystemRoots { source: none.source });
        let authorities = match &tls.roots {
            _ if tls.insecure || !https => Vec::new(),
            Roots::System => of_system()?,
            Roots::Only(file) => unladen_tls::certificates(file)?,
            Roots::SystemAnd(file) => {
                let mut all = unladen_tls::certificates(file)?;
                all.extend(of_system().unwrap_or_default());
                all
            }
        };
        let refused = |error: unladen_tls::FileError| LoadError::IdentityFile { problem: error.to_string() };
        let (chain, key) = match tls.identity.as_ref().filter(|_| https) {
            None => (Vec::new(), None),
            Some(identity) => {
                let key = identity.key.as_deref().unwrap_or(&identity.certificate);
                let chain = unladen_tls::certificates(&identity.certificate).map_err(refused)?;
                let key = unladen_tls::private_key(key).map_err(refused)?;
                (chain, Some(key.secret_der().to_vec()))
            }
        };
        let (authorities, chain) = (bytes(authorities), bytes(chain));
        Ok(Self { insecure: tls.insecure, resume: tls.resume, authorities, chain, key })
    }

    /// The options of the form.
    ///
    /// # Errors
    /// When the key is invalid.
    pub fn options(self) -> Result<TlsOptions, LoadError> {
        let certificates = |all: Vec<Vec<u8>>| all.into_iter().map(CertificateDer::from).collect();
        let key = self.key.map(PrivateKeyDer::try_from).transpose();
        let key = key.map_err(|problem| LoadError::IdentityFile { problem: problem.to_owned() })?;
        let carried = Carried {
            authorities: certificates(self.authorities),
            chain: certificates(self.chain),
            key: key.map(Arc::new),
        };
        Ok(TlsOptions { insecure: self.insecure, resume: self.resume, carried: Some(carried), ..TlsOptions::default() })
    }
}

impl fmt::Debug for TlsForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsForm")
            .field("insecure", &self.insecure)
            .field("authorities", &self.authorities.len())
            .finish_non_exhaustive()
    }
}
