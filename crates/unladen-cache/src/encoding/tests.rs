use std::io::Read;

use proptest::prelude::*;

use super::*;
use crate::testing::value;

fn accepted(header: &str) -> String {
    let accepted = Accepted::of(Some(header.as_bytes()));
    let mut names: Vec<_> = accepted.each().map(Coding::as_str).collect();
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
        prop_assert!(accepted.each().all(|coding| accepted.takes(coding)));
        let _ = Coding::is_worth_it(&header);
    }
}
