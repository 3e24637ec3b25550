use super::*;

/// What several hosts had led nowhere, and nobody was told.
#[test]
fn an_address_that_several_hosts_claim_is_told_with_their_names() {
    let host = |name: &str, ips: &[&str]| (name.to_owned(), ips.iter().map(|ip| ip.parse().unwrap()).collect());
    let claims = Claims { hosts: vec![host("db", &["10.0.0.2", "172.17.0.1"]), host("evil", &["172.17.0.1"])] };
    let whose = |ip: &str| claims.host_at(ip.parse().unwrap());
    assert_eq!(whose("::ffff:10.0.0.2"), Claim::Of("db".into()));
    assert_eq!(whose("172.17.0.1"), Claim::Several(vec!["db".into(), "evil".into()]));
    assert_eq!(whose("10.0.0.9"), Claim::Nobody);
}
