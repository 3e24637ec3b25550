//! Content codings (RFC 9110, sections 8.4.1 and 12.5.3). The principal types are [`Accepted`]: those that a client
//! takes; and [`Encoder`]: compresses a body while it passes.

use std::io::{self, Write};

use zstd::zstd_safe::CParameter;

use crate::text::{split_once, trim, weighted};

/// A content coding that this cache applies to bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[allow(missing_docs)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Coding {
    #[strum(serialize = "br")]
    Brotli,
    Zstd,
    Gzip,
}

/// The content codings that a client accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Accepted {
    pub brotli: bool,
    pub zstd: bool,
    pub gzip: bool,
    /// False only for `identity;q=0` or `*;q=0`.
    pub identity: bool,
    /// Weights in thousandths, in this order; 0 if not named.
    weights: [u16; 4],
}

/// Quality from 0 to 11: some tens of megabytes a second on one core. A body is coded once for all clients.
const BROTLI_QUALITY: i32 = 5;
/// Logarithm of the window, which browsers accept.
const BROTLI_WINDOW: i32 = 22;
/// The library's default. Its window is below the 8 MiB that RFC 9659 allows in HTTP.
const ZSTD_LEVEL: i32 = 3;
const GZIP_LEVEL: u32 = 6;

impl Accepted {
    /// Reads `Accept-Encoding`, all lines joined; `None` means anything, of which identity is the safe choice. Of a
    /// coding that is named twice, the last weight counts.
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
            // Identity is preferred only if it is named.
            weights: [weight(brotli), weight(zstd), weight(gzip), identity.unwrap_or(0)],
        }
    }

    /// Whether the client accepts a coding.
    pub fn takes(self, coding: Coding) -> bool {
        match coding {
            Coding::Brotli => self.brotli,
            Coding::Zstd => self.zstd,
            Coding::Gzip => self.gzip,
        }
    }

    /// For streams: the client's order, and at equal weight the cheapest. Codings liked less than identity are left
    /// out.
    pub fn by_weight(self) -> impl Iterator<Item = Coding> {
        let [brotli, zstd, gzip, identity] = self.weights;
        let mut all = [(zstd, Coding::Zstd), (brotli, Coding::Brotli), (gzip, Coding::Gzip)];
        all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        all.into_iter().filter(move |(weight, _)| *weight > 0 && *weight >= identity).map(|(_, coding)| coding)
    }

    /// For bodies stored in several codings: the client's order, and at equal weight the shortest. Codings liked less
    /// than identity are left out.
    pub fn shortest_by_weight(self) -> impl Iterator<Item = Coding> {
        let [brotli, zstd, gzip, identity] = self.weights;
        let mut all = [(brotli, Coding::Brotli), (zstd, Coding::Zstd), (gzip, Coding::Gzip)];
        all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        all.into_iter().filter(move |(weight, _)| *weight > 0 && *weight >= identity).map(|(_, coding)| coding)
    }
}

impl Coding {
    /// A body in this coding; `None` if it would be no shorter.
    pub fn encode(self, body: &[u8]) -> Option<Vec<u8>> {
        let mut coded = match self {
            Self::Brotli => {
                // A window longer than the body, or tables for any length, would waste memory.
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
        // Some encoders reserve room for incompressible data, which would be kept with the body.
        coded.shrink_to_fit();
        (coded.len() < body.len()).then_some(coded)
    }

    /// Whether bodies of a media type are worth compressing: text in the widest sense, not compressed before, and no
    /// event stream, of which each event is waited for.
    pub fn is_worth_it(content_type: &[u8]) -> bool {
        let mut name = trim(split_once(content_type, b';').0).to_ascii_lowercase();
        name.truncate(LONGEST_TYPE);
        if let Some(text) = name.strip_prefix(b"text/") {
            return text != b"event-stream";
        }
        name.ends_with(b"+json") || name.ends_with(b"+xml") || WORTH.iter().any(|worth| worth.as_bytes() == name)
    }
}

/// Media types are no longer (RFC 6838, section 4.2, allows 127 for each of two parts).
const LONGEST_TYPE: usize = 255;

/// Types worth compressing, besides `text/…`, `…+json` and `…+xml`.
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

/// Logarithm of a stream's window: 64 KiB, taken for each answer under way.
const WINDOW: u32 = 16;
/// Some hundred megabytes a second on one core, nearly so for gzip and Brotli: the body is coded for one client.
const STREAM_ZSTD_LEVEL: i32 = 2;
const STREAM_GZIP_LEVEL: u32 = 4;
const STREAM_BROTLI_QUALITY: u32 = 3;
const PIECE: usize = 4096;

/// Compresses a body while it passes. Output is taken from [`Self::out`].
pub struct Encoder(Kind);

enum Kind {
    Brotli(Box<brotli::CompressorWriter<Vec<u8>>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Gzip(flate2::write::GzEncoder<Vec<u8>>),
}

// === impl Encoder ===

impl Encoder {
    /// # Errors
    /// If there is no memory for it.
    pub fn new(coding: Coding) -> io::Result<Self> {
        let out = Vec::new();
        Ok(Self(match coding {
            Coding::Brotli => {
                Kind::Brotli(Box::new(brotli::CompressorWriter::new(out, PIECE, STREAM_BROTLI_QUALITY, WINDOW)))
            }
            Coding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, STREAM_ZSTD_LEVEL)?;
                encoder.set_parameter(CParameter::WindowLog(WINDOW))?;
                Kind::Zstd(encoder)
            }
            Coding::Gzip => Kind::Gzip(flate2::write::GzEncoder::new(out, flate2::Compression::new(STREAM_GZIP_LEVEL))),
        }))
    }

    /// Approximate memory of one encoder, by its window and tables.
    pub fn memory(coding: Coding) -> usize {
        match coding {
            Coding::Brotli => 1024 * 1024,
            Coding::Zstd => 448 * 1024,
            Coding::Gzip => 320 * 1024,
        }
    }

    /// Compresses some of the body.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn write(&mut self, data: &[u8]) -> io::Result<()> {
        self.writer().write_all(data)
    }

    /// Flushes all input, so that a decoder need not wait for more.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }

    /// Output that was not taken yet.
    pub fn out(&mut self) -> &mut Vec<u8> {
        match &mut self.0 {
            Kind::Brotli(writer) => writer.get_mut(),
            Kind::Zstd(writer) => writer.get_mut(),
            Kind::Gzip(writer) => writer.get_mut(),
        }
    }

    /// Ends the body and returns the remaining output.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        match self.0 {
            Kind::Brotli(writer) => Ok(writer.into_inner()),
            Kind::Zstd(writer) => writer.finish(),
            Kind::Gzip(writer) => writer.finish(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            Kind::Brotli(writer) => writer,
            Kind::Zstd(writer) => writer,
            Kind::Gzip(writer) => writer,
        }
    }
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Kind::Brotli(_) => "Encoder(br)",
            Kind::Zstd(_) => "Encoder(zstd)",
            Kind::Gzip(_) => "Encoder(gzip)",
        })
    }
}

#[cfg(test)]
mod tests;
