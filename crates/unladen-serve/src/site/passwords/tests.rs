use base64::Engine as _;

use super::*;

/// Of `secret`, as cheap as may be; made once with the same crates, so that no test waits for it.
fn file() -> tempfile::NamedTempFile {
    let mut text = String::new();
    for (name, password) in [("ann", "secret"), ("bob", "")] {
        text += &format!("{name}:{}\n", bcrypt::hash(password, 4).unwrap());
    }
    let argon = {
        use argon2::password_hash::SaltString;
        use argon2::{Algorithm, Params, PasswordHasher, Version};
        let salt = SaltString::from_b64("c29tZXNhbHRzb21l").unwrap();
        let cheap = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8, 1, 1, None).unwrap());
        cheap.hash_password("pass:wörd".as_bytes(), &salt).unwrap().to_string()
    };
    text += &format!("eve:{argon}\n");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

fn basic(pair: &str) -> Vec<u8> {
    format!("Basic {}", STANDARD.encode(pair)).into_bytes()
}

async fn tried(passwords: &Arc<Passwords>, field: &[u8]) -> Tried {
    passwords.try_field(Some(field)).await
}

#[tokio::test(flavor = "current_thread")]
async fn right_names_and_passwords_get_in() {
    let file = file();
    let passwords = Arc::new(Passwords::read(file.path()).unwrap());
    for pair in ["ann:secret", "bob:", "eve:pass:wörd"] {
        assert_eq!(tried(&passwords, &basic(pair)).await, Tried::Right, "{pair}");
        // Once more, by what is known.
        assert_eq!(tried(&passwords, &basic(pair)).await, Tried::Right, "{pair}");
    }
    for pair in ["ann:Secret", "ann:", "Ann:secret", "nobody:secret", "eve:pass", "bob:x", ":", "ann"] {
        assert_eq!(tried(&passwords, &basic(pair)).await, Tried::Wrong, "{pair}");
    }
    for field in [&b""[..], b"Basic", b"Basic !!!!", b"Bearer YW5uOnNlY3JldA==", b"basic"] {
        assert_eq!(tried(&passwords, field).await, Tried::Wrong, "{}", String::from_utf8_lossy(field));
    }
    assert_eq!(passwords.try_field(None).await, Tried::Wrong);
    assert_eq!(tried(&passwords, &[b"Basic ".to_vec(), vec![b'A'; 10_000]].concat()).await, Tried::Wrong);
}

/// Who got in by an old password does not with a new one, though it is remembered.
#[tokio::test(flavor = "current_thread")]
async fn another_hash_is_another_password() {
    let file = file();
    let before = Arc::new(Passwords::read(file.path()).unwrap());
    assert_eq!(tried(&before, &basic("ann:secret")).await, Tried::Right);
    std::fs::write(file.path(), format!("ann:{}\n", bcrypt::hash("other", 4).unwrap())).unwrap();
    let after = Arc::new(Passwords::read(file.path()).unwrap());
    assert_eq!(tried(&after, &basic("ann:secret")).await, Tried::Wrong);
    assert_eq!(tried(&after, &basic("ann:other")).await, Tried::Right);
    assert!(!format!("{after:?}").contains("$2"));
}

#[test]
fn files_that_cannot_be_used_are_told() {
    assert!(Passwords::read(Path::new("/nowhere")).unwrap_err().to_string().contains("/nowhere"));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "ann:secret\n").unwrap();
    assert!(Passwords::read(file.path()).unwrap_err().to_string().contains("line 1"));
}
