//! The principal type is [`LogText`]: the bytes of a file, partly deflated, and the elements of its records.

use std::io::BufRead;

use flate2::{Decompress, FlushDecompress, Status};

use crate::input::Input;
use crate::readers::ReadError;

pub(super) const FORMAT: &str = "nytprof";
/// Bytes buffered at once.
const WINDOW: usize = 64 << 10;
/// Longest name of a subroutine or file. Devel::NYTProf's own bound is 500 bytes for the former, the kernel's 4 KiB for
/// the latter.
const MAX_NAME: usize = 64 << 10;
/// Longest line of the header.
const MAX_LINE: usize = 64 << 10;
/// Longest line of source code: generated code may be one line.
const MAX_SOURCE_LINE: u32 = 1 << 30;

pub(super) struct LogText<'s, 'i> {
    input: &'s mut Input<'i>,
    /// Buffered data, inflated if necessary.
    window: Vec<u8>,
    at: usize,
    /// Inflated bytes before the window.
    inflated: u64,
    inflate: Option<Inflate>,
}

struct Inflate {
    state: Decompress,
    /// Bytes read before the deflated part was known to begin, and not yet inflated.
    early: Vec<u8>,
    early_at: usize,
    ended: bool,
}

impl<'s, 'i> LogText<'s, 'i> {
    pub(super) fn new(input: &'s mut Input<'i>) -> Self {
        Self { input, window: Vec::with_capacity(WINDOW), at: 0, inflated: 0, inflate: None }
    }

    pub(super) fn fault(&self, what: impl std::fmt::Display) -> ReadError {
        let unread = match &self.inflate {
            Some(inflate) => inflate.early.len() - inflate.early_at,
            None => self.window.len() - self.at,
        };
        let at = self.input.offset().saturating_sub(unread as u64);
        match &self.inflate {
            Some(_) => {
                let inside = self.inflated + self.at as u64;
                ReadError::at_byte(FORMAT, at, format!("{what} (byte {inside} of the inflated data)"))
            }
            None => ReadError::at_byte(FORMAT, at, what.to_string()),
        }
    }

    pub(super) fn begin_deflated(&mut self) -> Result<(), ReadError> {
        if self.inflate.is_some() {
            return Err(self.fault("a deflated part begins within a deflated part"));
        }
        let early = self.window.split_off(self.at);
        self.window.clear();
        self.at = 0;
        self.inflate = Some(Inflate { state: Decompress::new(true), early, early_at: 0, ended: false });
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<Option<u8>, ReadError> {
        if self.at == self.window.len() && !self.refill()? {
            return Ok(None);
        }
        self.byte().map(Some)
    }

    pub(super) fn byte(&mut self) -> Result<u8, ReadError> {
        if self.at == self.window.len() && !self.refill()? {
            return Err(self.cut_off());
        }
        let byte = self.window[self.at];
        self.at += 1;
        Ok(byte)
    }

    /// A number: its first byte says how many follow.
    pub(super) fn number(&mut self) -> Result<u32, ReadError> {
        let first = self.byte()?;
        let (mut number, following) = match first {
            0..=0x7f => return Ok(u32::from(first)),
            0x80..=0xbf => (u32::from(first & 0x7f), 1),
            0xc0..=0xdf => (u32::from(first & 0x1f), 2),
            0xe0..=0xfe => (u32::from(first & 0x0f), 3),
            0xff => (0, 4),
        };
        for _ in 0..following {
            number = number << 8 | u32::from(self.byte()?);
        }
        Ok(number)
    }

    /// A Perl number, in a double's memory layout.
    pub(super) fn double(&mut self) -> Result<f64, ReadError> {
        let mut bytes = [0; 8];
        if let Some(whole) = self.window.get(self.at..self.at + 8) {
            bytes.copy_from_slice(whole);
            self.at += 8;
        } else {
            for byte in &mut bytes {
                *byte = self.byte()?;
            }
        }
        let number = f64::from_ne_bytes(bytes);
        // Keeps sums finite.
        if number.abs() < 1e30 { Ok(number) } else { Err(self.fault(format!("a time of {number}"))) }
    }

    /// Reads a name into `text`, replacing invalid UTF-8.
    pub(super) fn name(&mut self, text: &mut Vec<u8>) -> Result<(), ReadError> {
        let length = self.string_length()? as usize;
        if length > MAX_NAME {
            return Err(self.fault(format!("a name of {length} bytes; at most {MAX_NAME} are accepted")));
        }
        text.clear();
        while text.len() < length {
            if self.at == self.window.len() && !self.refill()? {
                return Err(self.cut_off());
            }
            let take = (length - text.len()).min(self.window.len() - self.at);
            text.extend_from_slice(&self.window[self.at..self.at + take]);
            self.at += take;
        }
        Ok(())
    }

    pub(super) fn skip_string(&mut self) -> Result<(), ReadError> {
        let length = self.string_length()?;
        if length > MAX_SOURCE_LINE {
            return Err(self.fault(format!("a line of {length} bytes; at most {MAX_SOURCE_LINE} are accepted")));
        }
        let mut left = length as usize;
        while left > 0 {
            if self.at == self.window.len() && !self.refill()? {
                return Err(self.cut_off());
            }
            let take = left.min(self.window.len() - self.at);
            self.at += take;
            left -= take;
        }
        Ok(())
    }

    pub(super) fn line(&mut self, text: &mut Vec<u8>) -> Result<(), ReadError> {
        text.clear();
        loop {
            let byte = self.byte()?;
            if byte == b'\n' {
                return Ok(());
            }
            if text.len() == MAX_LINE {
                return Err(self.fault(format!("a line of the header that is longer than {MAX_LINE} bytes")));
            }
            text.push(byte);
        }
    }

    fn string_length(&mut self) -> Result<u32, ReadError> {
        match self.byte()? {
            // Bytes, and UTF-8.
            b'\'' | b'"' => self.number(),
            other => Err(self.fault(format!("expected a string, found {}", shown(other)))),
        }
    }

    fn cut_off(&self) -> ReadError {
        self.fault("the file is cut off within a record: its process was killed, or the file is incomplete")
    }

    fn refill(&mut self) -> Result<bool, ReadError> {
        let Some(inflate) = &mut self.inflate else {
            self.window.clear();
            self.at = 0;
            let more = match self.input.fill_buf() {
                Ok(more) => &more[..more.len().min(WINDOW)],
                Err(error) => return Err(self.fault(error)),
            };
            self.window.extend_from_slice(more);
            self.input.consume(self.window.len());
            return Ok(!self.window.is_empty());
        };
        self.inflated += self.window.len() as u64;
        self.window.clear();
        self.at = 0;
        while self.window.is_empty() && !inflate.ended {
            let early = &inflate.early[inflate.early_at..];
            let is_early = !early.is_empty();
            let deflated = if is_early {
                early
            } else {
                match self.input.fill_buf() {
                    Ok(more) => more,
                    Err(error) => return Err(self.fault(error)),
                }
            };
            if deflated.is_empty() {
                return Err(self.fault(
                    "the file is cut off within its deflated part: its process was killed, or the \
                    file is incomplete",
                ));
            }
            let before = inflate.state.total_in();
            let status = inflate.state.decompress_vec(deflated, &mut self.window, FlushDecompress::None);
            let used = (inflate.state.total_in() - before) as usize;
            if is_early {
                inflate.early_at += used;
            } else {
                self.input.consume(used);
            }
            match status {
                Ok(Status::StreamEnd) => inflate.ended = true,
                Ok(_) if used == 0 && self.window.is_empty() => {
                    return Err(self.fault("the deflated data stops"));
                }
                Ok(_) => {}
                Err(error) => return Err(self.fault(format!("the deflated data is damaged: {error}"))),
            }
        }
        if self.window.is_empty() {
            self.ends()?;
        }
        Ok(!self.window.is_empty())
    }

    /// Fails unless only comments follow the deflated part: Devel::NYTProf writes there how much it saved.
    fn ends(&mut self) -> Result<(), ReadError> {
        let mut begins_line = true;
        while let Some(byte) = self.deflated_byte()? {
            if begins_line && byte != b'#' {
                return Err(self.fault(
                    "expected the end of the file behind its deflated part; of two files, `nytprofmerge` makes one",
                ));
            }
            begins_line = byte == b'\n';
            match &mut self.inflate {
                Some(inflate) if inflate.early_at < inflate.early.len() => inflate.early_at += 1,
                _ => self.input.consume(1),
            }
        }
        Ok(())
    }

    /// The next byte that is not inflated.
    fn deflated_byte(&mut self) -> Result<Option<u8>, ReadError> {
        let early = self.inflate.as_ref().and_then(|inflate| inflate.early.get(inflate.early_at));
        if let Some(byte) = early {
            return Ok(Some(*byte));
        }
        match self.input.fill_buf() {
            Ok(more) => Ok(more.first().copied()),
            Err(error) => Err(self.fault(error)),
        }
    }
}

pub(super) fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("the byte {byte:#04x}") }
}
