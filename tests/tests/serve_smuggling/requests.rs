//! What becomes of the requests in `cases`.

use unladen_tests::Recorder;

use crate::cases::Becomes::{self, Cut, Last, Refused, Sent};
use crate::cases::TABLES;
use crate::support::{Contact, Said, bytes, chunks, hear_of, say};

/// Follows each: it is answered if the connection goes on, and never otherwise.
const AFTER: &str = "GET /after HTTP/1.1¶Host: a¶¶";
const AFTER_SENT: &str = "GET /after HTTP/1.1¶host: a¶¶";

#[test]
fn each_is_refused_or_sent_on_in_one_way() {
    let place = Contact::plain(Recorder::good());
    for (table, cases) in TABLES {
        for (name, text, becomes) in *cases {
            check(&place, &format!("{table}: {name}"), text, *becomes, usize::MAX);
        }
    }
    place.end();
}

#[test]
fn each_becomes_the_same_byte_by_byte() {
    let place = Contact::plain(Recorder::good());
    for (table, cases) in TABLES {
        for (name, text, becomes) in *cases {
            check(&place, &format!("{table}: {name}, byte by byte"), text, *becomes, 1);
        }
    }
    place.end();
}

fn check(place: &Contact, name: &str, text: &str, becomes: Becomes, piece: usize) {
    let mut stream = place.connect();
    say(&mut stream, &bytes(&format!("{text}{AFTER}")), piece);
    let (sent, closes) = match becomes {
        Refused(_) | Cut(_) => (None, true),
        Last(sent) => (Some(sent.to_vec()), true),
        Sent(sent) => (Some([sent, &[AFTER_SENT]].concat()), false),
    };
    let count = sent.as_ref().map_or(0, Vec::len);
    let methods: Vec<_> =
        sent.iter().flatten().map(|sent| if sent.starts_with("HEAD ") { "HEAD" } else { "GET" }).collect();
    let said = hear_of(&mut stream, if closes { 0 } else { count }, |at| methods.get(at).copied().unwrap_or("GET"));
    place.canary(name);
    let (whole, parts) = place.arrived();
    assert_eq!(said.rest, b"", "{name}: {said:?}");
    assert_eq!(said.closed, closes, "{name}: {said:?}");
    let Some(sent) = sent else {
        let (Refused(status) | Cut(status)) = becomes else { unreachable!() };
        refused(name, &said, status, &whole, &parts);
        assert!(matches!(becomes, Cut(_)) || parts.is_empty(), "{name}: arrived: {parts:?}");
        return;
    };
    let statuses: Vec<_> = said.answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, vec![200; count], "{name}: {said:?}");
    let sent: Vec<_> = sent.iter().map(|sent| bytes(sent)).collect();
    assert_eq!(whole.len(), sent.len(), "{name}: arrived: {}", shown(&whole));
    for (arrived, sent) in whole.iter().zip(&sent) {
        if piece == usize::MAX {
            assert_eq!(shown([arrived]), shown([sent]), "{name}");
        } else {
            // Smaller chunks are the same body.
            assert_eq!(unchunked(arrived), unchunked(sent), "{name}");
        }
    }
    assert_eq!(parts, Vec::<Vec<u8>>::new(), "{name}");
}

fn refused(name: &str, said: &Said, status: u16, whole: &[Vec<u8>], parts: &[Vec<u8>]) {
    let Some((last, before)) = said.answers.split_last() else { panic!("{name}: no answer, {said:?}") };
    assert_eq!(last.status, status, "{name}: {said:?}");
    assert!(last.head.contains("\r\nconnection: close\r\n"), "{name}: {said:?}");
    // Whatever came before it in a row was good.
    assert!(before.iter().all(|answer| answer.status == 200), "{name}: {said:?}");
    assert_eq!(whole.len(), before.len(), "{name}: arrived: {}", shown(whole));
    let is_after = |bytes: &Vec<u8>| bytes.windows(6).any(|six| six == b"/after" || six == b"GET /3");
    assert!(!whole.iter().chain(parts).any(is_after), "{name}: arrived: {}", shown(whole.iter().chain(parts)));
}

fn shown<'a>(requests: impl IntoIterator<Item = &'a Vec<u8>>) -> String {
    requests.into_iter().map(|request| format!("{}\n", request.escape_ascii())).collect()
}

/// The head, and the body without its chunks.
fn unchunked(request: &[u8]) -> (&[u8], Vec<u8>) {
    let end = request.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let (head, body) = request.split_at(end);
    let is_chunked = head.windows(7).any(|seven| seven == b"chunked");
    (head, if is_chunked { chunks(body).expect("a body").0 } else { body.to_vec() })
}
