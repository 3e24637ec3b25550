//! Requests of HTTP/1: each is refused, and nothing after it is looked at; or sent on in bytes that can be read in one
//! way.
//!
//! The cases are those of RFC 9112, section 11.2, and of what has been published on the subject since: lengths that
//! conflict or are hidden (CL.TE, TE.CL, TE.TE), bodies that one side ignores (CL.0, TE.0) or does not see the length
//! of (0.CL), ends of lines and of chunks that are not CRLF, extensions of chunks, names and hosts that are read as
//! others.

use Becomes::{Cut, Last, Refused, Sent};

/// What becomes of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Becomes {
    /// It is refused with this status, nothing arrives, and the connection ends.
    Refused(u16),
    /// Its head is good and its body is not: it is refused with this status, no whole request arrives, and the
    /// connection ends.
    Cut(u16),
    /// These arrive, and the connection goes on.
    Sent(&'static [&'static str]),
    /// These arrive, and the connection ends.
    Last(&'static [&'static str]),
}

/// A name, what is sent, and what becomes of it. `¶` is CRLF, and what is beyond ASCII is one byte (Latin-1).
pub(crate) type Case = (&'static str, &'static str, Becomes);

const LENGTHS: &[Case] = &[
    ("two lengths", "POST / HTTP/1.1¶Host: a¶Content-Length: 5¶Content-Length: 6¶¶hello", Refused(400)),
    ("a list of lengths", "POST / HTTP/1.1¶Host: a¶Content-Length: 5, 6¶¶hello", Refused(400)),
    ("a list of equal lengths", "POST / HTTP/1.1¶Host: a¶Content-Length: 5, 5¶¶hello", Refused(400)),
    (
        "equal lengths",
        "POST / HTTP/1.1¶Host: a¶Content-Length: 5¶Content-Length: 5¶¶hello",
        Sent(&["POST / HTTP/1.1¶host: a¶Content-Length: 5¶¶hello"]),
    ),
    (
        "equal lengths in two bases",
        "POST / HTTP/1.1¶Host: a¶Content-Length: 10¶Content-Length: 010¶¶0123456789",
        Sent(&["POST / HTTP/1.1¶host: a¶Content-Length: 10¶¶0123456789"]),
    ),
    (
        "zeros in front",
        "POST / HTTP/1.1¶Host: a¶Content-Length: 0000000000000000000010¶¶0123456789",
        Sent(&["POST / HTTP/1.1¶host: a¶Content-Length: 10¶¶0123456789"]),
    ),
    ("a sign", "POST / HTTP/1.1¶Host: a¶Content-Length: +5¶¶hello", Refused(400)),
    ("a negative length", "POST / HTTP/1.1¶Host: a¶Content-Length: -5¶¶hello", Refused(400)),
    ("an empty length", "POST / HTTP/1.1¶Host: a¶Content-Length:¶¶hello", Refused(400)),
    ("a length in hexadecimal", "POST / HTTP/1.1¶Host: a¶Content-Length: 0x5¶¶hello", Refused(400)),
    ("a length with a fraction", "POST / HTTP/1.1¶Host: a¶Content-Length: 5.0¶¶hello", Refused(400)),
    ("a length with a space within", "POST / HTTP/1.1¶Host: a¶Content-Length: 1 5¶¶hello", Refused(400)),
    ("a length as Python writes it", "POST / HTTP/1.1¶Host: a¶Content-Length: 1_0¶¶0123456789", Refused(400)),
    ("a length that wraps around", "POST / HTTP/1.1¶Host: a¶Content-Length: 18446744073709551621¶¶hello", Refused(400)),
    (
        "a length that is negative to some",
        "POST / HTTP/1.1¶Host: a¶Content-Length: 9223372036854775808¶¶x",
        Refused(400),
    ),
    ("a length after NUL", "POST / HTTP/1.1¶Host: a¶Content-Length: \x005¶¶hello", Refused(400)),
    ("a length after a vertical tab", "POST / HTTP/1.1¶Host: a¶Content-Length: \x0b5¶¶hello", Refused(400)),
    ("a length before a form feed", "POST / HTTP/1.1¶Host: a¶Content-Length: 5\x0c¶¶hello", Refused(400)),
    (
        "a length among blanks",
        "POST / HTTP/1.1¶Host: a¶Content-Length:\t 5 \t¶¶hello",
        Sent(&["POST / HTTP/1.1¶host: a¶Content-Length: 5¶¶hello"]),
    ),
    ("a length in a folded line", "POST / HTTP/1.1¶Host: a¶Content-Length:¶ 5¶¶hello", Refused(400)),
    ("a length before a colon with a space", "POST / HTTP/1.1¶Host: a¶Content-Length : 5¶¶hello", Refused(400)),
    ("a length by another name in CGI", "POST / HTTP/1.1¶Host: a¶Content_Length: 5¶¶hello", Refused(400)),
    (
        "a length of 0 before a request",
        "POST / HTTP/1.1¶Host: a¶Content-Length: 0¶¶GET /2 HTTP/1.1¶Host: a¶¶",
        Sent(&["POST / HTTP/1.1¶host: a¶Content-Length: 0¶¶", "GET /2 HTTP/1.1¶host: a¶¶"]),
    ),
];

const CODINGS: &[Case] = &[
    ("CL.TE", "POST / HTTP/1.1¶Host: a¶Content-Length: 6¶Transfer-Encoding: chunked¶¶0¶¶X", Refused(400)),
    ("TE.CL", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶Content-Length: 3¶¶8¶SMUGGLED¶0¶¶", Refused(400)),
    (
        "a length of 0 and a coding",
        "POST / HTTP/1.1¶Host: a¶Content-Length: 0¶Transfer-Encoding: chunked¶¶0¶¶",
        Refused(400),
    ),
    (
        "an invalid length and a coding",
        "POST / HTTP/1.1¶Host: a¶Content-Length: x¶Transfer-Encoding: chunked¶¶0¶¶",
        Refused(400),
    ),
    (
        "a coding twice",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶Transfer-Encoding: chunked¶¶0¶¶",
        Refused(501),
    ),
    (
        "a coding and an unknown one",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶Transfer-encoding: x¶¶0¶¶",
        Refused(501),
    ),
    (
        "an unknown coding and a known one",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: x¶Transfer-encoding: chunked¶¶0¶¶",
        Refused(501),
    ),
    ("identity", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: identity¶Content-Length: 5¶¶hello", Refused(501)),
    ("chunked and identity", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked, identity¶¶0¶¶", Refused(501)),
    ("gzip and chunked", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: gzip, chunked¶¶0¶¶", Refused(501)),
    ("chunked twice in a list", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked, chunked¶¶0¶¶", Refused(501)),
    ("an empty member", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: ,chunked¶¶0¶¶", Refused(501)),
    ("a coding like chunked", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: xchunked¶¶0¶¶", Refused(501)),
    ("a quoted coding", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: \"chunked\"¶¶0¶¶", Refused(501)),
    ("a coding with a parameter", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked;q=1¶¶0¶¶", Refused(501)),
    ("an empty coding", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding:¶Content-Length: 5¶¶hello", Refused(501)),
    ("a coding after a vertical tab", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: \x0bchunked¶¶0¶¶", Refused(400)),
    ("a coding before NUL", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked\0¶¶0¶¶", Refused(400)),
    (
        "a coding with a Kelvin sign",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chun\u{e2}\u{84}\u{aa}ed¶¶0¶¶",
        Refused(501),
    ),
    ("a coding after a no-break space", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: \u{a0}chunked¶¶0¶¶", Refused(501)),
    ("a coding in a folded line", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding:¶ chunked¶¶0¶¶", Refused(400)),
    (
        "a coding folded into another field",
        "POST / HTTP/1.1¶Host: a¶X: y¶ Transfer-Encoding: chunked¶¶0¶¶",
        Refused(400),
    ),
    ("a space before the coding's colon", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding : chunked¶¶0¶¶", Refused(400)),
    ("a tab before the coding's colon", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding\t: chunked¶¶0¶¶", Refused(400)),
    (
        "a line feed before the coding's colon",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding\n: chunked¶¶0¶¶",
        Refused(400),
    ),
    (
        "a coding in a first field with a space",
        "POST / HTTP/1.1¶ Transfer-Encoding: chunked¶Host: a¶¶0¶¶",
        Refused(400),
    ),
    ("a coding after a line feed", "POST / HTTP/1.1¶Host: a¶X: y\nTransfer-Encoding: chunked¶¶0¶¶", Refused(400)),
    ("a coding after a carriage return", "POST / HTTP/1.1¶Host: a¶X: y\rTransfer-Encoding: chunked¶¶0¶¶", Refused(400)),
    ("a coding by another name in CGI", "POST / HTTP/1.1¶Host: a¶Transfer_Encoding: chunked¶¶0¶¶", Refused(400)),
    ("a coding in HTTP/1.0", "POST / HTTP/1.0¶Host: a¶Transfer-Encoding: chunked¶¶0¶¶", Refused(501)),
    (
        "a coding in HTTP/1.0 that goes on",
        "POST / HTTP/1.0¶Host: a¶Connection: keep-alive¶Transfer-Encoding: chunked¶¶0¶¶",
        Refused(501),
    ),
    (
        "a coding in other letters",
        "POST / HTTP/1.1¶Host: a¶tRANSFER-eNCODING:\t CHUNKED \t¶¶5¶hello¶0¶¶",
        Sent(&["POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶5¶hello¶0¶¶"]),
    ),
    (
        "a coding that Connection names",
        "POST / HTTP/1.1¶Host: a¶Connection: Transfer-Encoding¶Transfer-Encoding: chunked¶¶5¶hello¶0¶¶",
        Sent(&["POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶5¶hello¶0¶¶"]),
    ),
];

const CHUNKS: &[Case] = &[
    (
        "extensions",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶5;a=b¶hello¶0;c=\"d\"¶¶",
        Sent(&["POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶5¶hello¶0¶¶"]),
    ),
    (
        "zeros in front of a size",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶000a¶0123456789¶000¶¶",
        Sent(&["POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶a¶0123456789¶0¶¶"]),
    ),
    (
        "data like framing",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶7¶¶0¶¶¶0¶¶",
        Sent(&["POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶7¶¶0¶¶¶0¶¶"]),
    ),
    (
        "TE.0: a request in a chunk",
        "OPTIONS / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶1d¶GET /in HTTP/1.1¶Host: a¶¶¶0¶¶",
        Sent(&["OPTIONS / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶1d¶GET /in HTTP/1.1¶Host: a¶¶¶0¶¶"]),
    ),
    ("a size with 0x", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0x5¶hello¶0¶¶", Cut(400)),
    ("a size with a sign", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶+5¶hello¶0¶¶", Cut(400)),
    ("a negative size", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶-5¶hello¶0¶¶", Cut(400)),
    ("a size after a space", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶ 5¶hello¶0¶¶", Cut(400)),
    ("a size before a space", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶5 ¶hello¶0¶¶", Cut(400)),
    (
        "a size before a space and an extension",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶5 ;x¶hello¶0¶¶",
        Cut(400),
    ),
    (
        "a size with a separator",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶1_0¶0123456789abcdef¶0¶¶",
        Cut(400),
    ),
    (
        "a size that wraps around",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶10000000000000005¶hello¶0¶¶",
        Cut(400),
    ),
    ("no size", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶¶0¶¶", Cut(400)),
    ("an extension alone", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶;x¶0¶¶", Cut(400)),
    ("a size that ends with a line feed", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶5\nhello¶0¶¶", Cut(400)),
    (
        "a size that ends with a carriage return",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶5\rhello¶0¶¶",
        Cut(400),
    ),
    (
        "TERM.EXT: an extension that ends with a line feed",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶2;\nxx¶0¶¶",
        Cut(400),
    ),
    (
        "an extension with a line feed within",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶2;a=\"\n\"¶xx¶0¶¶",
        Cut(400),
    ),
    (
        "an extension with a carriage return within",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶2;a\rb¶xx¶0¶¶",
        Cut(400),
    ),
    ("an extension with NUL", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶2;a=\0¶xx¶0¶¶", Cut(400)),
    (
        "a chunk that ends with a line feed",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶5¶hello\n0¶¶",
        Cut(400),
    ),
    (
        "TERM.SPILL: a chunk that ends with two bytes",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶5¶helloXX0¶¶",
        Cut(400),
    ),
    (
        "a chunk that is longer than it says",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶3¶hello¶0¶¶",
        Cut(400),
    ),
    (
        "a chunk that is shorter than it says",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶7¶hello¶0¶¶",
        Cut(400),
    ),
    (
        "an end that is a line feed",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶\nGET /in HTTP/1.1¶Host: a¶¶",
        Cut(400),
    ),
    (
        "an end without its empty line",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶GET /in HTTP/1.1¶",
        Cut(400),
    ),
    (
        "trailers",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶Trailer: X¶¶0¶X: y¶¶",
        Sent(&["POST / HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶0¶X: y¶¶"]),
    ),
    (
        "a coding in trailers",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶Transfer-Encoding: chunked¶¶",
        Cut(400),
    ),
    ("a length in trailers", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶Content-Length: 5¶¶", Cut(400)),
    (
        "a length by another name in trailers",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶content_length: 5¶¶",
        Cut(400),
    ),
    ("a host in trailers", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶Host: b¶¶", Cut(400)),
    (
        "a sender in trailers",
        "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶X-Forwarded-For: 127.0.0.1¶¶",
        Cut(400),
    ),
    ("trailers with a line feed", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶X: y\n¶", Cut(400)),
    ("a folded trailer", "POST / HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶0¶X: y¶ z¶¶", Cut(400)),
];

const LINES: &[Case] = &[
    ("line feeds alone", "GET / HTTP/1.1\nHost: a\n\n", Refused(400)),
    ("a first line that ends with a line feed", "GET / HTTP/1.1\nHost: a¶¶", Refused(400)),
    ("a field that ends with a line feed", "GET / HTTP/1.1¶Host: a\n¶", Refused(400)),
    ("a head that ends with a line feed", "GET / HTTP/1.1¶Host: a¶\n", Refused(400)),
    ("a request after a line feed twice", "GET / HTTP/1.1¶Host: a¶X:\n\nGET /in HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("carriage returns alone", "GET / HTTP/1.1\rHost: a\r\r", Refused(400)),
    ("a carriage return twice", "GET / HTTP/1.1¶Host: a¶X: y\r¶¶", Refused(400)),
    ("a carriage return before a name", "GET / HTTP/1.1¶Host: a¶\rX: y¶¶", Refused(400)),
    ("a folded line", "GET / HTTP/1.1¶Host: a¶X: y¶ z¶¶", Refused(400)),
    ("a line folded by a tab", "GET / HTTP/1.1¶Host: a¶X: y¶\tz¶¶", Refused(400)),
    ("a folded line with nothing", "GET / HTTP/1.1¶Host: a¶X: y¶ ¶¶", Refused(400)),
    ("a space before a colon", "GET / HTTP/1.1¶Host: a¶X : y¶¶", Refused(400)),
    ("a space within a name", "GET / HTTP/1.1¶Host: a¶X Y: z¶¶", Refused(400)),
    ("no colon", "GET / HTTP/1.1¶Host: a¶X¶¶", Refused(400)),
    ("no name", "GET / HTTP/1.1¶Host: a¶: y¶¶", Refused(400)),
    ("NUL in a name", "GET / HTTP/1.1¶Host: a¶X\0: y¶¶", Refused(400)),
    ("NUL in a value", "GET / HTTP/1.1¶Host: a¶X: a\0b¶¶", Refused(400)),
    ("DEL in a value", "GET / HTTP/1.1¶Host: a¶X: a\x7fb¶¶", Refused(400)),
    ("a name with 8 bits", "GET / HTTP/1.1¶Host: a¶X\u{e9}: y¶¶", Refused(400)),
    (
        "a value with 8 bits",
        "GET / HTTP/1.1¶Host: a¶X: na\u{c3}\u{a9} \u{ff}¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶X: na\u{c3}\u{a9} \u{ff}¶¶"]),
    ),
    ("an empty line before", "¶GET / HTTP/1.1¶Host: a¶¶", Sent(&["GET / HTTP/1.1¶host: a¶¶"])),
    ("a line feed before", "\nGET / HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a space before", " GET / HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("NUL before", "\0GET / HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("names with an underscore", "GET / HTTP/1.1¶Host: a¶User_Id: 1¶¶", Sent(&["GET / HTTP/1.1¶host: a¶User_Id: 1¶¶"])),
    ("a sender by another name in CGI", "GET / HTTP/1.1¶Host: a¶X_Forwarded_For: 127.0.0.1¶¶", Refused(400)),
    ("TLS", "\x16\x03\x01\x00\u{a5}\x01\x00\x00\u{a1}\x03\x03", Refused(400)),
];

const TARGETS: &[Case] = &[
    ("HTTP/0.9", "GET /¶", Refused(400)),
    ("HTTP/0.9 by its number", "GET / HTTP/0.9¶¶", Refused(505)),
    ("HTTP/1.2", "GET / HTTP/1.2¶Host: a¶¶", Refused(505)),
    ("HTTP/2 by its number", "GET / HTTP/2.0¶Host: a¶¶", Refused(505)),
    ("HTTP/2's preface, but not first", "GET / HTTP/1.1¶Host: a¶¶PRI * HTTP/2.0¶¶SM¶¶", Refused(505)),
    ("a version with a space", "GET / HTTP/1.1 ¶Host: a¶¶", Refused(400)),
    ("a version twice", "GET / HTTP/1.1 HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("two spaces", "GET  / HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a tab for a space", "GET\t/ HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a target with a space", "GET /a b HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a target with a fragment", "GET /a#b HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a target with 8 bits", "GET /\u{c3}\u{a9} HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a target with NUL", "GET /\0 HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a target without a slash", "GET x HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("the asterisk of GET", "GET * HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("the asterisk of OPTIONS", "OPTIONS * HTTP/1.1¶Host: a¶¶", Sent(&["OPTIONS * HTTP/1.1¶host: a¶¶"])),
    (
        "a target as it is",
        "GET //x/../%2e%2e/%00?q=http://b/&r=|{}\"\\ HTTP/1.1¶Host: a¶¶",
        Sent(&["GET //x/../%2e%2e/%00?q=http://b/&r=|{}\"\\ HTTP/1.1¶host: a¶¶"]),
    ),
    ("CONNECT", "CONNECT a:443 HTTP/1.1¶Host: a:443¶¶", Refused(501)),
    ("CONNECT to a path", "CONNECT / HTTP/1.1¶Host: a¶¶", Refused(501)),
    ("HEAD in small letters", "head / HTTP/1.1¶Host: a¶¶", Refused(501)),
    ("no host", "GET / HTTP/1.1¶¶", Refused(400)),
    ("two hosts", "GET / HTTP/1.1¶Host: a¶Host: b¶¶", Refused(400)),
    ("one host twice", "GET / HTTP/1.1¶Host: a¶Host: a¶¶", Refused(400)),
    ("two hosts in HTTP/1.0", "GET / HTTP/1.0¶Host: a¶Host: b¶¶", Refused(400)),
    ("an empty host", "GET / HTTP/1.1¶Host:¶¶", Refused(400)),
    ("a host with a space", "GET / HTTP/1.1¶Host: a b¶¶", Refused(400)),
    ("a list of hosts", "GET / HTTP/1.1¶Host: a, b¶¶", Refused(400)),
    ("a host with a path", "GET / HTTP/1.1¶Host: a/b¶¶", Refused(400)),
    ("a host with a user", "GET / HTTP/1.1¶Host: a@b¶¶", Refused(400)),
    ("a host with a port that is none", "GET / HTTP/1.1¶Host: a:80@b¶¶", Refused(400)),
    ("a host with an empty port", "GET / HTTP/1.1¶Host: a:¶¶", Sent(&["GET / HTTP/1.1¶host: a¶¶"])),
    ("a host in a folded line", "GET / HTTP/1.1¶X: y¶ Host: b¶Host: a¶¶", Refused(400)),
    ("a host after a space", "GET / HTTP/1.1¶ Host: b¶Host: a¶¶", Refused(400)),
    ("a whole URL", "GET http://b:81/x?y HTTP/1.1¶Host: b:81¶¶", Sent(&["GET /x?y HTTP/1.1¶host: b:81¶¶"])),
    ("a whole URL of another host", "GET http://b/x HTTP/1.1¶Host: a¶¶", Sent(&["GET /x HTTP/1.1¶host: b¶¶"])),
    ("a whole URL and no host", "GET http://b/x HTTP/1.1¶¶", Refused(400)),
    ("a whole URL and two hosts", "GET http://b/x HTTP/1.1¶Host: a¶Host: b¶¶", Refused(400)),
    ("a whole URL without a path", "GET http://b?x HTTP/1.1¶Host: a¶¶", Sent(&["GET /?x HTTP/1.1¶host: b¶¶"])),
    ("a whole URL with a user", "GET http://a@b/ HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a whole URL with a backslash", "GET http://a\\@b/ HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a URL of another kind", "GET ftp://a/ HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a URL without a host", "GET http:///x HTTP/1.1¶Host: a¶¶", Refused(400)),
    ("a URL in a path", "GET /http://b/ HTTP/1.1¶Host: a¶¶", Sent(&["GET /http://b/ HTTP/1.1¶host: a¶¶"])),
    ("a target that begins with @", "GET @b/ HTTP/1.1¶Host: a¶¶", Refused(400)),
];

const HOPS: &[Case] = &[
    (
        "Connection names the length",
        "POST / HTTP/1.1¶Host: a¶Connection: Content-Length¶Content-Length: 5¶¶hello",
        Refused(400),
    ),
    ("Connection names the host", "GET / HTTP/1.1¶Host: a¶Connection: close, Host¶¶", Refused(400)),
    (
        "Connection names the sender",
        "GET / HTTP/1.1¶Host: a¶Connection: X-Forwarded-For, Via¶X-Forwarded-For: 10.0.0.1¶Via: 1.1 x¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶X-Forwarded-For: 10.0.0.1¶Via: 1.1 x¶¶"]),
    ),
    (
        "Connection names what is expected",
        "POST / HTTP/1.1¶Host: a¶Connection: Expect¶Expect: 100-continue¶Content-Length: 1¶¶x",
        Sent(&["POST / HTTP/1.1¶host: a¶Expect: 100-continue¶Content-Length: 1¶¶x"]),
    ),
    (
        "Connection names a field of one's own",
        "GET / HTTP/1.1¶Host: a¶Connection: x-own¶X-Own: 1¶X-Owner: 2¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶X-Owner: 2¶¶"]),
    ),
    ("Connection ends it", "GET / HTTP/1.1¶Host: a¶Connection: close¶¶", Last(&["GET / HTTP/1.1¶host: a¶¶"])),
    (
        "Connection ends it in a second line",
        "GET / HTTP/1.1¶Host: a¶Connection: keep-alive¶Connection: foo, CLOSE¶¶",
        Last(&["GET / HTTP/1.1¶host: a¶¶"]),
    ),
    (
        "fields of one connection",
        "GET / HTTP/1.1¶Host: a¶Keep-Alive: timeout=5¶Proxy-Connection: keep-alive¶TE: gzip¶Trailer: x¶Upgrade: x¶HTTP2-Settings: AAMAAABk¶X: y¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶X: y¶¶"]),
    ),
    (
        "HTTP/2 by Upgrade",
        "GET / HTTP/1.1¶Host: a¶Connection: Upgrade, HTTP2-Settings¶Upgrade: h2c¶HTTP2-Settings: AAMAAABk¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶¶"]),
    ),
    (
        "HTTP/2 by Upgrade in a list",
        "GET / HTTP/1.1¶Host: a¶Connection: Upgrade¶Upgrade: websocket, H2C¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶¶"]),
    ),
    (
        "HTTP/2 by Upgrade in a second line",
        "GET / HTTP/1.1¶Host: a¶Connection: Upgrade¶Upgrade: websocket¶Upgrade: h2c¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶¶"]),
    ),
    (
        "HTTP by Upgrade",
        "GET / HTTP/1.1¶Host: a¶Connection: Upgrade¶Upgrade: TLS/1.0, HTTP/1.1¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶¶"]),
    ),
    (
        "an Upgrade that is not followed",
        "GET / HTTP/1.1¶Host: a¶Connection: upgrade¶Upgrade: websocket¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶Upgrade: websocket¶connection: upgrade¶¶"]),
    ),
    (
        "CL.0: a request in a body",
        "GET / HTTP/1.1¶Host: a¶Content-Length: 31¶¶GET /in HTTP/1.1¶Host: a¶¶xx",
        Sent(&["GET / HTTP/1.1¶host: a¶Content-Length: 31¶¶GET /in HTTP/1.1¶Host: a¶¶xx"]),
    ),
    (
        "CL.0 behind a closed connection",
        "POST / HTTP/1.1¶Host: a¶Connection: close¶Content-Length: 31¶¶GET /in HTTP/1.1¶Host: a¶¶xx",
        Last(&["POST / HTTP/1.1¶host: a¶Content-Length: 31¶¶GET /in HTTP/1.1¶Host: a¶¶xx"]),
    ),
    (
        "a body after what is expected",
        "POST / HTTP/1.1¶Host: a¶Expect: 100-continue¶Content-Length: 31¶¶GET /in HTTP/1.1¶Host: a¶¶xx",
        Sent(&["POST / HTTP/1.1¶host: a¶Expect: 100-continue¶Content-Length: 31¶¶GET /in HTTP/1.1¶Host: a¶¶xx"]),
    ),
    (
        "nothing after what is expected",
        "GET / HTTP/1.1¶Host: a¶Expect: 100-continue¶¶",
        Sent(&["GET / HTTP/1.1¶host: a¶Expect: 100-continue¶¶"]),
    ),
    (
        "something else is expected",
        "POST / HTTP/1.1¶Host: a¶Expect: y 100-continue¶Content-Length: 1¶¶x",
        Sent(&["POST / HTTP/1.1¶host: a¶Expect: y 100-continue¶Content-Length: 1¶¶x"]),
    ),
    ("HTTP/1.0", "GET /x HTTP/1.0¶Host: a¶¶", Last(&["GET /x HTTP/1.1¶host: a¶¶"])),
    (
        "HTTP/1.0 that goes on",
        "POST /x HTTP/1.0¶Host: a¶Connection: keep-alive¶Content-Length: 1¶¶x",
        Sent(&["POST /x HTTP/1.1¶host: a¶Content-Length: 1¶¶x"]),
    ),
    (
        "what follows a request that is refused",
        "GET /1 HTTP/1.1¶Host: a¶¶GET /2 HTTP/1.1¶Host: a b¶¶GET /3 HTTP/1.1¶Host: a¶¶",
        Refused(400),
    ),
    (
        "what follows a body that is refused",
        "GET /1 HTTP/1.1¶Host: a¶¶POST /2 HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶X¶GET /3 HTTP/1.1¶Host: a¶¶",
        Cut(400),
    ),
    (
        "requests in a row",
        "GET /1 HTTP/1.1¶Host: a¶¶POST /2 HTTP/1.1¶Host: a¶Transfer-Encoding: chunked¶¶1¶x¶0¶¶HEAD /3 HTTP/1.1¶Host: a¶Connection: close¶¶",
        Last(&[
            "GET /1 HTTP/1.1¶host: a¶¶",
            "POST /2 HTTP/1.1¶host: a¶transfer-encoding: chunked¶¶1¶x¶0¶¶",
            "HEAD /3 HTTP/1.1¶host: a¶¶",
        ]),
    ),
];

pub(crate) const TABLES: &[(&str, &[Case])] = &[
    ("lengths", LENGTHS),
    ("codings", CODINGS),
    ("chunks", CHUNKS),
    ("lines", LINES),
    ("targets", TARGETS),
    ("hops", HOPS),
];
