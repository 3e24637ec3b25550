//! The principal type is [`Target`]: a request target in parts; nothing is copied, decoded or resolved.

const MOST_SEGMENTS: usize = 12;
const MOST_KEYS: usize = 12;

/// Query keys that say where a visitor came from, or get past caches, and select nothing.
const TRACKING: [&[u8]; 16] = [
    b"fbclid",
    b"gclid",
    b"gclsrc",
    b"dclid",
    b"gbraid",
    b"wbraid",
    b"msclkid",
    b"yclid",
    b"mc_cid",
    b"mc_eid",
    b"igshid",
    b"twclid",
    b"li_fat_id",
    b"_ga",
    b"_gl",
    b"_",
];

#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) path: &'a [u8],
    segments: [&'a [u8]; MOST_SEGMENTS],
    depth: usize,
    /// Whether there are more segments than are kept.
    pub(crate) is_deeper: bool,
    query: [(&'a [u8], &'a [u8]); MOST_KEYS],
    keys: usize,
}

impl<'a> Target<'a> {
    /// Takes one apart: segments that are not empty, and keys with their first values, sorted.
    pub(crate) fn parse(text: &'a [u8]) -> Self {
        let text = &text[..memchr::memchr(b'#', text).unwrap_or(text.len())];
        let question = memchr::memchr(b'?', text);
        let path = &text[..question.unwrap_or(text.len())];
        // A session's id after a semicolon is no part of the name.
        let named = &path[..memchr::memmem::find(path, b";jsessionid=").unwrap_or(path.len())];
        let mut target =
            Self { path: named, segments: [b""; _], depth: 0, is_deeper: false, query: [(b"", b""); _], keys: 0 };
        for segment in named.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty()) {
            if target.depth == MOST_SEGMENTS {
                target.is_deeper = true;
                break;
            }
            target.segments[target.depth] = segment;
            target.depth += 1;
        }
        if let Some(question) = question {
            target.parse_query(&text[question + 1..]);
        }
        target
    }

    fn parse_query(&mut self, query: &'a [u8]) {
        for pair in query.split(|byte| matches!(byte, b'&' | b';')) {
            // `&amp;` of a page that was escaped twice has been split at its semicolon.
            if pair.is_empty() || pair == b"amp" || self.keys == MOST_KEYS {
                continue;
            }
            let (key, value) = match memchr::memchr(b'=', pair) {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, &b""[..]),
            };
            // Of `a[]`, `a[2]` and `a%5B%5D` the name.
            let key = &key[..memchr::memchr2(b'[', b'%', key).unwrap_or(key.len())];
            if key.starts_with(b"utm_") || TRACKING.contains(&key) {
                continue;
            }
            let Err(at) = self.query[..self.keys].binary_search_by_key(&key, |(key, _)| key) else { continue };
            self.query.copy_within(at..self.keys, at + 1);
            self.query[at] = (key, value);
            self.keys += 1;
        }
    }

    pub(crate) fn segments(&self) -> &[&'a [u8]] {
        &self.segments[..self.depth]
    }

    pub(crate) fn query(&self) -> &[(&'a [u8], &'a [u8])] {
        &self.query[..self.keys]
    }

    pub(crate) fn value(&self, key: &[u8]) -> Option<&'a [u8]> {
        let at = self.query().binary_search_by_key(&key, |(key, _)| key).ok()?;
        Some(self.query[at].1)
    }

    /// Kind of a file that is no page, by its name.
    pub(crate) fn static_kind(&self) -> Option<&'static str> {
        let last = self.segments().last()?;
        let ending = &last[memchr::memrchr(b'.', last)? + 1..];
        let known = STATIC.iter().find(|known| known.as_bytes()[STATIC_BEGIN..].eq_ignore_ascii_case(ending))?;
        // `/wiki/File:Map.png` and `/index.php/Map.png` are pages.
        let is_page = memchr::memchr(b':', last).is_some() || memchr::memmem::find(self.path, b".php/").is_some();
        (!is_page).then_some(known)
    }
}

/// Files that no application makes for each request, by their endings.
const STATIC: [&str; 42] = [
    "static .css",
    "static .js",
    "static .mjs",
    "static .map",
    "static .png",
    "static .jpg",
    "static .jpeg",
    "static .gif",
    "static .svg",
    "static .webp",
    "static .avif",
    "static .ico",
    "static .bmp",
    "static .woff",
    "static .woff2",
    "static .ttf",
    "static .otf",
    "static .eot",
    "static .mp4",
    "static .webm",
    "static .ogg",
    "static .ogv",
    "static .mp3",
    "static .wav",
    "static .m4a",
    "static .flac",
    "static .pdf",
    "static .zip",
    "static .gz",
    "static .bz2",
    "static .xz",
    "static .tar",
    "static .7z",
    "static .rar",
    "static .exe",
    "static .dmg",
    "static .deb",
    "static .apk",
    "static .iso",
    "static .wasm",
    "static .txt",
    "static .webmanifest",
];

const STATIC_BEGIN: usize = "static .".len();
