use unladen_trace::{Ask, FileCall, FileOutcome};

use super::*;
use crate::rules::answers::tests::pages::{self, made};
use crate::rules::tests::testing::{self, PHP};

fn of(evidence: &Evidence) -> Option<Strangers> {
    strangers(evidence, evidence.response.as_ref().unwrap())
}

fn with_file(path: &str, lines: &[(&str, &str)]) -> Evidence {
    Evidence { files: vec![testing::file(PHP, FileCall::Stat, path, FileOutcome::Found, 1)], ..made(lines, Vec::new()) }
}

/// A commenter's page was kept and handed to a stranger, with the e-mail address and the comment that was held:
/// `public` was printed for everybody.
#[test]
fn public_was_printed_without_a_condition_on_cookies() {
    let wordpress = with_file("/srv/blog/wp-content/themes/a/index.php", &[]);
    let php = Evidence { php: vec![testing::php(&[])], ..made(&[], Vec::new()) };
    let nobody = Evidence { groups: Vec::new(), ..made(&[], Vec::new()) };
    for evidence in [wordpress, php, nobody] {
        let found = of(&evidence).unwrap();
        let lines: String = found.parts.iter().flat_map(|part| &part.lines).map(|line| format!("{line}\n")).collect();
        if lines.is_empty() {
            assert!(found.advice.contains("Cookie"), "{}", found.advice);
            continue;
        }
        let says = lines.lines().position(|line| line.contains("s-maxage")).unwrap();
        let condition = lines.lines().nth(says - 1).unwrap();
        assert!(condition.contains("!$is_known") && condition.contains("!$said"), "{lines}");
        assert!(lines.contains("'HTTP_COOKIE'") && lines.contains("'Vary: Cookie, Authorization', false"), "{lines}");
    }
}

/// The plugin looked for cookies alone, and said `public` of what another plugin had said `no-store` or `private` of.
#[test]
fn wordpress_overrode_what_forbids() {
    let both = [
        with_file("/srv/blog/wp-content/themes/a/index.php", &[]),
        Evidence { php: vec![testing::php(&[])], ..made(&[], Vec::new()) },
    ];
    for evidence in both {
        let lines = of(&evidence).unwrap().parts[0].lines.join("\n");
        assert!(lines.contains("Pragma:|Cache-Control:.*(private|no-store|no-cache)"), "{lines}");
    }
}

/// Shared caches answered who has a password from the stranger's copy; behind Apache PHP has it in other variables.
#[test]
fn public_was_said_to_who_has_a_password() {
    let lines = of(&with_file("/srv/blog/wp-content/themes/a/index.php", &[])).unwrap().parts[0].lines.join("\n");
    for name in ["HTTP_AUTHORIZATION", "REDIRECT_HTTP_AUTHORIZATION", "PHP_AUTH_USER", "REMOTE_USER"] {
        assert!(lines.contains(&format!("'{name}'")), "{lines}");
    }
    let nobody = of(&Evidence { groups: Vec::new(), ..made(&[], Vec::new()) }).unwrap();
    assert!(nobody.advice.contains("`Vary: Cookie, Authorization`"), "{}", nobody.advice);
}

/// `public` was printed for a page in the visitor's language without `Vary: Accept-Language`.
#[test]
fn another_language_was_shown_to_strangers() {
    let language = vec![pages::asked(Ask::Language, Some(false), &[])];
    let with = |path: &str| Evidence {
        files: vec![testing::file(PHP, FileCall::Stat, path, FileOutcome::Found, 1)],
        php: vec![testing::php(&[])],
        ..made(&[], language.clone())
    };
    for path in ["/srv/app/index.php", "/srv/blog/wp-content/themes/a/index.php"] {
        let lines = of(&with(path)).unwrap().parts[0].lines.join("\n");
        assert!(lines.contains("'Vary: Cookie, Authorization, Accept-Language', false"), "{lines}");
    }
    // Lines of its own means would not say it.
    let wiki = of(&with("/srv/wiki/LocalSettings.php")).unwrap();
    assert!(
        wiki.parts.is_empty() && wiki.advice.starts_with("first make it send `Vary: Accept-Language`"),
        "{}",
        wiki.advice
    );
    let named = made(&[("vary", "Accept-Language")], language.clone());
    assert!(
        of(&Evidence { php: vec![testing::php(&[])], ..named }).unwrap().parts[0]
            .lines
            .join("")
            .contains("'Vary: Cookie, Authorization'")
    );
}

/// A pool with `open_basedir` could not read the file that it was told to read first: every script ended with 500.
#[test]
fn a_file_was_prepended_that_may_not_be_read() {
    let bound = |to: &str| Evidence { php: vec![testing::php(&[("open_basedir", to)])], ..made(&[], Vec::new()) };
    for to in ["/srv/app:/tmp", "/etc/php/8.2/fpm/conf", "."] {
        let found = of(&bound(to)).unwrap();
        assert!(
            found.parts.is_empty() && found.advice.contains("header('Vary: Cookie, Authorization', false)"),
            "{to}"
        );
    }
    for to in ["", "no value", "/srv/app:/etc/php/"] {
        assert_eq!(of(&bound(to)).unwrap().parts.len(), 2, "{to}");
    }
    // Its settings are another pool's too.
    let mut two = bound("");
    two.php.push(unladen_trace::PhpSettings { group: PHP + 1, ..testing::php(&[("open_basedir", "/srv/b")]) });
    assert!(of(&two).unwrap().parts.is_empty());
}

#[test]
fn wordpress_says_it_by_a_plugin_that_is_always_on() {
    // Debian's content is not below its code.
    let found = of(&with_file("/var/lib/wordpress/wp-content/themes/a/index.php", &[])).unwrap();
    assert_eq!(found.parts[0].file, "/var/lib/wordpress/wp-content/mu-plugins/unladen-cache.php");
    assert!(found.commands.is_empty(), "a file that was not there is read at once");
    assert!(of(&with_file("/srv/wp-includes/x.php", &[])).unwrap().parts.is_empty(), "it is not known where");
}

/// `wp-cron.php` and `admin-ajax.php` do something when they are asked: only pages that the application knows as such,
/// or the one address that was looked at, are said to be good.
#[test]
fn what_does_something_when_it_is_asked_was_said_to_be_good_for_a_minute() {
    let wordpress = of(&with_file("/srv/wp-content/themes/a/index.php", &[])).unwrap();
    assert!(wordpress.parts[0].lines.iter().any(|line| line.contains("template_redirect")));
    let mut php = Evidence { php: vec![testing::php(&[])], ..made(&[], Vec::new()) };
    php.page.url = "http://a/pledge.php?ref=blood".into();
    let found = of(&php).unwrap();
    assert!(
        found.parts[0].lines.contains(&"if (($_SERVER['REQUEST_URI'] ?? '') === '/pledge.php?ref=blood') {".to_owned())
    );
    assert_eq!(found.parts[0].file, "/etc/php/8.2/fpm/conf.d/unladen-cache.php");
    assert_eq!(found.parts[1].file, "/etc/php/8.2/fpm/conf.d/zz-unladen.ini");
    assert_eq!(found.parts[1].lines, ["auto_prepend_file=/etc/php/8.2/fpm/conf.d/unladen-cache.php"]);
    assert_eq!(found.commands, ["systemctl reload php8.2-fpm"]);
}

#[test]
fn what_is_read_first_already_is_not_replaced() {
    let php = |settings: &[(&str, &str)]| Evidence { php: vec![testing::php(settings)], ..made(&[], Vec::new()) };
    assert!(of(&php(&[("auto_prepend_file", "/srv/first.php")])).unwrap().parts.is_empty());
    assert_eq!(of(&php(&[("auto_prepend_file", "no value")])).unwrap().parts.len(), 2);
    // A pool that sets it to nothing comes after the file with the line.
    let mut pool = php(&[("auto_prepend_file", "")]);
    let name = "auto_prepend_file".to_owned();
    pool.php[0].set_again = vec![unladen_trace::PhpSetAgain { name, ..unladen_trace::PhpSetAgain::default() }];
    assert!(of(&pool).unwrap().parts.is_empty());
}

#[test]
fn what_php_would_read_as_something_else_is_not_written_into_its_quotes() {
    for url in ["http://a/it's", r"http://a/\", "http://a/<?php", "http://a/?>", "http://a/\u{e9}"] {
        assert_eq!(target(url), None, "{url}");
    }
    assert_eq!(target("http://a"), Some("/"));
    assert_eq!(target("http://a/b?c=%27#d"), Some("/b?c=%27"));
}

/// Another pool's settings would be of no use.
#[test]
fn a_fix_named_another_pools_files() {
    let mut evidence = with_file("/srv/blog/wp-content/themes/a/index.php", &[]);
    evidence.groups.push(unladen_trace::GroupSeen {
        name: "other php-fpm8.2".into(),
        cpu: Some(testing::around(1e6, 1e3)),
        ..Default::default()
    });
    let other = evidence.groups.len() - 1;
    evidence
        .files
        .insert(0, testing::file(other, FileCall::Stat, "/srv/wiki/LocalSettings.php", FileOutcome::Found, 1));
    assert!(of(&evidence).unwrap().parts[0].file.starts_with("/srv/blog/"));
}

#[test]
fn what_is_forbidden_is_left_alone_and_mediawiki_forbids_by_default() {
    for said in ["no-store", "private", "no-cache"] {
        assert!(of(&with_file("/srv/wp-content/a.php", &[("cache-control", said)])).is_none(), "{said}");
        let wiki = of(&with_file("/srv/wiki/LocalSettings.php", &[("cache-control", said)])).unwrap();
        assert_eq!(
            (wiki.parts[0].file.as_str(), wiki.parts[0].lines[0].as_str()),
            ("/srv/wiki/LocalSettings.php", "$wgUseCdn = true;")
        );
        assert_eq!(wiki.commands, ["systemctl reload php8.2-fpm"]);
    }
}
