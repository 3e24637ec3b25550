//! The principal type is [`Http2`]: a peer of HTTP/2 (RFC 9113) that says what it is told to, frame by frame, right or
//! wrong.

use std::io::{ErrorKind, Read, Write};

/// How a client begins.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames (section 6).
#[allow(missing_docs)]
pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const PRIORITY: u8 = 2;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// Flags of frames.
#[allow(missing_docs)]
pub mod flag {
    pub const ACK: u8 = 1;
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
    pub const PADDED: u8 = 8;
    pub const PRIORITY: u8 = 0x20;
}

/// Codes of errors (section 7).
#[allow(missing_docs)]
pub mod code {
    pub const NO_ERROR: u32 = 0;
    pub const PROTOCOL_ERROR: u32 = 1;
    pub const INTERNAL_ERROR: u32 = 2;
    pub const FLOW_CONTROL_ERROR: u32 = 3;
    pub const STREAM_CLOSED: u32 = 5;
    pub const FRAME_SIZE_ERROR: u32 = 6;
    pub const REFUSED_STREAM: u32 = 7;
    pub const CANCEL: u32 = 8;
    pub const COMPRESSION_ERROR: u32 = 9;
    pub const ENHANCE_YOUR_CALM: u32 = 11;
}

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// As in [`kind`].
    pub kind: u8,
    /// As in [`flag`].
    pub flags: u8,
    /// 0: the connection.
    pub stream: u32,
    /// What it carries.
    pub payload: Vec<u8>,
}

/// One end of a connection.
#[derive(Debug)]
pub struct Http2<S> {
    /// What it goes over.
    pub stream: S,
    read: Vec<u8>,
}

impl Frame {
    /// Of these parts.
    pub fn new(kind: u8, flags: u8, stream: u32, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, flags, stream, payload: payload.into() }
    }

    /// A whole head: names and values, as they are.
    pub fn head(stream: u32, fields: &[(&[u8], &[u8])], ends: bool) -> Self {
        let flags = flag::END_HEADERS | if ends { flag::END_STREAM } else { 0 };
        Self::new(kind::HEADERS, flags, stream, block(fields))
    }

    /// Of a body.
    pub fn data(stream: u32, payload: impl Into<Vec<u8>>, ends: bool) -> Self {
        Self::new(kind::DATA, if ends { flag::END_STREAM } else { 0 }, stream, payload)
    }

    /// Identifiers and values.
    pub fn settings(settings: &[(u16, u32)]) -> Self {
        let each = settings.iter().flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat());
        Self::new(kind::SETTINGS, 0, 0, each.collect::<Vec<u8>>())
    }

    /// Ends a stream.
    pub fn reset(stream: u32, code: u32) -> Self {
        Self::new(kind::RST_STREAM, 0, stream, code.to_be_bytes())
    }

    /// Gives way to more of bodies.
    pub fn window(stream: u32, more: u32) -> Self {
        Self::new(kind::WINDOW_UPDATE, 0, stream, more.to_be_bytes())
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let length = u32::try_from(self.payload.len()).expect("a frame is short").to_be_bytes();
        [&length[1..], &[self.kind, self.flags], &self.stream.to_be_bytes(), &self.payload].concat()
    }

    /// Of RST_STREAM and GOAWAY: the code of the error.
    pub fn code(&self) -> Option<u32> {
        let at = match self.kind {
            kind::RST_STREAM => 0,
            kind::GOAWAY => 4,
            _ => return None,
        };
        Some(u32::from_be_bytes(self.payload.get(at..at + 4)?.try_into().ok()?))
    }

    /// Of HEADERS that a server sent, without padding: the status.
    pub fn status(&self) -> Option<u16> {
        if self.kind == kind::HEADERS { status(&self.payload) } else { None }
    }

    /// Whether it ends its stream.
    pub fn ends(&self) -> bool {
        matches!(self.kind, kind::DATA | kind::HEADERS) && self.flags & flag::END_STREAM != 0
    }
}

impl<S: Read + Write> Http2<S> {
    /// As it is: nothing has been said.
    pub fn new(stream: S) -> Self {
        Self { stream, read: Vec::new() }
    }

    /// A client that has said who it is. The peer's heads do not refer to each other: [`Frame::status`] can read them.
    pub fn client(stream: S) -> Self {
        let mut this = Self::new(stream);
        this.say(PREFACE);
        this.send(&Frame::settings(&[(1, 0)]));
        this
    }

    /// A server that has read who its client is, and has said who it is.
    pub fn server(stream: S) -> Self {
        let mut this = Self::new(stream);
        while this.read.len() < PREFACE.len() && this.more() {}
        assert!(this.read.starts_with(PREFACE), "a client of HTTP/2");
        this.read.drain(..PREFACE.len());
        this.send(&Frame::settings(&[]));
        this
    }

    /// Sends bytes. A peer that does not listen any more is none to complain about.
    pub fn say(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends a frame.
    pub fn send(&mut self, frame: &Frame) -> bool {
        self.say(&frame.bytes())
    }

    fn more(&mut self) -> bool {
        let mut piece = [0; 64 * 1024];
        let read = loop {
            let read = self.stream.read(&mut piece);
            if !read.as_ref().is_err_and(|error| error.kind() == ErrorKind::Interrupted) {
                break read;
            }
        };
        match read {
            Ok(0) => false,
            Ok(count) => {
                self.read.extend_from_slice(&piece[..count]);
                true
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("nothing comes that was waited for")
            }
            Err(_) => false,
        }
    }

    /// The next frame; none at the connection's end. Settings are acknowledged.
    pub fn frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(head) = self.read.first_chunk::<9>() {
                let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
                let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
                let (kind, flags) = (head[3], head[4]);
                if self.read.len() >= 9 + length {
                    let frame = Frame::new(kind, flags, stream, &self.read[9..9 + length]);
                    self.read.drain(..9 + length);
                    if kind == kind::SETTINGS && flags & flag::ACK == 0 {
                        self.send(&Frame::new(kind::SETTINGS, flag::ACK, 0, []));
                    }
                    return Some(frame);
                }
            }
            if !self.more() {
                return None;
            }
        }
    }

    /// The next frame for which this is true; none at the connection's end.
    pub fn wait(&mut self, is_it: impl Fn(&Frame) -> bool) -> Option<Frame> {
        loop {
            let frame = self.frame()?;
            if is_it(&frame) {
                return Some(frame);
            }
        }
    }
}

/// A head in HPACK (RFC 7541): each field literally, without an index, without Huffman's code.
pub fn block(fields: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            integer(&mut block, text.len());
            block.extend_from_slice(text);
        }
    }
    block
}

// Section 5.1, with a prefix of 7 bits.
fn integer(block: &mut Vec<u8>, value: usize) {
    if value < 127 {
        block.push(value as u8);
        return;
    }
    block.push(127);
    let mut rest = value - 127;
    while rest >= 128 {
        block.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    block.push(rest as u8);
}

/// The status that a head begins with.
fn status(block: &[u8]) -> Option<u16> {
    const KNOWN: [u16; 7] = [200, 204, 206, 304, 400, 404, 500];
    match block {
        // The table's size, which is 0.
        [0x20, rest @ ..] => status(rest),
        [indexed @ 0x88..=0x8e, ..] => Some(KNOWN[usize::from(indexed - 0x88)]),
        // Its name is in the table.
        [0x08 | 0x18 | 0x48, length, value @ ..] => {
            let value = value.get(..usize::from(length & 0x7f))?;
            if length & 0x80 == 0 { str::from_utf8(value).ok()?.parse().ok() } else { digits(value) }
        }
        _ => None,
    }
}

// Three digits in Huffman's code: five bits for 0 to 2, six for the others.
fn digits(bytes: &[u8]) -> Option<u16> {
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    let number =
        |range: std::ops::Range<usize>| Some(bits.get(range)?.iter().fold(0, |sum, bit| sum << 1 | u16::from(*bit)));
    let (mut at, mut all) = (0, 0);
    for _ in 0..3 {
        let short = number(at..at + 5)?;
        let (digit, length) =
            if short <= 2 { (short, 5) } else { (number(at..at + 6)?.checked_sub(0b01_1001)? + 3, 6) };
        all = all * 10 + digit;
        at += length;
    }
    Some(all)
}
