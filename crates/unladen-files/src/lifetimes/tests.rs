use super::*;

#[test]
fn the_first_pattern_that_fits_counts() {
    let day = Duration::from_secs(86_400);
    let lifetimes =
        Lifetimes::new(["/build/*", "*.????.js"], [("*.css", day), ("/tmp/*", Duration::ZERO), ("logo.png", day)]);
    for (path, wanted) in [
        (&b"/build/a.css"[..], Some(IMMUTABLE)),
        (b"/builds/a.css", Some("max-age=86400")),
        (b"/deep/er/a.css", Some("max-age=86400")),
        (b"/a.css.map", None),
        (b"/tmp/x", Some("no-cache")),
        (b"/img/logo.png", Some("max-age=86400")),
        (b"/img/my-logo.png", None),
        (b"/", None),
    ] {
        assert_eq!(lifetimes.cache_control(path), wanted, "{}", String::from_utf8_lossy(path));
    }
}

#[test]
fn stars_stand_for_any_bytes() {
    for (pattern, text, wanted) in [
        ("*", "", true),
        ("a*b*c", "a.b.b.c", true),
        ("a*b*c", "a.c.b", false),
        ("a**", "a", true),
        ("", "", true),
        ("", "x", false),
        ("*.js", ".js", true),
    ] {
        assert_eq!(fits(pattern.as_bytes(), text.as_bytes()), wanted, "{pattern} {text}");
    }
    // Nothing that takes long for a pattern of many stars.
    assert!(!fits(&b"*a".repeat(64), &b"a".repeat(63)));
}
