use std::path::Path;

use unladen_serve_config::{Config, Machine};

use super::{FEW, takes, warning, *};

#[test]
fn what_is_served_is_told_with_its_address() {
    let config = |text: &str| Config::parse(text, Path::new("unladen.toml"), Path::new("/"), &Machine).unwrap();
    let site = "[[site]]\nname = \"shop\"\nlisten = \"127.0.0.1:8080\"\nupstream = \"http://127.0.0.1:8000\"\n";
    let told = text(&config(site));
    assert!(told.contains("site `shop` at 127.0.0.1:8080\n") && told.ends_with("for one"), "{told}");
    let told = text(&config(&format!("{site}[admin]\nlisten = \"127.0.0.1:9901\"\n")));
    assert!(told.ends_with("live page http://127.0.0.1:9901/, metrics http://127.0.0.1:9901/metrics"), "{told}");
    let mut redirects = config(site);
    redirects.settings.site[0].redirect =
        ["127.0.0.1:80", "[::1]:80"].map(|at| ListenAddress::Tcp(at.parse().unwrap())).into();
    let told = text(&redirects);
    assert!(told.contains("at 127.0.0.1:8080, redirects to https at 127.0.0.1:80, [::1]:80\n"), "{told}");
}

const SITE: &str = "[[site]]\nlisten = \":8080\"\nupstream = \"http://127.0.0.1:8000\"\n";

fn config(more: &str) -> Config {
    Config::parse(&format!("{SITE}{more}"), Path::new("unladen.toml"), Path::new("/"), &Machine).unwrap()
}

/// A small site on a machine whose shells may open 1,024 files was told of 49,472 at each start.
#[test]
fn bounds_that_nobody_has_set_are_not_told_of_at_each_start() {
    let built_in = config("");
    assert!(takes(&built_in.settings) > FEW);
    assert_eq!(warning(&built_in, FEW), None);
    let warning = warning(&built_in, 100).expect("so few are not enough for a small site");
    assert!(warning.contains("add up to") && warning.contains("may open 100:"), "{warning}");
}

#[test]
fn bounds_that_are_set_are_told_of_if_they_cannot_be_reached() {
    for set in [
        "client.connections = 2000\n",
        "limits.connections = 2000\n",
        "buffer.disk = \"2 GiB\"\n",
        "[defaults]\nlimits.connections = 2000\n[[outbound]]\nname = \"a\"\nlisten = \"127.0.0.1:1\"\n\
         upstream = \"http://127.0.0.1:2\"\n",
    ] {
        let set_by_file = config(set);
        let takes = takes(&set_by_file.settings);
        assert_eq!(warning(&set_by_file, takes), None, "{set}");
        let warning = warning(&set_by_file, takes - 1).unwrap_or_else(|| panic!("{set}"));
        assert!(warning.contains(&format!("add up to {takes} files")), "{warning}");
    }
    // Who sets something else does not expect more.
    assert_eq!(warning(&config("client.idle = \"20s\"\n"), FEW), None);
}
