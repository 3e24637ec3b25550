//! [`fingerprint`]: hash of the settings by which pages are made, admitted and found.

use serde_json::Value;
use unladen_serve_config::SiteSettings;
use xxhash_rust::xxh3::xxh3_128;

/// Keys of a site that change no page: where it listens, whom it lets in, its limits. Unlisted keys count, so that a
/// new one counts until somebody has thought about it.
const HARMLESS: [&str; 12] = [
    "redirect",
    "tls",
    "acme",
    "hsts",
    "per_client",
    "clients",
    "retry_after",
    "queue",
    "error_page",
    "snapshot",
    "preset",
    "is_default",
];

/// The same for its cache.
const HARMLESS_OF_CACHE: [&str; 8] =
    ["memory", "largest", "variants", "ignore_reload", "uncacheable", "purge", "purge_unix", "tier"];

/// Keys of the proxy that say which application it is, and what it is told.
const TELLING_OF_PROXY: [&str; 4] = ["host", "forwarded", "via", "upstream"];
/// Keys of `upstream` that say where it is.
const TELLING_OF_UPSTREAM: [&str; 3] = ["name", "origins", "protocol"];

/// Fingerprint of all settings by which pages are made, admitted and found: by other rules, stored pages mean something
/// else. `None` if the settings cannot be serialised; then nothing is kept.
pub(crate) fn fingerprint(settings: &SiteSettings) -> Option<u128> {
    let mut all = serde_json::to_value(settings).ok()?;
    let site = all.as_object_mut()?;
    site.retain(|key, _| !HARMLESS.contains(&key.as_str()));
    if let Some(Value::Object(cache)) = site.get_mut("cache") {
        cache.retain(|key, _| !HARMLESS_OF_CACHE.contains(&key.as_str()));
    }
    if let Some(Value::Object(proxy)) = site.get_mut("proxy") {
        proxy.retain(|key, _| TELLING_OF_PROXY.contains(&key.as_str()));
        if let Some(Value::Object(upstream)) = proxy.get_mut("upstream") {
            upstream.retain(|key, _| TELLING_OF_UPSTREAM.contains(&key.as_str()));
        }
    }
    // The keys are sorted.
    Some(xxh3_128(&serde_json::to_vec(&all).ok()?))
}
