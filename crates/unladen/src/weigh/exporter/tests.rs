use super::*;

/// Rows of both would have been called alike.
#[test]
fn an_exporter_with_the_name_of_a_host_is_refused() {
    let named = |name: &str| format!("{name}=http://h:1/metrics").parse::<Exporter>().unwrap();
    assert!(check(&[named("db"), named("web")], ["cache"]).is_ok());
    for (exporters, hosts) in [(vec![named("db")], vec!["db"]), (vec![named("db"), named("db")], vec![])] {
        let said = check(&exporters, hosts).unwrap_err().to_string();
        assert!(said.contains("the name db is used twice"), "{said}");
    }
}
