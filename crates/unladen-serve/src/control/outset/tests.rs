use std::path::Path;

use super::*;
use unladen_serve_config::Machine;

#[test]
fn what_is_served_is_told_with_its_address() {
    let config = |text: &str| Config::parse(text, Path::new("unladen.toml"), Path::new("/"), &Machine).unwrap();
    let site = "[[site]]\nname = \"shop\"\nlisten = \"127.0.0.1:8080\"\nupstream = \"http://127.0.0.1:8000\"\n";
    let told = text(&config(site));
    assert!(told.contains("site `shop` at 127.0.0.1:8080\n") && told.ends_with("gives one"), "{told}");
    let told = text(&config(&format!("{site}[admin]\nlisten = \"127.0.0.1:9901\"\n")));
    assert!(told.ends_with("live page http://127.0.0.1:9901/, metrics http://127.0.0.1:9901/metrics"), "{told}");
    let mut redirects = config(site);
    redirects.settings.site[0].redirect =
        ["127.0.0.1:80", "[::1]:80"].map(|at| ListenAddress::Tcp(at.parse().unwrap())).into();
    let told = text(&redirects);
    assert!(told.contains("at 127.0.0.1:8080, redirects to https at 127.0.0.1:80, [::1]:80\n"), "{told}");
}
