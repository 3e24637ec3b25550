//! Heads and bodies read in pieces, and written again.

use unladen_http1::{Decoder, Fault, Fields, HeadLimits, Length, Name, Request, Response, Step, chunk_head};

/// The smallest buffer that a decoder must get along with.
pub(crate) const BUFFER: usize = 16 * 1024;

/// Parts of heads and the fault that each is.
pub(crate) type Table<'a> = &'a [(&'a [u8], Fault)];

/// Names and values.
pub(crate) type List = Vec<(Vec<u8>, Vec<u8>)>;

/// Reads ever more of a head, by a byte or in some 512 steps, and checks that every outcome is the one of the whole:
/// what is refused in part is refused for the same reason, and what is taken ends where it ended.
pub(crate) fn request_within(bytes: &[u8], limits: &HeadLimits) -> Result<Option<(usize, Request)>, Fault> {
    let mut request = Request::default();
    let whole = request.parse(bytes, limits);
    let mut other = Request::default();
    for end in (0..bytes.len()).step_by(bytes.len() / 512 + 1) {
        let part = other.parse(&bytes[..end], limits);
        agree(part, whole, end);
    }
    whole.map(|length| length.map(|length| (length, request)))
}

pub(crate) fn request(head: &[u8]) -> Result<Option<(usize, Request)>, Fault> {
    request_within(head, &HeadLimits::default())
}

/// A head that must be taken to its end.
pub(crate) fn taken(head: &[u8]) -> Request {
    let (length, request) = request(head).unwrap().unwrap();
    assert_eq!(length, head.len());
    check_request_again(&request, &HeadLimits::default());
    request
}

/// A head that must not be taken, for this reason.
pub(crate) fn refused(head: &[u8], fault: Fault) {
    assert_eq!(request(head).map(|read| read.map(|(length, _)| length)), Err(fault), "{}", head.escape_ascii());
}

/// Like [`request_within`], for a response.
pub(crate) fn response(bytes: &[u8], method: &[u8], limits: &HeadLimits) -> Result<Option<(usize, Response)>, Fault> {
    let mut response = Response::default();
    let whole = response.parse(bytes, method, limits);
    let mut other = Response::default();
    for end in (0..bytes.len()).step_by(bytes.len() / 512 + 1) {
        let part = other.parse(&bytes[..end], method, limits);
        agree(part, whole, end);
    }
    whole.map(|length| length.map(|length| (length, response)))
}

fn agree(part: Result<Option<usize>, Fault>, whole: Result<Option<usize>, Fault>, end: usize) {
    if part != Ok(None) {
        assert_eq!(part, whole, "after {end} bytes");
    }
    if let Ok(Some(length)) = whole {
        assert_eq!(part == Ok(None), end < length, "after {end} bytes");
    }
}

/// What has come of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) data: Vec<u8>,
    pub(crate) trailers: List,
    /// How many bytes of the connection belong to it, if it has ended.
    pub(crate) end: Option<usize>,
    pub(crate) fault: Option<Fault>,
}

/// Reads a body whose bytes come in pieces of these sizes, over and over.
pub(crate) fn body(bytes: &[u8], length: Length, pieces: &[usize]) -> Body {
    let mut decoder = Decoder::default();
    decoder.start(length);
    let mut body = Body::default();
    let (mut start, mut have) = (0, 0);
    let mut pieces = pieces.iter().copied().cycle();
    loop {
        match decoder.step(&bytes[start..have]) {
            Ok(Step::Skip(count)) => {
                assert!(count > 0 && count <= have - start);
                start += count;
            }
            Ok(Step::Data(count)) => {
                assert!(count > 0);
                body.data.extend_from_slice(&bytes[start..have][..count]);
                start += count;
            }
            Ok(Step::More) => {
                assert!(have - start < BUFFER, "a buffer that is full leaves no room for more");
                if have == bytes.len() {
                    return body;
                }
                // no more than a buffer holds
                let room = BUFFER - (have - start);
                have = bytes.len().min(have + pieces.next().unwrap().clamp(1, room));
            }
            Ok(Step::End(count)) => {
                assert!(decoder.is_done() && count <= have - start);
                assert_eq!(decoder.step(&bytes[start + count..have]), Ok(Step::End(0)));
                body.end = Some(start + count);
                body.trailers = list(decoder.trailers());
                return body;
            }
            Err(fault) => {
                assert!(!decoder.is_done());
                body.fault = Some(fault);
                return body;
            }
        }
    }
}

pub(crate) fn list(fields: &Fields) -> List {
    fields.iter().map(|field| (field.name.to_vec(), field.value.to_vec())).collect()
}

/// The head that a proxy would send.
pub(crate) fn write_request(request: &Request) -> Vec<u8> {
    let version = if request.minor == 1 { &b" HTTP/1.1\r\n"[..] } else { b" HTTP/1.0\r\n" };
    let mut head = [&*request.method, b" ", &request.target, version].concat();
    if !request.authority.is_empty() {
        head.extend_from_slice(&[b"Host: ", &*request.authority, b"\r\n"].concat());
    }
    write_fields(&mut head, &request.fields);
    head
}

pub(crate) fn write_response(response: &Response) -> Vec<u8> {
    let mut head = format!("HTTP/1.{} {}\r\n", response.minor, response.status).into_bytes();
    write_fields(&mut head, &response.fields);
    head
}

fn write_fields(head: &mut Vec<u8>, fields: &Fields) {
    for field in fields.iter() {
        assert_eq!(field.id, Name::of(field.name));
        head.extend_from_slice(&[field.name, b": ", field.value, b"\r\n"].concat());
    }
    head.extend_from_slice(b"\r\n");
}

/// The body in chunks of these sizes.
pub(crate) fn write_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in chunks {
        let (line, used) = chunk_head(chunk.len());
        bytes.extend_from_slice(&line[..used]);
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(unladen_http1::CHUNK_END);
    }
    bytes.extend_from_slice(unladen_http1::LAST_CHUNK);
    bytes
}

pub(crate) fn same(one: &Request, other: &Request) {
    assert_eq!(
        (&one.method, &one.target, &one.authority, one.minor, one.length),
        (&other.method, &other.target, &other.authority, other.minor, other.length)
    );
    assert_eq!(list(&one.fields), list(&other.fields));
}

/// What is taken is taken again once it is written, and is the same.
pub(crate) fn check_request_again(request: &Request, limits: &HeadLimits) {
    check_request(request, limits);
    let written = write_request(request);
    let mut again = Request::default();
    assert_eq!(again.parse(&written, &HeadLimits::default()), Ok(Some(written.len())), "{}", written.escape_ascii());
    same(request, &again);
}

pub(crate) fn check_response_again(response: &Response, method: &[u8], limits: &HeadLimits) {
    check_response(response, method, limits);
    let written = write_response(response);
    let mut again = Response::default();
    assert_eq!(
        again.parse(&written, method, &HeadLimits::default()),
        Ok(Some(written.len())),
        "{}",
        written.escape_ascii()
    );
    assert_eq!((again.status, again.minor, again.length), (response.status, response.minor, response.length));
    assert_eq!(list(&again.fields), list(&response.fields));
    assert_eq!(again.keeps_alive(), response.keeps_alive());
}

/// What must hold of a request that was taken, whatever its bytes were.
fn check_request(request: &Request, limits: &HeadLimits) {
    let is_token = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_graphic());
    assert!(is_token(&request.method) && !request.method.eq_ignore_ascii_case(b"connect"));
    assert!(is_token(&request.target) && !request.target.contains(&b'#'));
    assert!(request.target.starts_with(b"/") || (request.target == b"*" && request.method == b"OPTIONS"));
    assert!(request.authority.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:[]".contains(byte)));
    assert!(request.minor == 0 || !request.authority.is_empty());
    assert!(request.minor <= 1);
    assert_eq!(request.fields.get(Name::Host), None);
    check_fields(&request.fields, request.minor, limits);
    let length = match lengths(&request.fields) {
        (Some(exact), false) => Length::Exact(exact),
        (None, true) => Length::Chunked,
        (None, false) => Length::None,
        (Some(_), true) => panic!("two lengths"),
    };
    assert_eq!(request.length, length);
}

/// The same of a response to this method.
fn check_response(response: &Response, method: &[u8], limits: &HeadLimits) {
    assert!((100..600).contains(&response.status) && response.minor <= 1);
    check_fields(&response.fields, response.minor, limits);
    let bare = response.status < 200 || matches!(response.status, 204 | 304) || method == b"HEAD";
    let length = match lengths(&response.fields) {
        (Some(_), true) => panic!("two lengths"),
        _ if bare => Length::None,
        (Some(exact), false) => Length::Exact(exact),
        (None, true) => Length::Chunked,
        (None, false) => Length::UntilClose,
    };
    assert_eq!(response.length, length);
    assert!(!response.keeps_alive() || length != Length::UntilClose);
}

fn check_fields(fields: &Fields, minor: u8, limits: &HeadLimits) {
    assert!(fields.len() <= limits.fields);
    let mut bytes = 0;
    for field in fields.iter() {
        assert!(!field.name.is_empty());
        assert!(field.name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)));
        assert!(field.value.iter().all(|byte| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7f)));
        let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
        assert!(!is_space(field.value.first()) && !is_space(field.value.last()));
        bytes += field.name.len() + field.value.len();
    }
    assert!(bytes <= limits.bytes);
    assert!(minor == 1 || fields.get(Name::TransferEncoding).is_none());
}

// A second reading of the fields of framing, which takes one of each and no more.
fn lengths(fields: &Fields) -> (Option<u64>, bool) {
    let of = |id| fields.iter().filter(move |field| field.id == id).map(|field| field.value);
    let numbers: Vec<_> = of(Name::ContentLength).collect();
    let codings: Vec<_> = of(Name::TransferEncoding).collect();
    assert!(numbers.len() <= 1 && codings.len() <= 1);
    let exact = numbers.first().map(|digits| {
        let text = std::str::from_utf8(digits).unwrap();
        let number: u64 = text.parse().unwrap();
        assert_eq!(number.to_string(), text, "one way to write it");
        number
    });
    assert!(codings.iter().all(|coding| coding.eq_ignore_ascii_case(b"chunked")));
    (exact, !codings.is_empty())
}
