//! The principal type is [`Certificates`]: the service's, for `localhost` and 127.0.0.1, and that of the authority that
//! signed it.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose};

use crate::Result;
use crate::scratch::ScratchFolder;

/// Files in PEM.
#[derive(Debug, Clone)]
pub(crate) struct Certificates {
    pub(crate) ca: PathBuf,
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Certificates {
    /// Keys are of P-256, as the authorities of the web issue them.
    pub(crate) fn new(scratch: &ScratchFolder) -> Result<Self> {
        let mut authority = CertificateParams::new(Vec::<String>::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        authority.distinguished_name.push(DnType::CommonName, "Unladen benches");
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
        let key = KeyPair::generate()?;
        let mut leaf = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])?;
        // Under the same name it would pass for one that signed itself.
        leaf.distinguished_name.push(DnType::CommonName, "service");
        let leaf = leaf.signed_by(&key, &authority)?;
        Ok(Self {
            ca: scratch.file("ca.pem", &authority.pem())?,
            certificate: scratch.file("service.pem", &leaf.pem())?,
            key: scratch.file("service.key", &key.serialize_pem())?,
        })
    }
}
