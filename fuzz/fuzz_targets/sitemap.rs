//! Sitemaps: XML, texts and gzip; what is taken is bounded, and has no blank around it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_traffic::Sitemap;

fuzz_target!(|bytes: &[u8]| {
    let Ok(sitemap) = Sitemap::parse(bytes) else { return };
    for url in sitemap.pages.iter().chain(&sitemap.sitemaps) {
        assert!(url.starts_with("http") && url.len() <= 2_048 && url.trim() == url, "{url:?}");
    }
});
