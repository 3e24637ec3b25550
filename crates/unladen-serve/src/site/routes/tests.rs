use proptest::prelude::*;
use unladen_serve_config::{Config, Machine};

use super::*;
use crate::site::Site;

/// A site with these routes, as TOML.
fn site(routes: &str) -> Site {
    let text = format!("[[site]]\nlisten = \"127.0.0.1:8080\"\nupstream = \"http://127.0.0.1:1\"\n{routes}");
    let config = Config::parse(&text, "x.toml".as_ref(), "/".as_ref(), &Machine).unwrap();
    let settings = config.settings.site.into_iter().next().unwrap();
    let upstream = Upstream::new(settings.proxy.upstream.clone(), 1).unwrap();
    let proxy = Arc::new(Proxy::new(settings.proxy.clone(), upstream, None));
    Site::new(settings, proxy, 1, None).unwrap()
}

const GUARDED: &str = "
[[site.route]]
name = 'admin'
path = '/admin'
access = { allow = ['192.0.2.1'] }
[[site.route]]
name = 'scripts'
suffix = '.php'
status = 403
[[site.route]]
name = 'open'
path = '/public'
cache = false
";

fn found(site: &Site, method: &str, target: &str) -> String {
    match site.routes.as_ref().unwrap().find(method.as_bytes(), target.as_bytes()) {
        Ok(route) => route.name.clone(),
        Err(error) => format!("{error:?}"),
    }
}

/// No spelling of a path gets round a route that guards it: it is that route's, or 400.
#[test]
fn no_spelling_gets_round_a_route() {
    let site = site(GUARDED);
    for target in [
        "/admin",
        "/admin/",
        "/admin/x",
        "/admin?x",
        "/%61dmin",
        "/%61%64%6d%69%6e",
        "/admin%2Fx",
        "//admin",
        "///admin//x",
        "/admin;x",
        "/admin;x/y",
        "/;x/admin",
        "/x/../admin",
        "/x/%2e%2e/admin",
        "/./admin",
        "/%2e/admin",
        "/admin/.",
        "/x;/..;/admin",
        "/public/..%2fadmin",
        "/public\\..\\admin",
        "/\\admin",
        "/%5cadmin",
        "//x/admin",
        "//public/admin",
        "/admin%00",
        "/admin%",
        "/admin%2",
        "/admin%zz",
        "/public/../admin",
        "/public/%2e%2e;/admin",
        "/admin/..%2fpublic/x",
        "/admin%2f..%2fpublic",
    ] {
        let name = found(&site, "GET", target);
        assert!(matches!(&*name, "admin" | "Ambiguous") || name.starts_with("Path("), "{target}: {name}");
    }
    for target in ["/Admin", "/administrator", "/adminx", "/x/admin", "/%2561dmin", "/public/admin", "/a%252f"] {
        let name = found(&site, "GET", target);
        assert!(!matches!(&*name, "admin"), "{target}: {name}");
    }
}

#[test]
fn a_suffix_that_refuses_is_that_of_any_segment() {
    let site = site(GUARDED);
    for target in ["/a.php", "/A.PHP", "/a.php/b", "/a.%70hp", "/a.php;x", "//a.php", "/uploads/x.php/y.jpg", "/.php"] {
        let name = found(&site, "GET", target);
        assert!(matches!(&*name, "scripts" | "Ambiguous"), "{target}: {name}");
    }
    for target in ["/a.phpx", "/a.html", "/php"] {
        assert_eq!(found(&site, "GET", target), "", "{target}");
    }
}

#[test]
fn a_suffix_that_lets_in_is_that_of_the_path() {
    let site = site("[[site.route]]\nname = 'css'\nsuffix = '.css'\ncache = false\n");
    assert_eq!(found(&site, "GET", "/a.css"), "css");
    assert_eq!(found(&site, "GET", "/a.css/secret"), "");
    assert_eq!(found(&site, "GET", "/secret;.css"), "Ambiguous");
}

#[test]
fn the_first_that_fits_counts_and_all_kinds_have_to_fit() {
    let site = site(
        "
[[site.route]]
name = 'post'
path = ['/api/', '/v2']
method = ['POST', 'PUT']
status = 405
[[site.route]]
name = 'get'
path = '/api'
method = 'GET'
suffix = ['.json', '.xml']
status = 200
[[site.route]]
name = 'robots'
exact = '/robots.txt'
status = 404
[[site.route]]
name = 'all'
path = '/'
cache = false
",
    );
    for (method, target, name) in [
        ("POST", "/api/x", "post"),
        ("POST", "/api", "post"),
        ("PUT", "/v2", "post"),
        ("POST", "/v22", "all"),
        ("GET", "/api/x.json", "get"),
        ("HEAD", "/api/x.XML", "get"),
        ("GET", "/api/x", "all"),
        ("get", "/api/x.json", "get"),
        ("head", "/api/x.json", "get"),
        ("post", "/api/x", "post"),
        ("pOsT", "/v2", "post"),
        ("GET", "/robots.txt", "robots"),
        ("GET", "/robots.txt/", "robots"),
        ("GET", "/robots.txt/x", "all"),
        ("OPTIONS", "*", ""),
    ] {
        assert_eq!(found(&site, method, target), name, "{method} {target}");
    }
}

#[test]
fn without_routes_there_is_nothing_to_ask() {
    assert!(site("").routes.is_none());
}

/// Each route that calls another upstream has one of its own, by its name.
#[test]
fn other_upstreams_are_the_routes_own() {
    let routes = "
[[site.route]]
name = 'api'
path = '/api'
upstream = 'http://127.0.0.1:2'
timeouts.first_byte = '3s'
[[site.route]]
name = 'big'
path = '/upload'
body = '10MiB'
";
    let site = site(routes);
    let found = site.routes.as_ref().unwrap();
    let names: Vec<&str> = found.proxies(&site.proxy).map(|proxy| &*proxy.settings.upstream.name).collect();
    assert_eq!(names, ["site/api"]);
    let api = found.find(b"GET", b"/api/x").unwrap();
    assert_eq!(api.proxy.settings.upstream.timeouts.first_byte, std::time::Duration::from_secs(3));
    let big = found.find(b"POST", b"/upload").unwrap();
    assert_eq!(big.proxy.settings.client.body_bytes, Some(10 << 20));
    assert!(Arc::ptr_eq(&big.proxy.upstream, &site.proxy.upstream));
    // A reload that leaves it as it is keeps its connections.
    let again = Site::new(site.settings.clone(), site.proxy.clone(), 1, Some(&site)).unwrap();
    let kept = again.routes.as_ref().unwrap().find(b"GET", b"/api/x").unwrap();
    assert!(Arc::ptr_eq(&kept.proxy.upstream, &api.proxy.upstream));
}

proptest! {
    /// Whatever is asked for, what guards `/admin` is not got round: the path that a server behind would make of it,
    /// by any of the usual ways, begins with `/admin` only if the route says so.
    #[test]
    fn guards_hold(target in "/([a-z%0-9.;/\\\\]|admin|public|%2e|%2f|%5c){0,12}") {
        let site = site(GUARDED);
        let Ok(route) = site.routes.as_ref().unwrap().find(b"GET", target.as_bytes()) else { return Ok(()) };
        let is_guarded = route.name == "admin";
        let decoded = decode(target.as_bytes());
        for reading in [target.clone().into_bytes(), decoded] {
            let text = String::from_utf8_lossy(&reading).into_owned();
            let bare = text.split('?').next().unwrap_or_default().replace('\\', "/");
            let mut stack: Vec<&str> = Vec::new();
            for segment in bare.split('/') {
                match segment.split(';').next().unwrap_or_default() {
                    "" | "." => {}
                    ".." => drop(stack.pop()),
                    name => stack.push(name),
                }
            }
            if stack.first() == Some(&"admin") {
                prop_assert!(is_guarded, "{target} by {}", route.name);
            }
        }
    }
}

fn decode(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        match digits.filter(|_| *first == b'%') {
            Some(byte) => {
                decoded.push(byte);
                rest = &after[2..];
            }
            None => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    decoded
}
