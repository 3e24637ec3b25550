use unladen_http1::HeadLimits;

use super::*;

fn bound(entries: &[(&str, EntryValue)]) -> SharedRate {
    let entry = |(key, value): &(&str, EntryValue)| EntrySettings { key: (*key).to_owned(), value: value.clone() };
    SharedRate {
        entries: entries.iter().map(entry).collect(),
        buckets: KeyedBuckets::new(1.0, 1, 10),
        without: Bucket::new(1.0, 1),
    }
}

fn told(bound: &SharedRate, fields: &str, client: Option<&str>) -> Option<Vec<(String, String)>> {
    let mut request = Request::default();
    let text = format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
    request.parse(text.as_bytes(), &HeadLimits { bytes: 10_000, fields: 9 }).unwrap();
    let client = client.map(|client| client.parse().unwrap());
    let descriptor = bound.descriptor(Asker { request: &request, client, thread: 0, now: Instant::now() })?;
    Some(descriptor.entries.into_iter().map(|entry| (entry.key, entry.value)).collect())
}

#[test]
fn a_descriptor_has_what_is_configured_in_its_order() {
    let bound = bound(&[
        ("generic_key", EntryValue::Fixed("login".to_owned())),
        ("remote_address", EntryValue::Client),
        ("api_key", EntryValue::Header("x-api-key".to_owned())),
        ("host", EntryValue::Header("host".to_owned())),
    ]);
    let entries = |client: &str, key: &str| {
        Some(
            [("generic_key", "login"), ("remote_address", client), ("api_key", key), ("host", "a")]
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .to_vec(),
        )
    };
    assert_eq!(told(&bound, "X-Api-Key: k\r\n", Some("192.0.2.7")), entries("192.0.2.7", "k"));
    // One customer has all addresses of a network; and one address has one spelling.
    assert_eq!(told(&bound, "X-Api-Key: k\r\n", Some("2001:db8:1:2:3::9")), entries("2001:db8:1:2::/64", "k"));
    assert_eq!(told(&bound, "X-Api-Key: k\r\n", Some("::ffff:192.0.2.7")), entries("192.0.2.7", "k"));
    let long = "k".repeat(3000);
    assert_eq!(told(&bound, &format!("X-Api-Key: {long}\r\n"), Some("192.0.2.7")), entries("192.0.2.7", &long[..1024]));
    assert_eq!(told(&bound, "", Some("192.0.2.7")), None, "the process's own bound holds");
    assert_eq!(told(&bound, "X-Api-Key: k\r\n", None), None);
}

#[test]
fn without_a_service_there_is_nobody_to_ask() {
    let (header, service, descriptor, deadline) = (None, None, Vec::new(), Duration::from_millis(20));
    let own = RateSettings { header, rate: 1.0, burst: 1, keys: 10, hits: false, service, descriptor, deadline };
    assert!(SharedRates::new(&[own]).is_none());
}
