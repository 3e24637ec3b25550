//! The principal type is [`Authority`]: makes certificates, good ones and bad ones.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};

/// An authority that nobody knows but whom a test tells of it.
#[derive(Debug)]
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key, PEM.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// The certificate.
    pub chain: String,
    /// Its key.
    pub key: String,
}

impl Authority {
    /// A new one.
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "An authority of the tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self { issuer: CertifiedIssuer::self_signed(params, key).expect("a certificate") }
    }

    /// Its own certificate, PEM.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for this name or address.
    pub fn certificate(&self, name: &str) -> Certificate {
        self.certificate_with(name, |_| {})
    }

    /// One that was good once.
    pub fn expired(&self, name: &str) -> Certificate {
        self.certificate_with(name, |params| {
            params.not_before = date_time_ymd(2001, 1, 1);
            params.not_after = date_time_ymd(2002, 1, 1);
        })
    }

    fn certificate_with(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> Certificate {
        let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        let chain = params.signed_by(&key, &self.issuer).expect("a certificate").pem();
        Certificate { chain, key: key.serialize_pem() }
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}
