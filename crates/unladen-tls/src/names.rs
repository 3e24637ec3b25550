//! [`dns_names`]: the hosts that a certificate is for.

use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::extensions::GeneralName;

/// The names of hosts that a certificate is for, in small letters (`subjectAltName`; RFC 9525, section 6.3).
///
/// Nothing keeps a certificate from having names of any bytes. Those that no client can ask for are left out: names are
/// told, and a line end or the codes of a terminal in one would be told with it.
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
