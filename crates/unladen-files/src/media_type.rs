//! [`media_type`]: what a file is, by its name.

use std::borrow::Cow;

/// What nothing is known of (RFC 2046, section 4.5.1).
const UNKNOWN: &str = "application/octet-stream";

/// The media type for a file's name, as `Content-Type` has it: with `charset=utf-8` for text, except XML, which says
/// itself how it is written (RFC 7303, section 3.2).
pub fn media_type(name: &[u8]) -> Cow<'static, str> {
    let extension = match name.iter().rposition(|byte| matches!(byte, b'.' | b'/')) {
        Some(at) if name.get(at) == Some(&b'.') => name.get(at + 1..).unwrap_or_default(),
        _ => return Cow::Borrowed(UNKNOWN),
    };
    let Ok(extension) = std::str::from_utf8(extension) else { return Cow::Borrowed(UNKNOWN) };
    // Source maps are JSON; the list has no entry for them.
    if extension.eq_ignore_ascii_case("map") {
        return Cow::Borrowed("application/json");
    }
    match mime_guess::from_ext(extension).first_raw() {
        None => Cow::Borrowed(UNKNOWN),
        Some("text/html") => Cow::Borrowed("text/html; charset=utf-8"),
        Some("text/css") => Cow::Borrowed("text/css; charset=utf-8"),
        // RFC 9239 made one of the two.
        Some("text/javascript" | "application/javascript") => Cow::Borrowed("text/javascript; charset=utf-8"),
        Some(text) if text.starts_with("text/") && text != "text/xml" => Cow::Owned(format!("{text}; charset=utf-8")),
        Some(other) => Cow::Borrowed(other),
    }
}

/// Whether files of this type become shorter by a coding.
pub fn is_text(media_type: &str) -> bool {
    unladen_cache::Coding::is_worth_it(media_type.as_bytes())
}

#[cfg(test)]
mod tests {
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
            (b"LICENSE", UNKNOWN),
            (b"a.d/LICENSE", UNKNOWN),
            (b"x.\xff", UNKNOWN),
            (b"", UNKNOWN),
        ] {
            assert_eq!(media_type(name), wanted, "{}", String::from_utf8_lossy(name));
        }
        assert!(is_text("text/css; charset=utf-8"));
        assert!(!is_text("image/png"));
    }
}
