use proptest::prelude::*;
use serde_json::json;

use super::*;

fn parsed(text: &str) -> Vec<Found> {
    parse(text.as_bytes()).unwrap()
}

/// Where and why.
fn wrong(text: &str) -> (usize, usize, String) {
    let error = parse(text.as_bytes()).unwrap_err();
    (error.line(), error.column(), why(&error))
}

#[test]
fn all_that_can_be_said_of_an_endpoint() {
    let text = r#"{"endpoints": [
        {"address": "10.0.0.7:8080"},
        {"address": "[fd00::7]:8080", "weight": 3, "priority": 1, "zone": "a", "draining": true},
        {"address": "unix:/run/app.sock", "zone": "b"}
    ]}"#;
    let tcp = |address: &str| Address::Tcp(vec![address.parse().unwrap()]);
    let expected = [
        Found::new(tcp("10.0.0.7:8080")),
        Found {
            weight: 3,
            priority: 1,
            zone: Some("a".to_owned()),
            draining: true,
            ..Found::new(tcp("[fd00::7]:8080"))
        },
        Found { zone: Some("b".to_owned()), ..Found::new(Address::Unix("/run/app.sock".into())) },
    ];
    assert_eq!(parsed(text), expected);
    assert_eq!(parsed(r#"{"endpoints": []}"#), []);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, line, words) in [
        ("", 1, "EOF"),
        ("[]", 1, "an object {\"endpoints\": [...]}"),
        ("{}", 1, "missing field `endpoints`"),
        ("{\"endpoints\": {}}", 1, "a list of endpoints"),
        ("{\"endpoints\": [],\n\"version\": 1}", 2, "unknown field `version`"),
        ("{\"endpoints\": [\n\n{}]}", 3, "missing field `address`"),
        ("{\"endpoints\": [\n\"10.0.0.7:80\"]}", 2, "an object such as {\"address\""),
        ("{\"endpoints\": [\n{\"address\": \"app.example:80\"}]}", 2, "an address with a port"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7\"}]}", 2, "an address with a port"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7:0\"}]}", 2, "an address with a port"),
        ("{\"endpoints\": [\n{\"address\": \"0.0.0.0:80\"}]}", 2, "an address with a port"),
        ("{\"endpoints\": [\n{\"address\": \"unix:run/app.sock\"}]}", 2, "an address with a port"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7:80\", \"weight\": 0}]}", 2, "\"draining\": true"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7:80\", \"weight\": 1001}]}", 2, "expected 1 to 1000"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7:80\", \"weight\": 1.5}]}", 2, "floating point `1.5`"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7:80\", \"priority\": 128}]}", 2, "0 (the first) to 127"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7:80\", \"zone\": \"\"}]}", 2, "the zone must be a name"),
        ("{\"endpoints\": [\n{\"address\": \"10.0.0.7:80\", \"drain\": true}]}", 2, "unknown field `drain`"),
        // A key that was quoted as it stood began lines of its own, and moved the cursor of a terminal.
        ("{\"end\\n\\u001b[2Jpoints\": []}", 1, "unknown field `end  [2Jpoints`"),
        (
            "{\"endpoints\": [\n{\"address\": \"10.0.0.7:80\"},\n{\"address\": \"10.0.0.7:80\"}\n]}",
            // Where the list goes on behind it.
            4,
            "endpoint 2 repeats the address 10.0.0.7:80",
        ),
    ] {
        let (at, column, why) = wrong(text);
        assert!(why.contains(words) && !why.contains(" at line "), "{text}: {why}");
        assert_eq!(at, line, "{text}: {why}");
        assert!(column > 0 || text.is_empty(), "{text}: {why}");
    }
}

#[test]
fn a_list_is_bounded() {
    let of = |count: usize| {
        let endpoints: Vec<_> =
            (0..count).map(|n| json!({ "address": format!("10.0.{}.{}:80", n / 256, n % 256) })).collect();
        json!({ "endpoints": endpoints }).to_string()
    };
    assert_eq!(parsed(&of(MOST)).len(), MOST);
    assert!(wrong(&of(MOST + 1)).2.contains("more than 1000 endpoints"));
}

proptest! {
    #[test]
    fn whatever_is_written_there_is_read_or_refused_at_a_place(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = parse(&bytes) {
            prop_assert!(error.line() <= 1 + bytes.iter().filter(|byte| **byte == b'\n').count());
        }
    }

    #[test]
    fn what_is_listed_is_read(
        all in prop::collection::btree_map(
            any::<u16>().prop_filter("a port", |port| *port > 0),
            (1..=1000_u32, 0..=127_u32, prop::option::of("[a-z]{1,8}"), any::<bool>()),
            0..20,
        )
    ) {
        let endpoints: Vec<_> = all
            .iter()
            .map(|(port, (weight, priority, zone, draining))| {
                let mut one = json!({
                    "address": format!("10.0.0.1:{port}"), "weight": weight, "priority": priority, "draining": draining,
                });
                if let Some(zone) = zone {
                    one["zone"] = zone.as_str().into();
                }
                one
            })
            .collect();
        let found = parsed(&json!({ "endpoints": endpoints }).to_string());
        let expected: Vec<_> = all
            .into_iter()
            .map(|(port, (weight, priority, zone, draining))| Found {
                address: Address::Tcp(vec![([10, 0, 0, 1], port).into()]), weight, priority, zone, draining,
            })
            .collect();
        prop_assert_eq!(found, expected);
    }
}
