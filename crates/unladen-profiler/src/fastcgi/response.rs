//! The principal type is [`ResponseReader`]: assembles an answer from records.
//!
//! No input or output: bytes may be split anywhere. The head is that of CGI (RFC 3875, section 6).

use unladen_fastcgi::{Decoder, Fault, Stderr, Unwrapped, parse_head};
use unladen_http1::HeadLimits;

const HEAD: HeadLimits = HeadLimits { bytes: 256 << 10, fields: 1024 };

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body_bytes: u64,
    /// The beginning of the body.
    pub(crate) body: Vec<u8>,
    /// The beginning of standard error.
    pub(crate) stderr: Stderr,
}

#[derive(Debug)]
pub(crate) struct ResponseReader {
    decoder: Decoder,
    keep: usize,
    /// Output not taken yet, and the beginning of an incomplete record.
    pending: Vec<u8>,
    ready: usize,
    has_head: bool,
    response: Response,
}

impl ResponseReader {
    pub(crate) fn new(request: u16, keep: usize) -> Self {
        Self {
            decoder: Decoder::new(request),
            keep,
            pending: Vec::new(),
            ready: 0,
            has_head: false,
            response: Response::default(),
        }
    }

    /// Adds bytes; returns whether the answer has ended. The error continues a sentence that begins with the
    /// application.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<bool, String> {
        let told = |fault: Fault| format!("cannot be understood: {fault}");
        self.pending.extend_from_slice(bytes);
        let unwrapped = self.decoder.unwrap(&mut self.pending, self.ready, &mut self.response.stderr).map_err(told)?;
        let Unwrapped { start, ready, rest } = unwrapped;
        self.pending.drain(..start);
        self.pending.truncate(ready + rest);
        self.ready = ready;
        if let Some(refusal) = self.decoder.refusal() {
            return Err(format!("has not taken the request: {refusal}"));
        }
        let has_ended = self.decoder.has_ended();
        if !self.has_head {
            let mut head = unladen_http1::Response::default();
            let output = self.pending.get(..ready).unwrap_or_default();
            match parse_head(&mut head, output, None, false, &HEAD).map_err(told)? {
                Some(length) => {
                    self.has_head = true;
                    self.response.status = head.status;
                    let fields = head.fields.iter();
                    self.response.headers = fields
                        .map(|field| (String::from_utf8_lossy(field.name).into_owned(), field.value.to_vec()))
                        .collect();
                    self.pending.drain(..length);
                    self.ready -= length;
                }
                None => return Ok(has_ended),
            }
        }
        let content = self.pending.get(..self.ready).unwrap_or_default();
        self.response.body_bytes = self.response.body_bytes.saturating_add(content.len() as u64);
        let room = self.keep.saturating_sub(self.response.body.len());
        self.response.body.extend_from_slice(content.get(..room).unwrap_or(content));
        self.pending.drain(..self.ready);
        self.ready = 0;
        Ok(has_ended)
    }

    pub(crate) fn so_far(&self) -> String {
        let came = match (self.has_head, self.ready) {
            (true, _) => format!("{} bytes of a body came", self.response.body_bytes),
            (false, 0) => {
                "nothing came (all of its processes may be busy, or held by connections that the web server keeps: \
                           keepalive, enablereuse)"
                    .to_owned()
            }
            (false, _) => "half of a head came".to_owned(),
        };
        came + &self.response.said()
    }

    /// The answer after its end; fails if it had no head.
    pub(crate) fn finish(self) -> Result<Response, String> {
        if self.has_head { Ok(self.response) } else { Err(format!("has answered without a head: {}", self.so_far())) }
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..])
    }

    /// Its standard error, for the end of a sentence.
    pub(crate) fn said(&self) -> String {
        let text: String = self.stderr.line().chars().take(1000).collect();
        if text.is_empty() { String::new() } else { format!("; it says: {text}") }
    }
}
