//! [`fingerprint`]: of all in a configuration by which pages are made, let in and found.

use serde_json::Value;
use unladen_serve_config::SiteSettings;
use xxhash_rust::xxh3::xxh3_128;

/// Of a site, what changes no page: where it listens, whom it lets in, how much it may take. What is not listed here
/// counts, so that a key that is new counts until somebody has thought about it.
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

/// Of its cache.
const HARMLESS_OF_CACHE: [&str; 8] =
    ["memory", "largest", "variants", "ignore_reload", "uncacheable", "purge", "purge_unix", "tier"];

/// Of where it calls its application, what says which application that is, and what it is told.
const TELLING_OF_PROXY: [&str; 4] = ["host", "forwarded", "via", "upstream"];
/// Of that, what says where it is.
const TELLING_OF_UPSTREAM: [&str; 3] = ["name", "origins", "protocol"];

/// Of all in a site's settings by which pages are made, let in and found: by other rules, what was kept means something
/// else. None: settings that cannot be told, of which nothing is kept.
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
    // Its keys are in order.
    Some(xxh3_128(&serde_json::to_vec(&all).ok()?))
}
