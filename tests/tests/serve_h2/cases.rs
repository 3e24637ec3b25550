//! What a server does about frames, by the sections of RFC 9113 and RFC 7541.

use unladen_tests::frames::{Frame, block, code, flag, kind};

use crate::support::{ping, request};
use Does::{Answers, Ends, Goes, Resets};

/// What the server does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Does {
    /// The connection goes on as if nothing had been said.
    Goes,
    /// The request on stream 1 is answered with 200, and the connection goes on.
    Answers,
    /// Stream 1 is reset with this code, and the connection goes on; or it ends, which is allowed too (section 5.4).
    Resets(u32),
    /// GOAWAY with this code, and the connection's end. PROTOCOL_ERROR will do for any: its library is not always more
    /// specific.
    Ends(u32),
}

/// The section, what is said, its bytes after preface and settings, and what the server does.
pub(crate) type Case = (&'static str, &'static str, Vec<u8>, Does);

fn get(stream: u32) -> Vec<u8> {
    request(stream, "GET", "/", true).bytes()
}

fn post(stream: u32) -> Vec<u8> {
    request(stream, "POST", "/", false).bytes()
}

fn frame(kind: u8, flags: u8, stream: u32, payload: impl Into<Vec<u8>>) -> Vec<u8> {
    Frame::new(kind, flags, stream, payload).bytes()
}

fn settings(id: u16, value: u32) -> Vec<u8> {
    Frame::settings(&[(id, value)]).bytes()
}

/// The block of a GET, and then these bytes.
fn packed(more: &[u8]) -> Vec<u8> {
    // `:method: GET`, `:scheme: http` and `:path: /` of the static table.
    [&[0x82, 0x86, 0x84][..], &block(&[(b":authority", b"a")]), more].concat()
}

fn head(more: &[u8]) -> Vec<u8> {
    frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, 1, packed(more))
}

const WHOLE: u8 = flag::END_HEADERS | flag::END_STREAM;

pub(crate) fn frames() -> Vec<Case> {
    let max = vec![0; 16_384];
    let over = vec![0; 16_385];
    vec![
        ("4.1", "a frame of an unknown type", frame(0xee, 0xff, 0, [0; 10]), Goes),
        ("4.1", "a frame of an unknown type on a stream", frame(0xee, 0, 7, [0; 10]), Goes),
        ("4.1", "flags that are not defined", [frame(kind::PING, 0xfe, 0, [0; 8]), get(1)].concat(), Answers),
        ("4.1", "the reserved bit", frame(kind::PING, 0, 0x8000_0000, [0; 8]), Goes),
        ("4.2", "the largest frame", [post(1), frame(kind::DATA, flag::END_STREAM, 1, max)].concat(), Answers),
        (
            "4.2",
            "a frame that is too large",
            [post(1), frame(kind::DATA, 0, 1, over.clone())].concat(),
            Ends(code::FRAME_SIZE_ERROR),
        ),
        ("4.2", "a head that is too large", frame(kind::HEADERS, WHOLE, 1, over.clone()), Ends(code::FRAME_SIZE_ERROR)),
        (
            "4.2",
            "settings that are too large",
            frame(kind::SETTINGS, 0, 0, vec![0; 16_386]),
            Ends(code::FRAME_SIZE_ERROR),
        ),
        (
            "4.3",
            "another head within a head",
            [frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[])), get(3)].concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "4.3",
            "a priority within a head",
            [frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[])), frame(kind::PRIORITY, 0, 1, [0, 0, 0, 0, 1])]
                .concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "4.3",
            "a PING within a head",
            [frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[])), ping(1).bytes()].concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "5.5",
            "an unknown frame within a head",
            [frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[])), frame(0xee, 0, 1, [0])].concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        ("5.1", "data on an idle stream", frame(kind::DATA, flag::END_STREAM, 1, *b"x"), Ends(code::PROTOCOL_ERROR)),
        ("5.1", "a reset of an idle stream", Frame::reset(1, code::CANCEL).bytes(), Ends(code::PROTOCOL_ERROR)),
        ("5.1", "window for an idle stream", Frame::window(1, 1).bytes(), Ends(code::PROTOCOL_ERROR)),
        (
            "5.1",
            "data after the end",
            [get(1), frame(kind::DATA, flag::END_STREAM, 1, *b"x")].concat(),
            Resets(code::STREAM_CLOSED),
        ),
        ("5.1", "a head after the end", [get(1), get(1)].concat(), Resets(code::STREAM_CLOSED)),
        (
            "5.1",
            "a continuation after the end",
            [get(1), frame(kind::CONTINUATION, flag::END_HEADERS, 1, packed(&[]))].concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        ("5.1", "window after the end", [get(1), Frame::window(1, 1).bytes()].concat(), Answers),
        (
            "5.1",
            "window after a reset",
            [post(1), Frame::reset(1, code::CANCEL).bytes(), Frame::window(1, 1).bytes()].concat(),
            Goes,
        ),
        (
            "5.1",
            "two resets",
            [post(1), Frame::reset(1, code::CANCEL).bytes(), Frame::reset(1, code::CANCEL).bytes()].concat(),
            Goes,
        ),
        (
            "5.1",
            "data after a reset",
            [post(1), Frame::reset(1, code::CANCEL).bytes(), frame(kind::DATA, 0, 1, *b"x")].concat(),
            Resets(code::STREAM_CLOSED),
        ),
        ("5.1.1", "a stream with an even number", get(2), Ends(code::PROTOCOL_ERROR)),
        ("5.1.1", "a stream with a smaller number", [get(5), get(3)].concat(), Ends(code::PROTOCOL_ERROR)),
        ("5.1.1", "streams that are left out", [get(101), get(203)].concat(), Goes),
        ("5.1.1", "the largest number", get(0x7fff_ffff), Goes),
        ("6.1", "data on stream 0", frame(kind::DATA, 0, 0, *b"x"), Ends(code::PROTOCOL_ERROR)),
        (
            "6.1",
            "padding",
            [post(1), frame(kind::DATA, flag::PADDED | flag::END_STREAM, 1, [3, b'x', 0, 0, 0])].concat(),
            Answers,
        ),
        (
            "6.1",
            "padding alone",
            [post(1), frame(kind::DATA, flag::PADDED | flag::END_STREAM, 1, [3, 0, 0, 0])].concat(),
            Answers,
        ),
        (
            "6.1",
            "more padding than there is",
            [post(1), frame(kind::DATA, flag::PADDED, 1, [4, 0, 0, 0])].concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "6.1",
            "padding of no length",
            [post(1), frame(kind::DATA, flag::PADDED, 1, [])].concat(),
            Ends(code::FRAME_SIZE_ERROR),
        ),
        ("6.2", "a head on stream 0", frame(kind::HEADERS, WHOLE, 0, packed(&[])), Ends(code::PROTOCOL_ERROR)),
        (
            "6.2",
            "a padded head",
            frame(kind::HEADERS, WHOLE | flag::PADDED, 1, [&[2][..], &packed(&[]), &[0, 0]].concat()),
            Answers,
        ),
        (
            "6.2",
            "a head with a priority",
            frame(kind::HEADERS, WHOLE | flag::PRIORITY, 1, [&[0, 0, 0, 0, 9][..], &packed(&[])].concat()),
            Answers,
        ),
        (
            "6.2",
            "a head with more padding than there is",
            frame(kind::HEADERS, WHOLE | flag::PADDED, 1, [&[200][..], &packed(&[])].concat()),
            Ends(code::PROTOCOL_ERROR),
        ),
        ("6.3", "a priority", [frame(kind::PRIORITY, 0, 1, [0, 0, 0, 0, 9]), get(1)].concat(), Answers),
        ("6.3", "a priority on stream 0", frame(kind::PRIORITY, 0, 0, [0, 0, 0, 0, 9]), Ends(code::PROTOCOL_ERROR)),
        (
            "6.3",
            "a priority of another length",
            [post(1), frame(kind::PRIORITY, 0, 1, [0; 4])].concat(),
            Resets(code::FRAME_SIZE_ERROR),
        ),
        ("6.4", "a reset on stream 0", Frame::reset(0, code::CANCEL).bytes(), Ends(code::PROTOCOL_ERROR)),
        (
            "6.4",
            "a reset of another length",
            [post(1), frame(kind::RST_STREAM, 0, 1, [0; 3])].concat(),
            Ends(code::FRAME_SIZE_ERROR),
        ),
        (
            "6.5",
            "an acknowledgement with something",
            frame(kind::SETTINGS, flag::ACK, 0, [0; 6]),
            Ends(code::FRAME_SIZE_ERROR),
        ),
        ("6.5", "settings on a stream", frame(kind::SETTINGS, 0, 1, []), Ends(code::PROTOCOL_ERROR)),
        ("6.5", "settings of another length", frame(kind::SETTINGS, 0, 0, [0; 5]), Ends(code::FRAME_SIZE_ERROR)),
        ("6.5.2", "an unknown setting", [settings(0xee, 1), get(1)].concat(), Answers),
        ("6.5.2", "push neither on nor off", settings(2, 2), Ends(code::PROTOCOL_ERROR)),
        ("6.5.2", "a window that is too wide", settings(4, 0x8000_0000), Ends(code::FLOW_CONTROL_ERROR)),
        ("6.5.2", "the widest window", [settings(4, 0x7fff_ffff), get(1)].concat(), Answers),
        ("6.5.2", "frames that are too small", settings(5, 16_383), Ends(code::PROTOCOL_ERROR)),
        ("6.5.2", "frames that are too large", settings(5, 16_777_216), Ends(code::PROTOCOL_ERROR)),
        ("6.5.2", "the largest frames", [settings(5, 16_777_215), get(1)].concat(), Answers),
        (
            "6.6",
            "a promise by a client",
            [post(1), frame(kind::PUSH_PROMISE, flag::END_HEADERS, 1, [&[0, 0, 0, 2][..], &packed(&[])].concat())]
                .concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        ("6.7", "a PING on a stream", frame(kind::PING, 0, 1, [0; 8]), Ends(code::PROTOCOL_ERROR)),
        ("6.7", "a PING of another length", frame(kind::PING, 0, 0, [0; 6]), Ends(code::FRAME_SIZE_ERROR)),
        ("6.7", "an answer to no PING", frame(kind::PING, flag::ACK, 0, [9; 8]), Goes),
        ("6.8", "GOAWAY on a stream", frame(kind::GOAWAY, 0, 1, [0; 8]), Ends(code::PROTOCOL_ERROR)),
        ("6.9", "no window", Frame::window(0, 0).bytes(), Ends(code::PROTOCOL_ERROR)),
        (
            "6.9",
            "no window for a stream",
            [post(1), Frame::window(1, 0).bytes()].concat(),
            Resets(code::PROTOCOL_ERROR),
        ),
        ("6.9", "window of another length", frame(kind::WINDOW_UPDATE, 0, 0, [0; 3]), Ends(code::FRAME_SIZE_ERROR)),
        (
            "6.9.1",
            "too much window",
            [Frame::window(0, 0x7fff_ffff).bytes(), Frame::window(0, 1).bytes()].concat(),
            Ends(code::FLOW_CONTROL_ERROR),
        ),
        (
            "6.9.1",
            "too much window for a stream",
            [post(1), Frame::window(1, 0x7fff_ffff).bytes()].concat(),
            Resets(code::FLOW_CONTROL_ERROR),
        ),
        (
            "6.9.2",
            "a wider window for a stream that has all",
            [post(1), Frame::window(1, 0x7fff_0000).bytes(), settings(4, 0x7fff_ffff)].concat(),
            Ends(code::FLOW_CONTROL_ERROR),
        ),
        (
            "6.10",
            "a continuation of nothing",
            frame(kind::CONTINUATION, flag::END_HEADERS, 1, packed(&[])),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "6.10",
            "a head in parts",
            [
                frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[])),
                frame(kind::CONTINUATION, 0, 1, block(&[(b"x", b"y")])),
                frame(kind::CONTINUATION, flag::END_HEADERS, 1, []),
            ]
            .concat(),
            Answers,
        ),
        (
            "6.10",
            "a field in parts",
            [
                frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[0, 3, b'a'])),
                frame(kind::CONTINUATION, flag::END_HEADERS, 1, [b'b', b'c', 1, b'x']),
            ]
            .concat(),
            Answers,
        ),
        (
            "6.10",
            "a continuation on another stream",
            [
                frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[])),
                frame(kind::CONTINUATION, flag::END_HEADERS, 3, []),
            ]
            .concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "6.10",
            "a continuation on stream 0",
            [
                frame(kind::HEADERS, flag::END_STREAM, 1, packed(&[])),
                frame(kind::CONTINUATION, flag::END_HEADERS, 0, []),
            ]
            .concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "6.10",
            "a continuation after the last",
            [get(1), frame(kind::CONTINUATION, 0, 1, [])].concat(),
            Ends(code::PROTOCOL_ERROR),
        ),
        (
            "8.1",
            "a second head that is not the end",
            [post(1), frame(kind::HEADERS, flag::END_HEADERS, 1, block(&[(b"x", b"y")]))].concat(),
            Resets(code::PROTOCOL_ERROR),
        ),
        ("8.1", "trailers", [post(1), frame(kind::HEADERS, WHOLE, 1, block(&[(b"x", b"y")]))].concat(), Answers),
    ]
}

/// RFC 7541.
pub(crate) fn packing() -> Vec<Case> {
    vec![
        ("2.3.3", "an index beyond the tables", head(&[0xc6]), Ends(code::COMPRESSION_ERROR)),
        ("2.3.3", "a name beyond the tables", head(&[0x7f, 0x10, 1, b'x']), Ends(code::COMPRESSION_ERROR)),
        (
            "4.2",
            "a size of the table",
            frame(kind::HEADERS, WHOLE, 1, [&[0x20, 0x3f, 0xe1, 0x1f][..], &packed(&[])].concat()),
            Answers,
        ),
        ("4.2", "a size of the table at the end", head(&[0x20]), Ends(code::COMPRESSION_ERROR)),
        (
            "5.1",
            "a number that does not end",
            head(&[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]),
            Ends(code::COMPRESSION_ERROR),
        ),
        ("5.2", "Huffman's code", head(&[0x00, 1, b'x', 0x82, 0x10, 0x7f]), Answers),
        (
            "5.2",
            "Huffman's code with padding of more than 7 bits",
            head(&[0x00, 1, b'x', 0x82, 0x1f, 0xff]),
            Ends(code::COMPRESSION_ERROR),
        ),
        (
            "5.2",
            "Huffman's code with padding of zeros",
            head(&[0x00, 1, b'x', 0x81, 0x18]),
            Ends(code::COMPRESSION_ERROR),
        ),
        (
            "5.2",
            "Huffman's code with the end of strings",
            head(&[0x00, 1, b'x', 0x84, 0xff, 0xff, 0xff, 0xff]),
            Ends(code::COMPRESSION_ERROR),
        ),
        (
            "5.2",
            "a text that is longer than the head",
            head(&[0x00, 1, b'x', 0x7f, 0x20, b'y']),
            Ends(code::COMPRESSION_ERROR),
        ),
        ("6.1", "index 0", head(&[0x80]), Ends(code::COMPRESSION_ERROR)),
        ("6.2", "fields of each kind", head(&[0x40, 1, b'a', 1, b'b', 0x10, 1, b'c', 1, b'd', 0xbe]), Answers),
        (
            "6.3",
            "a table that is larger than allowed",
            frame(kind::HEADERS, WHOLE, 1, [&[0x3f, 0xe2, 0x1f][..], &packed(&[])].concat()),
            Ends(code::COMPRESSION_ERROR),
        ),
    ]
}
