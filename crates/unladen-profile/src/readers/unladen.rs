//! The principal type is [`Unladen`]: our own format, which preserves all of a profile.

mod document;

use std::io::{self, Read};

use serde::de::DeserializeSeed;

use crate::input::Input;
use crate::profile::Profile;
use crate::read_error::ReadError;
use crate::reader::ProfileReader;

pub(crate) struct Unladen;

/// Beginning of a document, without spaces; its version follows.
const BEGINNING: [&[u8]; 4] = [b"{", b"\"schema\"", b":", b"\"unladen.stacks/"];

impl ProfileReader for Unladen {
    fn name(&self) -> &'static str {
        "unladen"
    }

    fn about(&self) -> &'static str {
        "Unladen itself: nothing is lost"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let mut rest = head;
        BEGINNING.iter().all(|part| {
            let found = rest.trim_ascii_start().strip_prefix(*part);
            rest = found.unwrap_or_default();
            found.is_some()
        })
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut source = ProfileText { input, buffer: vec![0; BUFFER], at: 0, end: 0 };
        let mut profile = Profile::default();
        let mut json = serde_json::Deserializer::from_reader(&mut source);
        let read = document::Document(&mut profile).deserialize(&mut json).and_then(|()| json.end());
        match read {
            Ok(()) => Ok(profile),
            Err(error) => {
                // The place is given as a byte: such a document may be one line.
                let text = error.to_string();
                let what = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
                Err(ReadError::at_byte(self.name(), source.offset(), what))
            }
        }
    }
}

const BUFFER: usize = 64 << 10;

/// Bytes one by one, as the parser asks for them, without a call into the input for each.
struct ProfileText<'a, 'b> {
    input: &'a mut Input<'b>,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

// === impl ProfileText ===

impl ProfileText<'_, '_> {
    fn offset(&self) -> u64 {
        self.input.offset().saturating_sub((self.end - self.at) as u64)
    }
}

impl Read for ProfileText<'_, '_> {
    #[inline]
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.end {
            self.end = self.input.read(&mut self.buffer)?;
            self.at = 0;
        }
        let length = into.len().min(self.end - self.at);
        into[..length].copy_from_slice(&self.buffer[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests;
