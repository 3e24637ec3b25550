use proptest::prelude::*;

use super::*;

fn each(target: &str) -> Option<Vec<String>> {
    let readings = Readings::of(target.as_bytes()).ok()?;
    Some(readings.each().map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

#[test]
fn a_plain_path_has_one_reading() {
    for path in ["/", "/a/b.html", "/a/b/", "/~x/a-b_c"] {
        assert_eq!(each(path), Some(vec![path.to_owned()]));
        assert_eq!(each(&format!("{path}?q=%2e%2e;/../x")), Some(vec![path.to_owned()]));
    }
    assert_eq!(each("/%61dmin").unwrap(), ["/admin"]);
    assert_eq!(each("/a//b").unwrap(), ["/a/b"]);
}

#[test]
fn others_may_read_a_path_otherwise() {
    assert_eq!(each("/admin;x/y").unwrap(), ["/admin;x/y", "/admin/y"]);
    assert_eq!(each("/a%2Fb").unwrap(), ["/a%2Fb", "/a/b"]);
    assert_eq!(each("/a\\b").unwrap(), ["/a\\b", "/a/b"]);
    assert_eq!(each("//host/x").unwrap(), ["/host/x", "/x"]);
    assert_eq!(each("//host").unwrap(), ["/host", "/"]);
    // As they came by a filter, a rewriter or a server of Windows that decodes once more.
    assert_eq!(each("/%2561dmin/x").unwrap(), ["/%61dmin/x", "/admin/x"]);
    assert_eq!(each("/admin%3Fx").unwrap(), ["/admin?x", "/admin"]);
    assert_eq!(each("/%2561dmin%23x").unwrap(), ["/%61dmin#x", "/admin#x", "/admin"]);
    assert_eq!(each("/a%252Fb;c").unwrap(), ["/a%2Fb;c", "/a/b"]);
    // A parameter ends at a slash that came as one, for who looks for it before decoding (Tomcat, Python's `urlparse`).
    assert_eq!(each("/login;a%2Fb").unwrap(), ["/login;a%2Fb", "/login/b", "/login"]);
    assert_eq!(each("/login;a\\b").unwrap(), ["/login;a\\b", "/login/b", "/login"]);
    assert!(each("/login;a%252Fb").unwrap().contains(&"/login".to_owned()));
    // `new URL("/\\host/x", base)` of JavaScript.
    for target in ["/\\host/x", "/\\\\host/x", "/\\/host/x", "/%5Chost/x", "/%2Fhost/x", "/\\host\\x"] {
        assert!(each(target).unwrap().contains(&"/x".to_owned()), "{target}");
    }
    assert!(each("/x%3Fy/z.%2570hp").unwrap().contains(&"/x?y/z.php".to_owned()));
    // No escape, once it is decoded.
    assert_eq!(each("/100%25").unwrap(), ["/100%"]);
    assert_eq!(each("/100%25zz").unwrap(), ["/100%zz"]);
}

#[test]
fn what_climbs_is_no_path() {
    for target in [
        "/x/%252e%252e/y",
        "/x/%252e%252E%255cy",
        "/x/../y",
        "/x/%2e%2e/y",
        "/.",
        "/x/.%2E",
        "/x/..;/y",
        "/x/..%2fy",
        "/x\\..\\y",
        "/x/.;a/y",
        "/%00",
    ] {
        assert_eq!(each(target), None, "{target}");
    }
}

proptest! {
    #[test]
    fn no_reading_climbs_or_has_empty_segments(target in "/[ -~]{0,60}") {
        if let Ok(readings) = Readings::of(target.as_bytes()) {
            for path in readings.each() {
                prop_assert!(path.first() == Some(&b'/'));
                let inner = path.strip_suffix(b"/").unwrap_or(path);
                for segment in inner.split(|byte| *byte == b'/').skip(1) {
                    prop_assert!(!matches!(segment, b"" | b"." | b".."), "{:?}", String::from_utf8_lossy(path));
                }
            }
        }
    }
}
