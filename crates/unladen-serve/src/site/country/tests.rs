use proptest::prelude::*;

use super::*;

fn text(text: &str) -> Vec<u8> {
    let mut bytes = vec![2 << 5 | text.len() as u8];
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![7 << 5 | entries.len() as u8];
    for (key, value) in entries {
        bytes.extend(text(key));
        bytes.extend(value);
    }
    bytes
}

fn number(value: u32) -> Vec<u8> {
    [&[6 << 5 | 4][..], &value.to_be_bytes()].concat()
}

/// A database of IPv4 networks (first byte of the address, record), as MaxMind's specification of version 2 has it.
fn database(records: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    let mut nodes = vec![[None::<Result<usize, usize>>; 2]];
    for (network, record) in records {
        let mut at = 0;
        for bit in (1..8).rev().map(|bit| usize::from(network >> bit & 1)) {
            at = match nodes[at][bit] {
                Some(Ok(node)) => node,
                _ => {
                    nodes.push([None; 2]);
                    let new = nodes.len() - 1;
                    nodes[at][bit] = Some(Ok(new));
                    new
                }
            };
        }
        nodes[at][usize::from(network & 1)] = Some(Err(data.len()));
        data.extend(record);
    }
    let mut bytes = Vec::new();
    for end in nodes.iter().flatten() {
        let value = match end {
            None => nodes.len(),
            Some(Ok(node)) => *node,
            Some(Err(offset)) => nodes.len() + 16 + offset,
        };
        bytes.extend_from_slice(&(value as u32).to_be_bytes()[1..]);
    }
    bytes.extend([0; 16]);
    bytes.extend(data);
    bytes.extend(b"\xab\xcd\xefMaxMind.com");
    bytes.extend(map(&[
        ("binary_format_major_version", vec![5 << 5 | 1, 2]),
        ("binary_format_minor_version", vec![5 << 5]),
        ("build_epoch", vec![4, 2, 0x60, 0, 0, 0]),
        ("database_type", text("Test")),
        ("description", map(&[("en", text("Test"))])),
        ("ip_version", vec![5 << 5 | 1, 4]),
        ("languages", vec![0, 4]),
        ("node_count", number(nodes.len() as u32)),
        ("record_size", vec![5 << 5 | 1, 24]),
    ]));
    bytes
}

fn nested(code: &str) -> Vec<u8> {
    map(&[("continent", map(&[("code", text("EU"))])), ("country", map(&[("iso_code", text(code))]))])
}

fn flat(code: &str) -> Vec<u8> {
    map(&[("country_code", text(code))])
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn both_layouts_are_read() {
    for layout in [nested, flat] {
        let no_country = map(&[("continent", map(&[("code", text("AN"))]))]);
        let records = [(1, no_country), (2, layout("DE")), (3, layout("gb")), (4, layout("USA"))];
        let country = Country::new(database(&records)).unwrap();
        assert_eq!(country.lookup(ip("2.0.0.1")), "DE");
        assert_eq!(country.lookup(ip("2.255.255.255")), "DE");
        assert_eq!(country.lookup(ip("::ffff:2.0.0.1")), "DE", "an address of IPv4 in IPv6's clothes");
        for unknown in ["1.0.0.1", "9.9.9.9", "2001:db8::1", "127.0.0.1"] {
            assert_eq!(country.lookup(ip(unknown)), UNKNOWN, "{unknown}");
        }
        assert_eq!(country.lookup(ip("3.0.0.1")), UNKNOWN, "no code of ISO 3166");
        assert_eq!(country.lookup(ip("4.0.0.1")), UNKNOWN, "no code of two letters");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let said = |bytes: Vec<u8>| Country::new(bytes).map(drop).unwrap_err().to_string();
    assert!(said(Vec::new()).contains("not a database in MaxMind's format"));
    assert!(said(b"<html>".to_vec()).contains("not a database in MaxMind's format"));
    let other = map(&[("autonomous_system_number", number(1))]);
    assert!(said(database(&[(1, other)])).contains("not a country database (Test)"));
    assert!(said(database(&[])).contains("not a country database"));
    // A code that points out of the file.
    let mut pointing = flat("DE");
    let at = pointing.len() - 3;
    pointing.splice(at.., [1 << 5 | 7, 255]);
    assert!(said(database(&[(1, flat("DE")), (2, pointing)])).contains("damaged"));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("country.mmdb");
    assert!(Country::open(&path).map(drop).unwrap_err().to_string().contains("cannot read the country database"));
    assert!(Country::open(folder.path()).map(drop).unwrap_err().to_string().contains("not a regular file"));
    std::fs::write(&path, database(&[(1, flat("FR"))])).unwrap();
    assert_eq!(Country::open(&path).unwrap().lookup(ip("1.2.3.4")), "FR");
}

/// A tree whose nodes lead back: it ends all the same.
#[test]
fn circles_are_found() {
    let mut bytes = database(&[(255, flat("DE"))]);
    // Each node's other end: the first node.
    for node in 1..8 {
        bytes[node * 6..node * 6 + 3].copy_from_slice(&[0, 0, 0]);
    }
    let error = Country::new(bytes).map(drop).unwrap_err();
    assert!(matches!(error, WrongDatabase::Circles | WrongDatabase::Damaged(_)), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_damage_makes_it_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), address: u32) {
        let mut bytes = database(&[(1, nested("DE")), (2, nested("FR")), (77, nested("GB"))]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(country) = Country::new(bytes) {
            let code = country.lookup(IpAddr::V4(address.into()));
            prop_assert!(code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()));
        }
    }
}
