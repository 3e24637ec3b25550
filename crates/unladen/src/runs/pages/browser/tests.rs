use super::*;

#[test]
fn pages_are_shown_on_this_machine_alone() {
    assert_eq!("9902".parse(), Ok(Address::Tcp("127.0.0.1:9902".parse().unwrap())));
    assert_eq!("[::1]:0".parse(), Ok(Address::Tcp("[::1]:0".parse().unwrap())));
    assert_eq!("unix:/run/x.sock".parse(), Ok(Address::Unix("/run/x.sock".into())));
    for wrong in ["0.0.0.0:80", "10.0.0.1:80", "localhost", "", "unix:x", "127.0.0.1"] {
        assert!(wrong.parse::<Address>().is_err(), "{wrong}");
    }
}

#[test]
fn who_does_not_know_the_word_sees_nothing() {
    assert!(is_named("abc.localhost:9902", "abc") && is_named("ABC.localhost.", "abc"));
    for host in [
        "localhost:9902",
        "127.0.0.1:9902",
        "abd.localhost",
        "abcd.localhost",
        ".localhost",
        "",
        "abc",
        "abc.localhost.evil",
    ] {
        assert!(!is_named(host, "abc"), "{host}");
    }
    assert!(word().len() == WORD && word() != word());
}
