//! Tests of [`Address`].

use super::*;

#[test]
fn a_server_elsewhere_is_spoken_to_by_tls() {
    let ssl = |url: &str| Address::parse(url).unwrap().opts.ssl_opts().cloned();
    for near in [
        "mysql://u@localhost/x",
        "mysql://u@127.0.0.1/x",
        "mysql://u@[::1]/x",
        "mysql://u@h/x?socket=/s",
        "mysql://u@h/x?require_ssl=false",
    ] {
        assert!(ssl(near).is_none(), "{near}");
    }
    for far in ["mysql://u@db.example/x", "mariadb://u@10.0.0.1/x", "mysql://u@db.example/x?verify_ca=true"] {
        let ssl = ssl(far).unwrap();
        assert!(!ssl.accept_invalid_certs() && !ssl.skip_domain_validation(), "{far}");
        // Whom the system trusts, and not the list that a library brought.
        assert!(ssl.disable_built_in_roots() && ssl.root_certs().len() > 10, "{far}: {}", ssl.root_certs().len());
    }
    assert!(ssl("mysql://u@db.example/x?verify_identity=false").unwrap().skip_domain_validation());
}

#[test]
fn authorities_of_a_file_are_the_only_ones() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, rcgen::generate_simple_self_signed(vec!["db.example".to_owned()]).unwrap().cert.pem())
        .unwrap();
    let address = Address::parse(&format!("mysql://u:hush@localhost/x?ssl_ca={}", file.display())).unwrap();
    let ssl = address.opts.ssl_opts().unwrap();
    assert!(ssl.disable_built_in_roots() && ssl.root_certs().len() == 1);
    assert_eq!((&*address.shown, address.opts.pass()), ("localhost:3306", Some("hush")));
}
