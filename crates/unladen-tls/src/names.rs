//! [`dns_names`]: the host names of a certificate.

use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::extensions::GeneralName;

/// The host names of a certificate, in small letters (`subjectAltName`; RFC 9525, section 6.3).
///
/// A certificate's names may have any bytes. Those that no client can ask for are left out: names are shown, and so
/// would be a line end or a terminal's control codes.
///
/// # Errors
/// If the extension is malformed, or there twice.
pub fn dns_names(certificate: &X509Certificate<'_>) -> Result<Vec<String>, X509Error> {
    let alternative = certificate.subject_alternative_name()?;
    let names = alternative.iter().flat_map(|names| &names.value.general_names);
    let names = names.filter_map(|name| match name {
        GeneralName::DNSName(name) if may_be_asked_for(name) => Some(name.to_ascii_lowercase()),
        _ => None,
    });
    Ok(names.collect())
}

fn may_be_asked_for(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte))
}
