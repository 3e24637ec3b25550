//! [`watched_files`]: the files that a configuration names, and whose change is a change of it.

use std::path::PathBuf;

use crate::settings::Settings;

/// Certificates, keys, authorities and country databases; each once.
pub fn watched_files(settings: &Settings) -> Vec<PathBuf> {
    let upstreams = settings.site.iter().map(|site| &site.proxy).chain(&settings.outbound).map(|one| &one.upstream.tls);
    let mut files: Vec<PathBuf> = Vec::new();
    for tls in upstreams {
        files.extend(tls.ca.clone());
        files.extend(tls.certificate.iter().flat_map(|(certificate, key)| [certificate.clone(), key.clone()]));
    }
    for site in &settings.site {
        let pairs = site.tls.iter().flat_map(|tls| &tls.certificates);
        files.extend(pairs.flat_map(|(certificate, key)| [certificate.clone(), key.clone()]));
        files.extend(site.cache.as_ref().and_then(|cache| cache.country.clone()));
    }
    files.sort_unstable();
    files.dedup();
    files
}
