//! Tests of [`Effects`].

use proptest::prelude::*;

use super::*;

fn effects(added: &[&str], taken_off: &[&str]) -> Effects {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    Effects::new(&texts(added), &texts(taken_off))
}

#[test]
fn what_does_something_is_known_by_its_path() {
    let usual = effects(&[], &[]);
    for target in [
        "/wp-cron.php?doing_wp_cron=1",
        "/wp-admin/admin-ajax.php",
        "/wp-admin/",
        "/blog/wp-login.php",
        "/xmlrpc.php",
        "/XMLRPC.PHP",
        "/lib/exe/indexer.php",
        "/cron",
        "/user/logout?token=1",
        "/user/logout;jsessionid=1?token=1",
    ] {
        assert!(usual.of(target.as_bytes()).is_some(), "{target}");
    }
    for target in [
        "/",
        "/index.php",
        "/INDEX.php",
        "/index.php/page",
        "/a.php5",
        "/.php",
        "/news/cronjobs",
        "/a?b=/wp-cron.php",
        "/%",
        "/%2",
        "/%zz",
    ] {
        assert_eq!(usual.of(target.as_bytes()), None, "{target}");
    }
}

/// Servers decode paths before they look for the program.
#[test]
fn what_does_something_is_known_however_it_is_spelled() {
    let usual = effects(&[], &[]);
    for target in ["/wp-cr%6fn%2ephp", "/%77p-admin/", "/blog%2Fwp-cron.php", "/a%2flogout"] {
        assert!(usual.of(target.as_bytes()).is_some(), "{target}");
    }
}

#[test]
fn the_list_is_added_to_and_taken_from() {
    let own = effects(&["export", "do-*", "*.cgi", "/shop/cart*", "index.php"], &["admin", "doku.php", "/wiki/*"]);
    for (target, by) in [
        ("/a/export", "export"),
        ("/do-it/now", "do-*"),
        ("/cgi-bin/count.CGI?a", "*.cgi"),
        ("/shop/cart", "/shop/cart*"),
        ("/Shop/cart/empty", "/shop/cart*"),
        ("/index.php", "index.php"),
        ("/wiki/export", "export"),
        ("/wp-cron.php", "*.php"),
        ("/doku.php/login", "login"),
    ] {
        assert_eq!(own.of(target.as_bytes()), Some(by), "{target}");
    }
    for target in
        ["/a/exports", "/shop/carrots", "/admin", "/Admin/", "/doku.php/start", "/wiki/Login", "/wiki/a.php", "/b/shop"]
    {
        assert_eq!(own.of(target.as_bytes()), None, "{target}");
    }
}

/// `no_effects` with a pattern of the usual list takes off all that it stands for.
#[test]
fn a_usual_pattern_can_be_taken_off_whole() {
    let own = effects(&["wp-cron.php"], &["*.php", "wp-admin"]);
    assert_eq!(own.of(b"/wp-admin/post.php"), None);
    assert_eq!(own.of(b"/wp-cron.php"), Some("wp-cron.php"));
    assert_eq!(own.of(b"/logout"), Some("logout"));
}

proptest! {
    #[test]
    fn any_target_is_looked_at(target in prop::collection::vec(any::<u8>(), 0..60), pattern in "[a-z/*.]{1,6}") {
        let _ = effects(&[&pattern], &[]).of(&target);
    }

    #[test]
    fn encoded_it_is_the_same(name in "[a-z./-]{0,12}(wp-cron.php|login|index.php)?", encode in prop::collection::vec(any::<bool>(), 24)) {
        let usual = effects(&[], &[]);
        let target = format!("/{name}");
        let encoded: String = target
            .bytes()
            .zip(encode.into_iter().chain(std::iter::repeat(false)))
            .map(|(byte, is_encoded)| if is_encoded { format!("%{byte:02X}") } else { char::from(byte).to_string() })
            .collect();
        prop_assert_eq!(usual.of(target.as_bytes()), usual.of(encoded.as_bytes()));
    }
}

/// A segment that is not looked at any closer cannot be one of the usual.
#[test]
fn each_of_the_usual_is_looked_at() {
    for text in USUAL {
        let segment = text.replace('*', "x");
        assert!(may_be_usual(segment.as_bytes()) && may_be_usual(segment.to_uppercase().as_bytes()), "{text}");
    }
}
