//! Tests of [`PostgresAddress`].

use super::*;

#[test]
fn a_server_elsewhere_is_spoken_to_by_tls() {
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("ca.pem");
    std::fs::write(&roots, rcgen::generate_simple_self_signed(vec!["db.example".to_owned()]).unwrap().cert.pem())
        .unwrap();
    let mode = |url: &str| {
        let address = PostgresAddress::parse(&url.replace("ROOTS", roots.to_str().unwrap())).unwrap();
        assert_eq!(address.tls.is_some(), address.config.get_ssl_mode() != SslMode::Disable, "{url}");
        address.config.get_ssl_mode()
    };
    for near in [
        "u@localhost/x",
        "u@127.0.0.1/x",
        "u@[::1]/x",
        "u@/x?host=/run/postgresql",
        "u@%2Frun%2Fpostgresql/x",
        "u@db.example/x?sslmode=disable",
    ] {
        assert_eq!(mode(&format!("postgres://{near}")), SslMode::Disable, "{near}");
    }
    for far in [
        "u@db.example/x?sslrootcert=ROOTS",
        "u@10.0.0.1/x?sslrootcert=ROOTS",
        "u@localhost,db.example/x?sslrootcert=ROOTS",
    ] {
        assert_eq!(mode(&format!("postgresql://{far}")), SslMode::Require, "{far}");
    }
    assert_eq!(mode("postgres://u@db.example/x?sslmode=prefer"), SslMode::Prefer);
    assert_eq!(mode("postgres://u@localhost/x?sslmode=require&connect_timeout=3"), SslMode::Require);
}

#[test]
fn what_is_shown_has_no_password() {
    let address = PostgresAddress::parse("postgres://u:hush@h1,h2:6432/x?password=hush&sslmode=disable").unwrap();
    assert_eq!(address.shown, "h1, h2");
    assert_eq!(address.config.get_password(), Some(&b"hush"[..]));
}

/// What the user has a session begin with was not to be lost.
#[test]
fn settings_stand_behind_those_of_the_url() {
    let options = |url: &str| {
        let address = PostgresAddress::parse(url).unwrap().beginning_with("-c lock_timeout=1s");
        address.config.get_options().map(str::to_owned)
    };
    assert_eq!(options("postgres://u@localhost/x").as_deref(), Some("-c lock_timeout=1s"));
    // The last one of a name holds.
    let given = "postgres://u@localhost/x?options=-c%20lock_timeout%3D9s%20-c%20geqo%3Doff";
    assert_eq!(options(given).as_deref(), Some("-c lock_timeout=9s -c geqo=off -c lock_timeout=1s"));
    let address = PostgresAddress::parse(given).unwrap();
    let _ = address.beginning_with("-c lock_timeout=1s");
    assert_eq!(address.config.get_options(), Some("-c lock_timeout=9s -c geqo=off"), "the address stays what it was");
}

/// The first of several hosts, whose machine was off, took all the time that a connection may take.
#[test]
fn each_of_several_hosts_has_a_part_of_the_time() {
    let patience = |url: &str| PostgresAddress::parse(url).unwrap().config.get_connect_timeout().copied();
    let ms = |ms| Some(std::time::Duration::from_millis(ms));
    assert_eq!(patience("postgres://u@127.0.0.1:1,127.0.0.2:2,127.0.0.3:3/x"), ms(500));
    assert_eq!(patience("postgres://u@/x?hostaddr=127.0.0.1,127.0.0.2"), ms(750));
    assert_eq!(patience("postgres://u@127.0.0.1:1,127.0.0.2:2/x?connect_timeout=3"), ms(3000));
    assert_eq!(patience("postgres://u@127.0.0.1/x"), None);
}

#[test]
fn the_first_of_several_hosts_stands_for_all() {
    for (url, one, hosts) in [
        ("postgres://me:x@a:1,b:2/shop?c=d", "postgres://me:x@a:1/shop?c=d", Some("a:1,b:2")),
        ("postgresql://[::1]:1,b", "postgresql://[::1]:1", Some("[::1]:1,b")),
        ("postgres://me:x@/shop?host=/run", "postgres:///shop?host=/run", Some("")),
        ("postgres://me:x,y@a/shop", "postgres://me:x,y@a/shop", None),
        ("postgres:///shop?host=a,b", "postgres:///shop?host=a,b", None),
        ("valkey://a,b", "valkey://a,b", None),
        ("postgres", "postgres", None),
    ] {
        assert_eq!(with_one_host(url), (one.into(), hosts), "{url}");
    }
}
