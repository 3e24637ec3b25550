use std::time::Duration;

use super::*;

const ASKED: &str = "
[[site.validator]]
path = '/{ref}'
database = 'postgres://app@db.example/pledges'
query = 'select n, ref from pledges where ref = $1'
";
const FLEET: &str = "
[fleet]
purges = 'valkey://:secret@cache.example'
name = 'shop'
";

fn validator(text: &str) -> unladen_validator::ValidatorSettings {
    let config = parse(text).unwrap();
    assert_eq!(config.warnings, []);
    let told = config.told();
    assert!(!told.contains("secret"), "{told}");
    config.settings.site[0].validators[0].clone()
}

#[test]
fn validators_are_told_of_changes_and_share_answers_only_where_that_is_said() {
    let asked = validator(&format!("{SITE}{ASKED}"));
    assert_eq!((asked.listen, asked.shared), (None, None));
    let listen = validator(&format!("{SITE}{ASKED}listen = 'pledge_changed'\n")).listen.unwrap();
    assert_eq!((&*listen.channel, listen.heartbeat), ("pledge_changed", Duration::from_secs(1)));
    let more = "listen = 'pledge_changed'\nheartbeat = '3s'\nshared = '5ms'\n";
    let both = validator(&format!("{FLEET}{SITE}{ASKED}{more}"));
    assert_eq!(both.listen.unwrap().heartbeat, Duration::from_secs(3));
    let shared = both.shared.unwrap();
    assert_eq!((shared.within, &*shared.fleet, &*shared.site), (Duration::from_millis(5), "shop", "site"));
    assert!(!format!("{shared:?}").contains("secret"), "{shared:?}");
}

#[test]
fn what_cannot_be_told_or_shared_is_refused_with_what_to_do() {
    let head = "[[site.validator]]\npath = '/'\nhead = true\n";
    let mysql = ASKED.replace("postgres", "mysql").replace("$1", "?");
    for (text, said) in [
        (format!("{SITE}{head}listen = 'a'\n"), "needs a PostgreSQL `database`"),
        (format!("{SITE}{mysql}listen = 'a'\n"), "needs a PostgreSQL `database`"),
        (format!("{SITE}{ASKED}listen = 'Pledge Changed'\n"), "small letters, digits and `_`"),
        (format!("{SITE}{ASKED}listen = 'a'\nheartbeat = '1ms'\n"), "heartbeat"),
        (format!("{SITE}{ASKED}shared = '5ms'\n"), "needs Valkey or Redis"),
        (format!("{}{SITE}{ASKED}shared = '5ms'\n", FLEET.replace("valkey", "nats")), "needs Valkey or Redis"),
        (format!("{FLEET}{SITE}{head}shared = '5ms'\n"), "needs a `database` that all nodes ask"),
        (format!("{FLEET}{SITE}{ASKED}shared = '1h'\n"), "shared"),
    ] {
        let error = parse(&text).expect_err(&text).to_string();
        assert!(error.contains(said), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    assert!(parse(&format!("{FLEET}{SITE}{mysql}shared = '5ms'\n")).is_ok());
    let warnings = parse(&format!("{SITE}{ASKED}heartbeat = '2s'\n")).unwrap().warnings;
    assert!(warnings.len() == 1 && warnings[0].message.contains("no effect"), "{warnings:?}");
}
