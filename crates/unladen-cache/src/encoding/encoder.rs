//! The principal type is [`Encoder`]: compresses a body while it passes.

use std::io::{self, Write};

use zstd::zstd_safe::CParameter;

use super::Coding;

/// Logarithm of a stream's window: 64 KiB, taken for each answer under way.
const WINDOW: u32 = 16;
/// Some hundred megabytes a second on one core, nearly so for gzip and Brotli: the body is coded for one client.
const ZSTD_LEVEL: i32 = 2;
const GZIP_LEVEL: u32 = 4;
const BROTLI_QUALITY: u32 = 3;
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
            Coding::Brotli => Kind::Brotli(Box::new(brotli::CompressorWriter::new(out, PIECE, BROTLI_QUALITY, WINDOW))),
            Coding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.set_parameter(CParameter::WindowLog(WINDOW))?;
                Kind::Zstd(encoder)
            }
            Coding::Gzip => Kind::Gzip(flate2::write::GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL))),
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
