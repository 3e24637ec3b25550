//! [`watched_files`]: the files that a configuration names, and whose change counts as its change.

use std::path::PathBuf;

use crate::settings::{RouteSettings, Settings};

/// Certificates, keys, authorities, country databases, passwords and pages of local replies; each once.
pub fn watched_files(settings: &Settings) -> Vec<PathBuf> {
    let of_routes = settings.site.iter().flat_map(|site| &site.routes).filter_map(RouteSettings::called);
    let own = settings.site.iter().map(|site| &site.proxy).chain(&settings.outbound);
    let upstreams = own.chain(of_routes).map(|one| &one.upstream.tls);
    let mut files: Vec<PathBuf> = Vec::new();
    for tls in upstreams {
        files.extend(tls.ca.clone());
        files.extend(tls.certificate.iter().flat_map(|(certificate, key)| [certificate.clone(), key.clone()]));
    }
    files.extend(settings.fleet.as_ref().and_then(|fleet| fleet.ca.clone()));
    let tier = settings.tier.iter().flat_map(|tier| [Some(tier.secret_file.clone()), tier.upstream.tls.ca.clone()]);
    files.extend(tier.flatten());
    for site in &settings.site {
        let pairs = site.tls.iter().flat_map(|tls| &tls.certificates);
        files.extend(pairs.flat_map(|(certificate, key)| [certificate.clone(), key.clone()]));
        files.extend(site.cache.as_ref().and_then(|cache| cache.country.clone()));
        files.extend(site.acme.as_ref().and_then(|acme| acme.ca.clone()));
        files.extend(site.error_page.clone());
        let access = site.routes.iter().filter_map(|route| route.access.as_ref()?.auth.as_ref());
        files.extend(access.map(|auth| auth.users.clone()));
    }
    files.sort_unstable();
    files.dedup();
    files
}
