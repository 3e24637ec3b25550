//! The principal types are [`Header`]: the header of a record (FastCGI 1.0, sections 3.3 and 8); and [`Fault`]: why
//! bytes are no FastCGI answer.

/// Bytes of a record's header.
pub const HEADER: usize = 8;
/// Most content of a record that is written: as much as fits, and a multiple of eight, so that later records stay
/// aligned without padding.
pub const MOST_CONTENT: usize = 65_528;
/// `FCGI_BEGIN_REQUEST`
pub const BEGIN_REQUEST: u8 = 1;
/// `FCGI_END_REQUEST`
pub const END_REQUEST: u8 = 3;
/// `FCGI_PARAMS`
pub const PARAMS: u8 = 4;
/// `FCGI_STDIN`
pub const STDIN: u8 = 5;
/// `FCGI_STDOUT`
pub const STDOUT: u8 = 6;
/// `FCGI_STDERR`
pub const STDERR: u8 = 7;
pub(crate) const GET_VALUES: u8 = 9;
pub(crate) const GET_VALUES_RESULT: u8 = 10;
/// The only version there is.
const VERSION: u8 = 1;

/// The header of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: u8,
    /// 0 for no request.
    pub request: u16,
    pub length: u16,
    /// Meaningless bytes after the content.
    pub padding: u8,
}

impl Header {
    /// Parses a header; `None` if it is incomplete.
    ///
    /// # Errors
    /// If the version is not 1.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>, Fault> {
        let Some(&[version, kind, request_high, request_low, length_high, length_low, padding, _]) =
            bytes.first_chunk::<HEADER>()
        else {
            // The first byte already shows that it is no FastCGI.
            return if bytes.first().is_none_or(|version| *version == VERSION) {
                Ok(None)
            } else {
                Err(Fault::Version)
            };
        };
        if version != VERSION {
            return Err(Fault::Version);
        }
        let request = u16::from_be_bytes([request_high, request_low]);
        Ok(Some(Self { kind, request, length: u16::from_be_bytes([length_high, length_low]), padding }))
    }

    /// The wire format.
    pub fn bytes(self) -> [u8; HEADER] {
        let ([request_high, request_low], [length_high, length_low]) =
            (self.request.to_be_bytes(), self.length.to_be_bytes());
        [VERSION, self.kind, request_high, request_low, length_high, length_low, self.padding, 0]
    }
}

/// Writes a record, padded to a multiple of eight bytes. The content may have up to [`MOST_CONTENT`] bytes.
pub fn write_record(out: &mut Vec<u8>, kind: u8, request: u16, content: &[u8]) {
    let content = content.get(..MOST_CONTENT).unwrap_or(content);
    let padding = (8 - content.len() % 8) % 8;
    let header = Header { kind, request, length: content.len() as u16, padding: padding as u8 };
    out.extend_from_slice(&header.bytes());
    out.extend_from_slice(content);
    out.extend_from_slice(&[0; 8][..padding]);
}

/// What is wrong with an application's output. Nothing that follows on its connection can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("what it sent is not FastCGI (does it speak HTTP?)")]
    Version,
    /// A record of a type that only a web server sends, or an unknown one.
    #[error("it sent a record of type {0}, which no application sends")]
    Kind(u8),
    #[error("it sent a record of request {came}, but request {asked} is running")]
    Request { came: u16, asked: u16 },
    #[error("it sent more output after the end of its output")]
    AfterEnd,
    #[error("its end of the request has {0} bytes, not 8")]
    EndLength(u16),
    #[error("it ended the request with protocol status {0}, which FastCGI does not define")]
    Status(u8),
    #[error("it ended the request before the response head was complete")]
    NoHead,
    /// The head is invalid or ambiguous as CGI.
    #[error("the head of its answer: {0}")]
    Head(#[from] unladen_http1::Fault),
    #[error("its list of values is malformed")]
    Values,
}

/// Why an application refused a request: it has processed nothing of it (FastCGI 1.0, section 5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it accepts no further request on this connection")]
    Multiplexed,
    #[error("it reports that it is overloaded")]
    Overloaded,
    #[error("it is not a FastCGI responder (but an authorizer or a filter?)")]
    Role,
}
