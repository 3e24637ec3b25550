use proptest::prelude::*;

use super::*;

/// As MediaWiki packs it: no version, the opcode in the lower half, no headers, no signature.
fn clear(url: &[u8]) -> Vec<u8> {
    datagram(0, [CLR, 0], b"HEAD", url, b"HTTP/1.0", &[0, 2])
}

fn datagram(minor: u8, opcode: [u8; 2], method: &[u8], url: &[u8], version: &[u8], auth: &[u8]) -> Vec<u8> {
    let counted = |text: &[u8]| [&u16::try_from(text.len()).unwrap().to_be_bytes()[..], text].concat();
    let specifier = [counted(method), counted(url), counted(version), counted(b"")].concat();
    let data = u16::try_from(DATA_HEAD + 2 + specifier.len()).unwrap();
    let whole = u16::try_from(4 + usize::from(data) + auth.len()).unwrap();
    let head = [&whole.to_be_bytes()[..], &[0, minor], &data.to_be_bytes(), &opcode, &[1, 2, 3, 4], &[0, 0]].concat();
    [head, specifier, auth.to_vec()].concat()
}

const URL: &[u8] = b"http://wiki.example/w/index.php?title=Picnic&action=history";

#[test]
fn a_purge_of_mediawiki_is_read() {
    let datagram = clear(URL);
    let read = HtcpClear::read(&datagram).unwrap();
    assert_eq!((read.url.as_bytes(), read.transaction), (URL, 0x0102_0304));
}

#[test]
fn the_page_is_of_both_schemes_and_has_no_fragment() {
    for (url, authority, target) in [
        ("http://wiki.example/wiki/A?b=//c#d", "wiki.example", "/wiki/A?b=//c"),
        ("HTTPS://Wiki.example:8443", "Wiki.example:8443", "/"),
        ("http://wiki.example?a=/b", "wiki.example", "/?a=/b"),
    ] {
        let datagram = clear(url.as_bytes());
        let page = HtcpClear::read(&datagram).unwrap().page();
        assert_eq!(page, Page { is_https: None, authority: authority.to_owned(), target: target.to_owned() }, "{url}");
    }
}

#[test]
fn both_orders_of_the_opcode_are_read() {
    for (minor, opcode) in [(0, [0x04, 0]), (0, [0x40, 0]), (1, [0x40, 0]), (1, [0x40, 2])] {
        let datagram = datagram(minor, opcode, b"GET", URL, b"HTTP/1.1", &[0, 2]);
        assert!(HtcpClear::read(&datagram).is_ok(), "{minor} {opcode:?}");
    }
}

#[test]
fn what_is_no_purge_is_told_apart() {
    let of = |minor, opcode, method: &[u8], url: &[u8], version: &[u8], auth: &[u8]| {
        HtcpClear::read(&datagram(minor, opcode, method, url, version, auth)).unwrap_err()
    };
    assert_eq!(of(2, [4, 0], b"GET", URL, b"HTTP/1.1", &[0, 2]), HtcpError::Version { major: 0, minor: 2 });
    assert_eq!(of(0, [1, 0], b"GET", URL, b"HTTP/1.1", &[0, 2]), HtcpError::Opcode(1));
    assert_eq!(of(1, [4, 0], b"GET", URL, b"HTTP/1.1", &[0, 2]), HtcpError::Opcode(4));
    assert_eq!(of(0, [4, 0x80], b"GET", URL, b"HTTP/1.1", &[0, 2]), HtcpError::Response);
    assert_eq!(of(0, [0x40, 1], b"GET", URL, b"HTTP/1.1", &[0, 2]), HtcpError::Response);
    assert_eq!(of(0, [0x24, 0], b"GET", URL, b"HTTP/1.1", &[0, 2]), HtcpError::Response);
    assert_eq!(of(0, [4, 0], b"PURGE", URL, b"HTTP/1.1", &[0, 2]), HtcpError::Method);
    assert_eq!(of(0, [4, 0], b"GET", URL, b"HTTP/2", &[0, 2]), HtcpError::Http);
    assert_eq!(of(0, [4, 0], b"GET", URL, b"HTTP/1.1", &[0, 4, 9, 9]), HtcpError::Signed);
    assert!(matches!(of(0, [4, 0], b"GET", URL, b"HTTP/1.1", &[0, 5, 9, 9]), HtcpError::Length(_)));
    for url in [
        &b""[..],
        b"/wiki/Picnic",
        b"//wiki.example/",
        b"ftp://wiki.example/",
        b"http:///path",
        b"http://user@wiki.example/",
        b"http://wiki.example/a b",
        b"http://wiki.example/\r\nX-Purge: prefix",
        b"http://wiki.example/\xc3\xa9",
        b"http://wiki.example/\0",
    ] {
        assert_eq!(of(0, [4, 0], b"GET", url, b"HTTP/1.1", &[0, 2]), HtcpError::Url, "{url:?}");
    }
    let long = [b"http://a/".to_vec(), vec![b'a'; LONGEST_HTCP_URL]].concat();
    assert_eq!(of(0, [4, 0], b"GET", &long, b"HTTP/1.1", &[0, 2]), HtcpError::Url);
}

#[test]
fn the_longest_url_fits_into_what_is_read() {
    let url = [b"http://a/".to_vec(), vec![b'a'; LONGEST_HTCP_URL - 9]].concat();
    let datagram = clear(&url);
    assert!(datagram.len() < LONGEST_HTCP_DATAGRAM);
    assert_eq!(HtcpClear::read(&datagram).unwrap().url.len(), LONGEST_HTCP_URL);
}

proptest! {
    #[test]
    fn no_part_of_a_purge_is_a_purge(url in "http://[a-z]{1,9}/[!-~]{0,40}", cut in 0.0..1.0f64) {
        let whole = clear(url.as_bytes());
        let (mut short, mut long) = (whole.clone(), whole.clone());
        short.truncate((cut * whole.len() as f64) as usize);
        long.push(0);
        prop_assert!(HtcpClear::read(&short).is_err() && HtcpClear::read(&long).is_err());
        prop_assert_eq!(HtcpClear::read(&whole).map(|clear| clear.url.to_owned()), Ok(url));
    }

    #[test]
    fn whatever_one_octet_is_the_url_is_in_the_datagram(place in 0..60usize, octet: u8) {
        let mut datagram = clear(URL);
        datagram[place] = octet;
        if let Ok(read) = HtcpClear::read(&datagram) {
            prop_assert!(read.url.bytes().all(|byte| byte.is_ascii_graphic()));
            prop_assert!(datagram.windows(read.url.len()).any(|window| window == read.url.as_bytes()));
        }
    }

    #[test]
    fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = HtcpClear::read(&bytes);
    }
}
