//! The principal type is [`Gzip`]: a gzip file's text.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Unpacks gzip: one member behind the other, and zeros, with which tapes and block devices fill up what they keep,
/// behind any of them.
pub struct Gzip<R> {
    /// `None` at the end.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    /// Unpacks what is read from here.
    pub fn new(packed: R) -> Self {
        Self { member: Some(GzDecoder::new(packed)) }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let Some(mut packed) = self.member.take().map(GzDecoder::into_inner) else { break };
            if skip_zeros(&mut packed)? {
                self.member = Some(GzDecoder::new(packed));
            }
        }
        Ok(0)
    }
}

/// Whether anything follows them.
fn skip_zeros(packed: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = packed.fill_buf()?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let (is_end, is_other) = (bytes.is_empty(), zeros < bytes.len());
        packed.consume(zeros);
        if is_end || is_other {
            return Ok(is_other);
        }
    }
}
