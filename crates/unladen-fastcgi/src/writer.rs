//! The principal type is [`RequestWriter`]: writes a request's begin and parameters.

use crate::params::{ParamTooLong, size, write_param};
use crate::record::{BEGIN_REQUEST, HEADER, Header, MOST_CONTENT, PARAMS, STDIN, write_record};

/// `FCGI_RESPONDER`
const RESPONDER: u8 = 1;
/// `FCGI_KEEP_CONN`
const KEEP_CONN: u8 = 1;

/// Writes a request up to the end of its parameters; its body follows.
#[derive(Debug)]
pub struct RequestWriter<'a> {
    out: &'a mut Vec<u8>,
    request: u16,
    record: usize,
}

impl<'a> RequestWriter<'a> {
    /// Begins a request at the end of `out`; `keep` asks the application to keep the connection.
    pub fn begin(out: &'a mut Vec<u8>, request: u16, keep: bool) -> Self {
        write_record(out, BEGIN_REQUEST, request, &[0, RESPONDER, if keep { KEEP_CONN } else { 0 }, 0, 0, 0, 0, 0]);
        let record = out.len();
        out.extend_from_slice(&[0; HEADER]);
        Self { out, request, record }
    }

    /// Adds a parameter, never split: PHP parses each record by itself.
    ///
    /// # Errors
    /// If it does not fit into a record; nothing is added then.
    pub fn param(&mut self, name: &[u8], value: &[u8]) -> Result<(), ParamTooLong> {
        let length = size(name, value);
        if length > MOST_CONTENT {
            return Err(ParamTooLong { length });
        }
        if self.out.len() - self.record - HEADER + length > MOST_CONTENT {
            self.end_record();
            self.record = self.out.len();
            self.out.extend_from_slice(&[0; HEADER]);
        }
        write_param(self.out, name, value);
        Ok(())
    }

    /// Ends the parameters.
    pub fn end(mut self) {
        if self.out.len() > self.record + HEADER {
            self.end_record();
        } else {
            self.out.truncate(self.record);
        }
        write_record(self.out, PARAMS, self.request, &[]);
    }

    fn end_record(&mut self) {
        let length = self.out.len() - self.record - HEADER;
        let padding = (8 - length % 8) % 8;
        let header = Header { kind: PARAMS, request: self.request, length: length as u16, padding: padding as u8 };
        if let Some(place) = self.out.get_mut(self.record..self.record + HEADER) {
            place.copy_from_slice(&header.bytes());
        }
        self.out.extend_from_slice(&[0; 8][..padding]);
    }
}

/// Writes the end of a request's body.
pub fn end_of_stdin(out: &mut Vec<u8>, request: u16) {
    write_record(out, STDIN, request, &[]);
}

#[cfg(test)]
mod tests;
