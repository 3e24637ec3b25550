//! The framing of FastCGI 1.0 on a web server's side, without I/O: parameters and bodies in, records out; bytes in,
//! heads and bodies of answers out.
//!
//! The principal types are [`RequestWriter`], which writes a request's begin and parameters; [`Decoder`], which finds
//! the answer in a connection's bytes, in place; and [`parse_head`], which parses the head of a CGI answer (RFC 3875,
//! section 6) as strictly as one of HTTP.
//!
//! One connection carries one request at a time: no application in wide use takes more.
//!
//! ```
//! use unladen_fastcgi::{Decoder, RequestWriter, Stderr, end_of_stdin, parse_head};
//! use unladen_http1::{HeadLimits, Length, Response};
//!
//! let mut sent = Vec::new();
//! let mut request = RequestWriter::begin(&mut sent, 1, false);
//! request.param(b"SCRIPT_FILENAME", b"/srv/www/index.php").unwrap();
//! request.param(b"REQUEST_METHOD", b"GET").unwrap();
//! request.end();
//! end_of_stdin(&mut sent, 1);
//!
//! // FCGI_STDOUT with 30 bytes, and FCGI_END_REQUEST.
//! let mut came = b"\x01\x06\0\x01\0\x1e\0\0Content-Type: text/plain\n\nhello".to_vec();
//! came[5] = (came.len() - 8) as u8;
//! came.extend_from_slice(b"\x01\x03\0\x01\0\x08\0\0\0\0\0\0\0\0\0\0");
//! let (mut decoder, mut stderr) = (Decoder::new(1), Stderr::default());
//! let unwrapped = decoder.unwrap(&mut came, 0, &mut stderr).unwrap();
//! let content = &came[unwrapped.start..][..unwrapped.ready];
//! let mut response = Response::default();
//! let length = parse_head(&mut response, content, Some(b"GET"), decoder.has_ended(), &HeadLimits::default());
//! assert_eq!(&content[length.unwrap().unwrap()..], b"hello");
//! assert_eq!((response.status, response.length), (200, Length::Exact(5)));
//! ```
#![forbid(unsafe_code)]

mod decoder;
pub mod fpm;
mod head;
mod params;
mod record;
mod writer;

pub use decoder::{Decoder, Stderr, Unwrapped};
pub use fpm::{get_values, read_values};
pub use head::parse_head;
pub use params::{ParamTooLong, Params, write_param};
pub use record::{
    BEGIN_REQUEST, END_REQUEST, Fault, HEADER, Header, MOST_CONTENT, PARAMS, Refusal, STDERR, STDIN, STDOUT,
    write_record,
};
pub use writer::{RequestWriter, end_of_stdin};
