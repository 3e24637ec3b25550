//! [`media_type`]: a file's media type, by its name.

use std::borrow::Cow;

use unladen_cache::Coding;

/// The type of unknown names (RFC 2046, section 4.5.1).
const UNKNOWN: &str = "application/octet-stream";

/// Types that the list lacks, or that IANA has since replaced. Upper-case names match too.
static OWN: [(&str, &str); 60] = [
    ("map", "application/json"),
    // Sites have TypeScript sources more seldom than stream segments (HLS), which play under this type alone.
    ("ts", "video/mp2t"),
    ("mts", "video/mp2t"),
    ("m2ts", "video/mp2t"),
    ("m3u8", "application/vnd.apple.mpegurl"),
    ("mpd", "application/dash+xml"),
    // RFC 8081
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("otf", "font/otf"),
    ("ttf", "font/ttf"),
    ("ttc", "font/collection"),
    // RFC 8878, RFC 6713
    ("zst", "application/zstd"),
    ("gz", "application/gzip"),
    ("jxl", "image/jxl"),
    ("heic", "image/heic"),
    ("heif", "image/heif"),
    // RFC 7903
    ("emz", "image/emf"),
    ("wmz", "image/wmf"),
    ("webmanifest", "application/manifest+json"),
    ("jsonld", "application/ld+json"),
    ("geojson", "application/geo+json"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("m4s", "video/iso.segment"),
    // RFC 4337
    ("m4a", "audio/mp4"),
    ("m4v", "video/mp4"),
    ("mid", "audio/midi"),
    ("midi", "audio/midi"),
    ("ttml", "application/ttml+xml"),
    ("ktx2", "image/ktx2"),
    ("psd", "image/vnd.adobe.photoshop"),
    ("emf", "image/emf"),
    ("wmf", "image/wmf"),
    ("dwg", "image/vnd.dwg"),
    ("dxf", "image/vnd.dxf"),
    // 3D models, formerly certificates and drawings of others (IANA, `model`)
    ("stl", "model/stl"),
    ("obj", "model/obj"),
    ("mtl", "model/mtl"),
    ("3mf", "model/3mf"),
    ("step", "model/step"),
    ("stp", "model/step"),
    ("wrl", "model/vrml"),
    ("usdz", "model/vnd.usdz+zip"),
    // Archives and packages
    ("tgz", "application/gzip"),
    ("rar", "application/vnd.rar"),
    ("cbr", "application/vnd.comicbook-rar"),
    ("cbz", "application/vnd.comicbook+zip"),
    ("deb", "application/vnd.debian.binary-package"),
    ("udeb", "application/vnd.debian.binary-package"),
    ("rpm", "application/x-redhat-package-manager"),
    // RFC 6350, RFC 7303, RFC 8949, RFC 9512
    ("vcf", "text/vcard; charset=utf-8"),
    ("dtd", "application/xml-dtd"),
    ("cbor", "application/cbor"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("mml", "application/mathml+xml"),
    ("xlf", "application/xliff+xml"),
    ("coffee", "application/vnd.coffeescript"),
    ("wsdl", "application/wsdl+xml"),
    ("diff", "text/x-diff; charset=utf-8"),
    ("patch", "text/x-diff; charset=utf-8"),
];

/// The coding that a file's name implies besides its type: clients would not know otherwise. `.gz` describes an
/// archive's content, which is to stay one.
pub fn coding_of_name(name: &[u8]) -> Option<Coding> {
    // SVG 1.1, section 1.2; RFC 7903, section 3.
    let is_coded = [&b".svgz"[..], b".emz", b".wmz"].iter().any(|end| {
        name.len().checked_sub(end.len()).and_then(|at| name.get(at..)).is_some_and(|own| own.eq_ignore_ascii_case(end))
    });
    is_coded.then_some(Coding::Gzip)
}

/// The `Content-Type` of a file's name: with `charset=utf-8` for text, except XML, which states its own encoding (RFC
/// 7303, section 3.2).
pub fn media_type(name: &[u8]) -> Cow<'static, str> {
    let extension = match name.iter().rposition(|byte| matches!(byte, b'.' | b'/')) {
        Some(at) if name.get(at) == Some(&b'.') => name.get(at + 1..).unwrap_or_default(),
        _ => return Cow::Borrowed(UNKNOWN),
    };
    let Ok(extension) = std::str::from_utf8(extension) else { return Cow::Borrowed(UNKNOWN) };
    if let Some((_, own)) = OWN.iter().find(|(own, _)| extension.eq_ignore_ascii_case(own)) {
        return Cow::Borrowed(own);
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

/// Whether compression makes files of this type shorter.
pub fn is_text(media_type: &str) -> bool {
    unladen_cache::Coding::is_worth_it(media_type.as_bytes())
}

#[cfg(test)]
mod tests;
