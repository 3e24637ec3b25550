//! Pages by country: what the client's address says, and never the client.

use std::sync::LazyLock;

use unladen_tests::Subject;

use crate::{Site, add_page, cache};

static PLEDGES: LazyLock<Subject> = LazyLock::new(|| Subject::up("pledges"));

/// Of each network of a first byte, the country, in MaxMind's format (version 2): a tree of the address's bits, 24 bits
/// for each end of a node, and what it leads to.
fn database(countries: &[(u8, &str)]) -> Vec<u8> {
    let text = |text: &str| [&[2 << 5 | text.len() as u8][..], text.as_bytes()].concat();
    let number = |value: usize| [&[6 << 5 | 4][..], &u32::try_from(value).unwrap().to_be_bytes()].concat();
    let mut data = Vec::new();
    let mut nodes = vec![[None::<Result<usize, usize>>; 2]];
    for (network, code) in countries {
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
        data.extend([&[7 << 5 | 1][..], &text("country_code"), &text(code)].concat());
    }
    let mut bytes = Vec::new();
    for end in nodes.iter().flatten() {
        let leads_to = match end {
            None => nodes.len(),
            Some(Ok(node)) => *node,
            Some(Err(offset)) => nodes.len() + 16 + offset,
        };
        bytes.extend_from_slice(&u32::try_from(leads_to).unwrap().to_be_bytes()[1..]);
    }
    let about = [
        ("binary_format_major_version", vec![5 << 5 | 1, 2]),
        ("binary_format_minor_version", vec![5 << 5]),
        ("build_epoch", vec![4, 2, 0x60, 0, 0, 0]),
        ("database_type", text("Test")),
        ("description", [&[7 << 5 | 1][..], &text("en"), &text("Test")].concat()),
        ("ip_version", vec![5 << 5 | 1, 4]),
        ("languages", vec![0, 4]),
        ("node_count", number(nodes.len())),
        ("record_size", vec![5 << 5 | 1, 24]),
    ];
    let mut about_it = vec![7 << 5 | u8::try_from(about.len()).unwrap()];
    about_it.extend(about.iter().flat_map(|(key, value)| [text(key), value.clone()].concat()));
    [&bytes[..], &[0; 16], &data, b"\xab\xcd\xefMaxMind.com", &about_it].concat()
}

#[test]
fn each_country_has_its_page_and_nobody_can_say_which_is_his() {
    add_page(
        &PLEDGES,
        "near.php",
        "header('Cache-Control: max-age=600'); header('Vary: X-GeoIP-Country');
         echo $_SERVER['HTTP_X_GEOIP_COUNTRY'], ' ', bin2hex(random_bytes(8));",
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("country.mmdb");
    std::fs::write(&file, database(&[(2, "DE"), (3, "GB"), (77, "FR")])).unwrap();
    let site = Site::of(&PLEDGES, &format!("country = {{ database = \"{}\" }}", file.display()), "timeout = \"5s\"");
    let get = |address: &str, lines: &str| {
        let by = if address.is_empty() { String::new() } else { format!("X-Forwarded-For: {address}\r\n") };
        let answer = site.get("/near.php", &format!("{by}{lines}"));
        assert_eq!(answer.status, 200, "{answer:?}");
        (answer.text(), cache(&answer).starts_with("hit"))
    };
    let addresses = [("2.0.0.1", "DE"), ("3.3.3.3", "GB"), ("77.1.2.3", "FR"), ("9.9.9.9", "XX")];
    let pages = addresses.map(|(address, country)| {
        let (page, is_hit) = get(address, "");
        assert!(page.starts_with(&format!("{country} ")) && !is_hit, "{address}: {page}");
        (address, page)
    });
    for lies in [
        "",
        "X-GeoIP-Country: FR\r\n",
        "x-geoip-country: DE\r\nX-GeoIP-COUNTRY: GB\r\n",
        "Connection: X-GeoIP-Country\r\n",
    ] {
        for (address, page) in &pages {
            assert_eq!(get(address, lies), (page.clone(), true), "{address} {lies}");
        }
        // Whose address is not known.
        assert_eq!(get("", lies), (pages[3].1.clone(), true), "{lies}");
    }
    // Of several, the last that is no proxy's: what stands before it is what the client itself has said.
    assert_eq!(get("3.3.3.3, 2.0.0.1", ""), (pages[0].1.clone(), true));
    site.stop();
}
