use super::*;

#[test]
fn each_field_has_a_place_of_its_own() {
    assert_eq!(LogFields::EVERY.iter().count(), LogField::WORDS.len());
    for (place, (name, field)) in LogField::WORDS.into_iter().enumerate() {
        assert_eq!((field as usize, field.as_str()), (place, name));
        let one = LogFields::from_iter([field]);
        assert_eq!(one.iter().collect::<Vec<_>>(), [field]);
        assert_eq!(LogFields::from_bits(one.to_bits()), one);
    }
    assert!(LogFields::from_iter([]).iter().next().is_none());
}

#[test]
fn an_address_that_is_truncated_is_its_networks() {
    for (address, truncated) in [
        ("203.0.113.77", "203.0.113.0"),
        ("::ffff:203.0.113.77", "203.0.113.0"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
        ("::1", "::"),
    ] {
        let address: IpAddr = address.parse().unwrap();
        assert_eq!(Addresses::Truncated.of(address), Some(truncated.parse().unwrap()), "{address}");
        assert_eq!(Addresses::Full.of(address), Some(address.to_canonical()));
        assert_eq!(Addresses::None.of(address), None);
    }
}

/// The docs have a row for each field, and none besides.
#[test]
fn every_field_of_the_log_is_documented() {
    let docs =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/observability.md")).unwrap();
    let rows = docs.split("## The access log").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let documented: Vec<&str> = rows
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(" | ").next())
        .flat_map(|names| names.split("`").filter(|name| !name.is_empty() && !name.contains(", ")))
        .filter(|name| *name != "cut")
        .collect();
    let mut known: Vec<&str> = LogField::WORDS.into_iter().map(|(name, _)| name).collect();
    let mut documented: Vec<&str> = documented.into_iter().map(str::trim).collect();
    known.sort_unstable();
    documented.sort_unstable();
    assert_eq!(documented, known);
}
