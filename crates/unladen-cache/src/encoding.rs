//! Content codings (RFC 9110, sections 8.4.1 and 12.5.3).

mod encoder;

use std::io::Write;

pub use self::encoder::Encoder;

use crate::text::{split_once, trim, weighted};

/// A content coding that bodies are given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Coding {
    Brotli,
    Zstd,
    Gzip,
}

/// What a client takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Accepted {
    pub brotli: bool,
    pub zstd: bool,
    pub gzip: bool,
    /// Not only if `identity;q=0` or `*;q=0` says so.
    pub identity: bool,
    /// Weights in thousandths, of those in this order; of what is not named, 0.
    weights: [u16; 4],
}

/// Of 0 to 11: what a processor's core does at some tens of megabytes a second. A body is coded once for all who ask.
const BROTLI_QUALITY: i32 = 5;
/// The window's logarithm, which browsers take.
const BROTLI_WINDOW: i32 = 22;
/// The default of the library. Its window is below the 8 MiB that RFC 9659 allows in HTTP.
const ZSTD_LEVEL: i32 = 3;
const GZIP_LEVEL: u32 = 6;

impl Accepted {
    /// Of `Accept-Encoding`, all lines of it joined; none: anything, of which identity is the safe choice. A coding
    /// that is named twice has the last of its weights.
    pub fn of(header: Option<&[u8]>) -> Self {
        let [mut brotli, mut zstd, mut gzip, mut identity, mut other] = [None; 5];
        for (name, weight) in weighted(header.unwrap_or_default()) {
            let is = |coding: &[u8]| name.eq_ignore_ascii_case(coding);
            let place = match () {
                () if is(b"br") => &mut brotli,
                () if is(b"zstd") => &mut zstd,
                () if is(b"gzip") || is(b"x-gzip") => &mut gzip,
                () if is(b"identity") => &mut identity,
                () if is(b"*") => &mut other,
                () => continue,
            };
            *place = Some(weight);
        }
        let weight = |said: Option<u16>| said.or(other).unwrap_or(0);
        Self {
            brotli: weight(brotli) > 0,
            zstd: weight(zstd) > 0,
            gzip: weight(gzip) > 0,
            identity: identity.or(other).unwrap_or(1) > 0,
            // To be sent as it is is a wish only if it is named.
            weights: [weight(brotli), weight(zstd), weight(gzip), identity.unwrap_or(0)],
        }
    }

    /// Whether a coding is taken.
    pub fn takes(self, coding: Coding) -> bool {
        match coding {
            Coding::Brotli => self.brotli,
            Coding::Zstd => self.zstd,
            Coding::Gzip => self.gzip,
        }
    }

    /// For what passes: what the client likes best first, and of the same weight what costs least. None that it likes
    /// less than what is sent as it is.
    pub fn by_weight(self) -> impl Iterator<Item = Coding> {
        let [brotli, zstd, gzip, identity] = self.weights;
        let mut all = [(zstd, Coding::Zstd), (brotli, Coding::Brotli), (gzip, Coding::Gzip)];
        all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        all.into_iter().filter(move |(weight, _)| *weight > 0 && *weight >= identity).map(|(_, coding)| coding)
    }

    /// For what lies there in several codings: what the client likes best first, and of the same weight the shortest.
    /// None that it likes less than what is sent as it is.
    pub fn shortest_by_weight(self) -> impl Iterator<Item = Coding> {
        let [brotli, zstd, gzip, identity] = self.weights;
        let mut all = [(brotli, Coding::Brotli), (zstd, Coding::Zstd), (gzip, Coding::Gzip)];
        all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        all.into_iter().filter(move |(weight, _)| *weight > 0 && *weight >= identity).map(|(_, coding)| coding)
    }

    /// In the order to be tried: the best first.
    pub fn each(self) -> impl Iterator<Item = Coding> {
        [Coding::Brotli, Coding::Zstd, Coding::Gzip].into_iter().filter(move |coding| self.takes(*coding))
    }
}

impl Coding {
    /// Its name in `Content-Encoding`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// A body in this coding; none: it would be no shorter.
    pub fn encode(self, body: &[u8]) -> Option<Vec<u8>> {
        let mut coded = match self {
            Self::Brotli => {
                // A window longer than the body, or tables for a body of any length, would be memory for nothing.
                let window = body.len().max(1).ilog2() as i32 + 1;
                let params = brotli::enc::BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    lgwin: window.clamp(16, BROTLI_WINDOW),
                    size_hint: body.len(),
                    ..Default::default()
                };
                let mut writer = brotli::CompressorWriter::with_params(Vec::new(), 4096, &params);
                writer.write_all(body).ok()?;
                writer.into_inner()
            }
            Self::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL).ok()?,
            Self::Gzip => {
                let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL));
                writer.write_all(body).ok()?;
                writer.finish().ok()?
            }
        };
        // Some make room for what could not be made shorter, which would be kept with it.
        coded.shrink_to_fit();
        (coded.len() < body.len()).then_some(coded)
    }

    /// Whether a body of this media type is worth it: text in the widest sense, and what has not been compressed
    /// before. Not what comes in events, each of which is waited for.
    pub fn is_worth_it(content_type: &[u8]) -> bool {
        let mut name = trim(split_once(content_type, b';').0).to_ascii_lowercase();
        name.truncate(LONGEST_TYPE);
        if let Some(text) = name.strip_prefix(b"text/") {
            return text != b"event-stream";
        }
        name.ends_with(b"+json") || name.ends_with(b"+xml") || WORTH.iter().any(|worth| worth.as_bytes() == name)
    }
}

/// Names of media types are no longer (RFC 6838, section 4.2, allows 127 for each of two parts).
const LONGEST_TYPE: usize = 255;

/// What is worth it, beside `text/…`, `…+json` and `…+xml`.
const WORTH: [&str; 29] = [
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/json5",
    "application/jsonl",
    "application/manifest",
    "application/opensearchdescription",
    "application/rtf",
    "application/sql",
    "application/toml",
    "application/vnd.ms-fontobject",
    "application/wasm",
    "application/x-font-opentype",
    "application/x-font-truetype",
    "application/x-font-ttf",
    "application/x-httpd-php",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-sh",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
    "font/collection",
    "font/otf",
    "font/ttf",
    "image/bmp",
    "image/vnd.microsoft.icon",
    "image/x-icon",
];

#[cfg(test)]
mod tests;
