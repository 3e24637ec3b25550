use std::io::Read;

use proptest::prelude::*;

use super::*;
use crate::tests::testing::value;

fn accepted(header: &str) -> String {
    let accepted = Accepted::of(Some(header.as_bytes()));
    let all = [Coding::Brotli, Coding::Zstd, Coding::Gzip];
    let mut names: Vec<_> =
        all.into_iter().filter(|coding| accepted.takes(*coding)).map(|coding| coding.into_str()).collect();
    if accepted.identity {
        names.push("identity");
    }
    names.join(" ")
}

// RFC 9110, section 12.5.3
#[test]
fn what_a_client_takes() {
    let table = [
        ("", "identity"),
        ("gzip, deflate, br, zstd", "br zstd gzip identity"),
        ("GZIP;Q=1.0", "gzip identity"),
        ("x-gzip", "gzip identity"),
        ("*", "br zstd gzip identity"),
        ("*;q=0", ""),
        ("*;q=0, br", "br"),
        ("br;q=0, *", "zstd gzip identity"),
        ("gzip;q=0", "identity"),
        ("gzip;q=0.000, br;q=0.001", "br identity"),
        ("identity;q=0, gzip", "gzip"),
        ("*;q=0, identity;q=0.5", "identity"),
        ("gzip;q=x", "gzip identity"),
        ("gzip ; q=0 ; x", "identity"),
        ("brr, gz ip", "identity"),
    ];
    for (header, expected) in table {
        assert_eq!(accepted(header), expected, "{header}");
    }
    assert_eq!(Accepted::of(None), Accepted { identity: true, ..Accepted::default() });
}

#[test]
fn what_is_coded_is_decoded_again() {
    let body = b"All work and no play makes Jack a dull boy. ".repeat(100);
    for coding in [Coding::Brotli, Coding::Zstd, Coding::Gzip] {
        let coded = coding.encode(&body).expect("shorter");
        assert!(coded.len() < body.len() / 10, "{coding:?}: {}", coded.len());
        let mut decoded = Vec::new();
        match coding {
            Coding::Brotli => brotli::Decompressor::new(&*coded, 4096).read_to_end(&mut decoded).map(|_| ()),
            Coding::Zstd => zstd::bulk::decompress(&coded, body.len()).map(|bytes| decoded = bytes),
            Coding::Gzip => flate2::read::GzDecoder::new(&*coded).read_to_end(&mut decoded).map(|_| ()),
        }
        .expect("it decodes");
        assert_eq!(decoded, body, "{coding:?}");
        assert_eq!(coding.encode(b""), None);
        assert_eq!(coding.encode(b"ab"), None, "it would be longer");
    }
}

#[test]
fn media_types() {
    for worth in
        ["text/html; charset=utf-8", "TEXT/CSS", "application/json", "application/ld+json", "image/svg+xml", "font/ttf"]
    {
        assert!(Coding::is_worth_it(worth.as_bytes()), "{worth}");
    }
    for not in
        ["", "image/png", "font/woff2", "application/zip", "video/mp4", "text/event-stream", "application/octet-stream"]
    {
        assert!(!Coding::is_worth_it(not.as_bytes()), "{not}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_taken_or_not(header in value()) {
        let accepted = Accepted::of(Some(&header));
        prop_assert!(accepted.shortest_by_weight().all(|coding| accepted.takes(coding)));
        let _ = Coding::is_worth_it(&header);
    }
}

fn decoded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    // What a decoder has given before it misses the end is what counts.
    let _ = match coding {
        Coding::Brotli => brotli::Decompressor::new(bytes, 1).read_to_end(&mut decoded),
        Coding::Zstd => zstd::stream::read::Decoder::new(bytes).and_then(|mut all| all.read_to_end(&mut decoded)),
        Coding::Gzip => flate2::read::GzDecoder::new(bytes).read_to_end(&mut decoded),
    };
    decoded
}

const ALL: [Coding; 3] = [Coding::Brotli, Coding::Zstd, Coding::Gzip];

#[test]
fn what_was_taken_can_be_decoded_once_it_was_flushed() {
    for coding in ALL {
        let mut encoder = Encoder::new(coding).expect("memory");
        let (mut sent, mut all) = (Vec::new(), Vec::new());
        for number in 0..50 {
            let piece = format!("data: event number {number} of many\n\n");
            encoder.write(piece.as_bytes()).expect("memory");
            encoder.flush().expect("memory");
            sent.append(encoder.out());
            all.extend_from_slice(piece.as_bytes());
            assert_eq!(decoded(coding, &sent), all, "{coding:?}, {number}");
        }
        sent.extend(encoder.finish().expect("memory"));
        assert_eq!(decoded(coding, &sent), all, "{coding:?}");
        assert!(sent.len() < all.len(), "{coding:?}");
    }
}

#[test]
fn what_passes_takes_about_as_much_memory_as_is_said() {
    // The window is what is said, whatever the length.
    let body = b"All work and no play makes Jack a dull boy. ".repeat(100_000);
    for coding in ALL {
        let mut encoder = Encoder::new(coding).expect("memory");
        let mut sent = Vec::new();
        for piece in body.chunks(16 * 1024) {
            encoder.write(piece).expect("memory");
            sent.append(encoder.out());
            assert!(encoder.out().capacity() <= 512 * 1024, "{coding:?}");
        }
        sent.extend(encoder.finish().expect("memory"));
        assert!(sent.len() < body.len() / 20, "{coding:?}: {}", sent.len());
        assert_eq!(decoded(coding, &sent), body, "{coding:?}");
    }
}

#[test]
fn what_a_client_likes_best_comes_first() {
    let order = |header: &str| {
        Accepted::of(Some(header.as_bytes())).by_weight().map(|coding| coding.into_str()).collect::<Vec<_>>()
    };
    assert_eq!(order("gzip, deflate, br, zstd"), ["zstd", "br", "gzip"]);
    assert_eq!(order("gzip;q=1.0, br;q=0.5, zstd;q=0"), ["gzip", "br"]);
    assert_eq!(order("br;q=0.9, *;q=0.1"), ["br", "zstd", "gzip"]);
    // Who would rather have it as it is, is not sent anything else.
    assert_eq!(order("identity, gzip;q=0.5"), [] as [&str; 0]);
    assert_eq!(order("identity;q=0.5, gzip;q=0.5"), ["gzip"]);
    assert_eq!(order(""), [] as [&str; 0]);
}

proptest! {
    #[test]
    fn any_body_in_any_pieces_is_the_same_again(
        pieces in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..3000), any::<bool>()), 0..12),
    ) {
        for coding in ALL {
            let mut encoder = Encoder::new(coding).expect("memory");
            let mut sent = Vec::new();
            for (piece, flushes) in &pieces {
                encoder.write(piece).expect("memory");
                if *flushes {
                    encoder.flush().expect("memory");
                }
                sent.append(encoder.out());
            }
            sent.extend(encoder.finish().expect("memory"));
            let body = pieces.iter().flat_map(|(piece, _)| piece.iter().copied()).collect::<Vec<_>>();
            prop_assert_eq!(decoded(coding, &sent), body);
        }
    }
}
