//! The principal type is [`ResponseReader`]: an answer, put together from records.
//!
//! No input or output: bytes come as they come, cut anywhere. The head is that of CGI (RFC 3875, section 6).

use unladen_trace::wire::fastcgi::{END_REQUEST, HEADER, STDERR, STDOUT, records};

/// Longest head that is read.
const MOST_HEAD: usize = 256 << 10;
/// Longest text on standard error that is kept.
const MOST_STDERR: usize = 8 << 10;
/// Status of an answer that names none.
const OK: u16 = 200;
/// Status of an answer that names none, but a place to look at.
const FOUND: u16 = 302;

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Response {
    /// Its status.
    pub(crate) status: u16,
    /// Its headers, as they came.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    /// The body's length, in bytes.
    pub(crate) body_bytes: u64,
    /// The beginning of the body.
    pub(crate) body: Vec<u8>,
    /// The beginning of what was written to standard error.
    pub(crate) stderr: Vec<u8>,
}

/// Takes the bytes of an answer.
#[derive(Debug)]
pub(crate) struct ResponseReader {
    request: u16,
    keep: usize,
    /// The beginning of a record that is not whole.
    pending: Vec<u8>,
    /// The head, until it ends.
    head: Vec<u8>,
    has_head: bool,
    response: Response,
    has_ended: bool,
}

// === impl ResponseReader ===

impl ResponseReader {
    pub(crate) fn new(request: u16, keep: usize) -> Self {
        Self {
            request,
            keep,
            pending: Vec::new(),
            head: Vec::new(),
            has_head: false,
            response: Response::default(),
            has_ended: false,
        }
    }

    /// Takes what came; tells whether that was the end.
    ///
    /// # Errors
    /// What of it is wrong, as the rest of a sentence that begins with the application.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<bool, String> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.extend_from_slice(bytes);
        let mut at = 0;
        while !self.has_ended {
            let rest = pending.get(at..).unwrap_or_default();
            let Some(record) = records(rest).next() else {
                if rest.len() >= HEADER {
                    return Err("answers with something that is not FastCGI".to_owned());
                }
                break;
            };
            if rest.len() < record.size() {
                break;
            }
            at += record.size();
            if record.request == self.request {
                self.take(record.kind, record.content)?;
            }
        }
        pending.drain(..at);
        self.pending = pending;
        Ok(self.has_ended)
    }

    fn take(&mut self, kind: u8, content: &[u8]) -> Result<(), String> {
        match kind {
            STDOUT if self.has_head => self.body(content),
            STDOUT => self.head(content)?,
            STDERR => {
                let room = MOST_STDERR.saturating_sub(self.response.stderr.len());
                self.response.stderr.extend_from_slice(content.get(..room).unwrap_or(content));
            }
            END_REQUEST => match content.get(4) {
                Some(0) => self.has_ended = true,
                Some(1) => return Err("takes no further request over a connection".to_owned()),
                Some(2) => return Err("is overloaded".to_owned()),
                Some(3) => return Err("is no FastCGI responder".to_owned()),
                _ => return Err("ends the request with a status that is not FastCGI's".to_owned()),
            },
            _ => {}
        }
        Ok(())
    }

    fn head(&mut self, content: &[u8]) -> Result<(), String> {
        // An end may begin in what came before.
        let from = self.head.len().saturating_sub(3);
        self.head.extend_from_slice(content);
        let Some((length, end)) = head_end(&self.head, from) else {
            return if self.head.len() > MOST_HEAD {
                Err(format!("answers with a head beyond {MOST_HEAD} bytes"))
            } else {
                Ok(())
            };
        };
        let head = std::mem::take(&mut self.head);
        self.has_head = true;
        self.response.headers = headers(head.get(..length).unwrap_or_default())?;
        self.response.status = status(&self.response.headers)?;
        self.body(head.get(end..).unwrap_or_default());
        Ok(())
    }

    fn body(&mut self, content: &[u8]) {
        self.response.body_bytes = self.response.body_bytes.saturating_add(content.len() as u64);
        let room = self.keep.saturating_sub(self.response.body.len());
        self.response.body.extend_from_slice(content.get(..room).unwrap_or(content));
    }

    /// What came until now, for people.
    pub(crate) fn so_far(&self) -> String {
        let came = match (self.has_head, self.head.is_empty()) {
            (true, _) => format!("{} bytes of a body came", self.response.body_bytes),
            (false, true) => {
                "nothing came (all of its processes may be busy, or held by connections that the web server keeps: \
                              keepalive, enablereuse)"
                    .to_owned()
            }
            (false, false) => "half of a head came".to_owned(),
        };
        came + &self.response.said()
    }

    /// The answer, when it has ended.
    ///
    /// # Errors
    /// When it had no head.
    pub(crate) fn finish(self) -> Result<Response, String> {
        if self.has_head { Ok(self.response) } else { Err(format!("has answered without a head: {}", self.so_far())) }
    }
}

// === impl Response ===

impl Response {
    /// The first header of that name.
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..])
    }

    /// What it said on standard error, for the end of a sentence.
    pub(crate) fn said(&self) -> String {
        let text = String::from_utf8_lossy(self.stderr.trim_ascii());
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(1000).collect();
        if text.is_empty() { String::new() } else { format!("; it says: {text}") }
    }
}

/// Where the head ends, and where the body begins. Lines end with or without a carriage return.
fn head_end(head: &[u8], from: usize) -> Option<(usize, usize)> {
    let rest = head.get(from..)?;
    for (index, _) in rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        let after = rest.get(index + 1..)?;
        let blank = if after.starts_with(b"\n") {
            1
        } else if after.starts_with(b"\r\n") {
            2
        } else {
            continue;
        };
        let end = from + index + 1;
        return Some((end, end + blank));
    }
    None
}

fn headers(head: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut headers = Vec::new();
    for line in head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            let line = String::from_utf8_lossy(line.get(..80).unwrap_or(line)).escape_debug().to_string();
            return Err(format!("answers with a head that has a line without a colon: {line}"));
        };
        let (name, value) = line.split_at(colon);
        headers.push((
            String::from_utf8_lossy(name).into_owned(),
            value.get(1..).unwrap_or_default().trim_ascii().to_vec(),
        ));
    }
    Ok(headers)
}

/// RFC 3875, section 6.3.3 and, where none is named, 6.3.2.
fn status(headers: &[(String, Vec<u8>)]) -> Result<u16, String> {
    let named =
        |wanted: &str| headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value);
    let Some(status) = named("Status") else {
        return Ok(if named("Location").is_some() { FOUND } else { OK });
    };
    let number = status.get(..3).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    number.filter(|status| (100..=999).contains(status)).ok_or_else(|| {
        format!("answers with a status that is none: {}", String::from_utf8_lossy(status).escape_debug())
    })
}
