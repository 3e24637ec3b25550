use super::*;

#[test]
fn an_instance_is_a_uuid_of_version_4() {
    for _ in 0..100 {
        let id = instance();
        let shape: String = id.chars().map(|c| if c.is_ascii_hexdigit() { 'x' } else { c }).collect();
        assert_eq!(shape, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
        assert!(&id[14..15] == "4" && "89ab".contains(&id[19..20]), "{id}");
    }
    assert_ne!(instance(), instance());
}

#[test]
fn what_is_not_known_is_not_told() {
    let to = |environment: Option<&str>, zone: Option<&str>| Destination {
        target: "http://127.0.0.1:4318".parse().unwrap(),
        every: std::time::Duration::from_secs(60),
        service: "shop".to_owned(),
        environment: environment.map(str::to_owned),
        zone: zone.map(str::to_owned),
    };
    let of = |to: &Destination, node| -> Vec<(String, String)> {
        let resource = resource(to, "7", node);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let all = resource["attributes"].as_array().unwrap().iter();
        all.filter_map(|one| Some((text(&one["key"])?, text(&one["value"]["stringValue"])?))).collect()
    };
    let all = of(&to(Some("production"), Some("eu-1a")), Some("web-1.5f3a"));
    for (key, value) in [
        ("service.name", "shop"),
        ("service.instance.id", "7"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("deployment.environment.name", "production"),
        ("cloud.availability_zone", "eu-1a"),
        ("unladen.fleet.node", "web-1.5f3a"),
    ] {
        assert!(all.contains(&(key.to_owned(), value.to_owned())), "{key}: {all:?}");
    }
    assert!(all.iter().any(|(key, value)| key == "host.name" && !value.contains(char::is_whitespace)), "{all:?}");
    let least = of(&to(None, None), None);
    assert!(least.iter().all(|(key, _)| !key.starts_with("deployment") && !key.starts_with("cloud")), "{least:?}");
}
