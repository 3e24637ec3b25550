use proptest::prelude::*;

use super::*;

const BCRYPT_HASH: &str = "$2y$05$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234";
const ARGON: &str = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21l$RdescudvJCsgt3ub+b27nA";

#[test]
fn lines_are_names_and_hashes() {
    let text = format!("# who may\nann:{BCRYPT_HASH}\r\n\nbob:{ARGON}:a note\n");
    let users = Users::parse(text.as_bytes()).unwrap();
    assert_eq!(users.find("ann"), Some(BCRYPT_HASH));
    assert_eq!(users.find("bob"), Some(ARGON));
    assert_eq!(users.find("Ann"), None);
    assert!(!format!("{users:?}").contains("$2y$"));
}

#[test]
fn what_cannot_be_tried_is_told_with_its_line() {
    let cases = [
        ("ann", 1),
        (":$2y$05$x", 1),
        ("\nann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", 2),
        ("ann:$apr1$abc$def", 1),
        ("ann:secret", 1),
        ("ann:$2y$31$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234", 1),
        ("ann:$2y$05$short", 1),
        ("ann:$argon2id$v=19$m=99999999,t=3,p=4$c29tZXNhbHRzb21l$RdescudvJCsgt3ub+b27nA", 1),
        ("ann:$argon2i$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21l$RdescudvJCsgt3ub+b27nA", 1),
    ];
    for (text, line) in cases {
        assert_eq!(Users::parse(text.as_bytes()).unwrap_err().line, line, "{text}");
    }
    let twice = format!("ann:{BCRYPT_HASH}\nann:{BCRYPT_HASH}\n");
    assert_eq!(Users::parse(twice.as_bytes()).unwrap_err().line, 2);
    assert!(Users::parse(b"\xff:x").is_err());
}

/// Found by fuzzing: these were taken, and nobody ever got in by them.
#[test]
fn a_hash_that_no_password_has_is_told() {
    let cases = [
        BCRYPT_HASH.replacen('$', "x$", 1),
        BCRYPT_HASH.replacen("$05$", "$5$", 1),
        BCRYPT_HASH.replacen("$05$", "$+5$", 1),
        BCRYPT_HASH.replacen("$05$", "$005$", 1),
        ARGON.replacen('$', "x$", 1),
        ARGON.replacen("m=65536", "m=+65536", 1),
        ARGON.replacen("m=65536", "m=065536", 1),
        // At least eight blocks for each lane (RFC 9106, section 3.1).
        ARGON.replacen("m=65536", "m=31", 1),
    ];
    for hash in cases {
        let text = format!("ann:{hash}");
        assert_eq!(Users::parse(text.as_bytes()).map(|_| ()).map_err(|error| error.line), Err(1), "{text}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(users) = Users::parse(&bytes) {
            for (name, hash) in &users.entries {
                prop_assert!(check(hash).is_ok() && !name.is_empty());
            }
        }
    }
}
