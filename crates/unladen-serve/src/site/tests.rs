use unladen_pool::Upstream;
use unladen_serve_config::{Config, Machine};

use super::*;

/// A site with these settings, as TOML.
fn site(settings: &str) -> Site {
    let text = format!("[[site]]\nlisten = \"127.0.0.1:8080\"\nupstream = \"http://127.0.0.1:1\"\n{settings}");
    let config = Config::parse(&text, "x.toml".as_ref(), "/".as_ref(), &Machine).unwrap();
    let settings = config.settings.site.into_iter().next().unwrap();
    let upstream = Upstream::new(settings.proxy.upstream.clone(), 1).unwrap();
    let proxy = Arc::new(Proxy::new(settings.proxy.clone(), upstream, None));
    Site::new(settings, proxy, 1, None).unwrap()
}

/// Sites with different certificates of one authority were taken for one another's: who was shown one's could ask for
/// the other.
#[test]
fn sites_with_different_issued_certificates_looked_alike() {
    let named = |hosts: &str, more: &str| {
        let acme = format!("{hosts}\nacme = {{ email = 'a@example.org', state = '/var/lib/x'{more} }}");
        site(&acme).named.appearance
    };
    let one = named("hosts = 'one.example'", "");
    assert_ne!(one, named("hosts = 'other.example'", ""));
    assert_ne!(one, named("hosts = ['one.example', 'other.example']", ""));
    assert_ne!(one, named("hosts = 'one.example'", ", directory = 'https://authority.example/'"));
    assert_eq!(one, named("hosts = 'one.example'", ""));
}
