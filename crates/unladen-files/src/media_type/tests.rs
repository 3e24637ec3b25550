use super::*;

#[test]
fn names_tell_types() {
    for (name, wanted) in [
        (&b"a/b.html"[..], "text/html; charset=utf-8"),
        (b"b.CSS", "text/css; charset=utf-8"),
        (b"app.min.js", "text/javascript; charset=utf-8"),
        (b"app.mjs", "text/javascript; charset=utf-8"),
        (b"readme.txt", "text/plain; charset=utf-8"),
        (b"a.json", "application/json"),
        (b"a.js.map", "application/json"),
        (b"feed.xml", "text/xml"),
        (b"logo.svg", "image/svg+xml"),
        (b"p.png", "image/png"),
        (b"p.webp", "image/webp"),
        (b"p.avif", "image/avif"),
        (b"f.woff2", "font/woff2"),
        (b"m.wasm", "application/wasm"),
        (b"drawing.svgz", "image/svg+xml"),
        (b"part1.ts", "video/mp2t"),
        (b"f.woff", "font/woff"),
        (b"f.OTF", "font/otf"),
        (b"f.ttf", "font/ttf"),
        (b"a.zst", "application/zstd"),
        (b"a.tar.gz", "application/gzip"),
        (b"p.jxl", "image/jxl"),
        (b"site.webmanifest", "application/manifest+json"),
        (b"part.m4s", "video/iso.segment"),
        (b"cube.stl", "model/stl"),
        (b"a.rpm", "application/x-redhat-package-manager"),
        (b"a.deb", "application/vnd.debian.binary-package"),
        (b"a.tgz", "application/gzip"),
        (b"card.vcf", "text/vcard; charset=utf-8"),
        (b"openapi.yaml", "application/yaml"),
        (b"LICENSE", UNKNOWN),
        (b"a.d/LICENSE", UNKNOWN),
        (b"x.\xff", UNKNOWN),
        (b"", UNKNOWN),
    ] {
        assert_eq!(media_type(name), wanted, "{}", String::from_utf8_lossy(name));
    }
    assert_eq!(coding_of_name(b"a/drawing.SVGZ"), Some(Coding::Gzip));
    assert_eq!(coding_of_name(b"a.tar.gz"), None);
    assert!(is_text("text/css; charset=utf-8"));
    assert!(!is_text("image/png"));
}
