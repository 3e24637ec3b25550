//! TLS client code that all connections share: trust, certificates from files, and explanations of failed handshakes.
//!
//! The principal type is [`TlsFault`]: how TLS failed.
//!
//! ```
//! use std::path::Path;
//!
//! let none = unladen_tls::authorities(Path::new("/nonexistent/ca.pem")).unwrap_err();
//! assert!(none.to_string().contains("/nonexistent/ca.pem"));
//! ```
#![forbid(unsafe_code)]

mod fault;
mod files;
mod trusted;
mod verifier;

use std::sync::{Arc, OnceLock};

use rustls::crypto::{CryptoProvider, aws_lc_rs};

pub use fault::TlsFault;
pub use files::{FileError, authorities, certificates, private_key};
pub use rustls_native_certs::Error as SystemError;
pub use trusted::{NoSystemRoots, Trusted, client_config, dns_names, is_near, system_authorities, system_certificates};
pub use verifier::{Anyone, Judge, Shown, Verifier};

/// The shared cryptography. Name it wherever rustls is set up: the process's default provider belongs to the program,
/// not to a library.
pub fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    PROVIDER.get_or_init(|| Arc::new(aws_lc_rs::default_provider())).clone()
}
