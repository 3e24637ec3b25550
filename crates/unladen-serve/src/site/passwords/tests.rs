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
    passwords.try_field(Some(field), None).await
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
    assert_eq!(passwords.try_field(None, None).await, Tried::Wrong);
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

/// One client with many wrong passwords at once locked everybody else out of the page.
#[tokio::test(flavor = "current_thread")]
async fn one_client_locked_all_others_out_of_a_page_behind_passwords() {
    let file = file();
    let passwords = Arc::new(Passwords::read(file.path()).unwrap());
    let of_one: Vec<_> = (0..100).map(|_| PLACES.take("192.0.2.1".parse().ok())).collect();
    assert_eq!(of_one.iter().filter(|place| place.is_ok()).count(), MOST_OF_CLIENT);
    let from = |address: &str| {
        let (passwords, address) = (passwords.clone(), address.parse().ok());
        async move { passwords.try_field(Some(&basic("ann:secret")), address).await }
    };
    assert_eq!(from("192.0.2.1").await, Tried::TooMany);
    assert_eq!(from("192.0.2.2").await, Tried::Right);
    // It is known now, so that nothing is tried.
    assert_eq!(from("192.0.2.1").await, Tried::Right);
    drop(of_one);
    assert!(passwords.trials.is_empty());
}

/// A page with many images is not refused where its client is no longer known: the same password is tried once.
#[tokio::test(flavor = "current_thread")]
async fn those_who_say_the_same_wait_for_one_trial() {
    let file = file();
    let passwords = Arc::new(Passwords::read(file.path()).unwrap());
    for (pair, expected) in [("eve:pass:wörd", Tried::Right), ("ann:wrong", Tried::Wrong), ("nobody:x", Tried::Wrong)]
    {
        let asked = (0..50).map(|_| {
            let passwords = passwords.clone();
            tokio::spawn(async move { passwords.try_field(Some(&basic(pair)), "192.0.2.3".parse().ok()).await })
        });
        for tried in asked.collect::<Vec<_>>() {
            assert_eq!(tried.await.unwrap(), expected, "{pair}");
        }
    }
    // Whoever tries and leaves before its turn leaves nobody waiting.
    let mark = passwords.mark("ann", b"secret", passwords.users.find("ann").unwrap());
    let Joined::First(first) = passwords.trials.join(mark) else { panic!("nobody tries it") };
    let after = {
        let passwords = passwords.clone();
        tokio::spawn(async move { passwords.try_field(Some(&basic("ann:secret")), None).await })
    };
    tokio::task::yield_now().await;
    drop(first);
    assert_eq!(after.await.unwrap(), Tried::Right);
    assert!(passwords.trials.is_empty());
}

/// All unknown names took as long as the first one of the file, which told those that are known by their time.
#[test]
fn names_could_be_told_by_time_where_hashes_differ_in_cost() {
    let file = file();
    let passwords = Passwords::read(file.path()).unwrap();
    let again = Passwords::read(file.path()).unwrap();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let names: Vec<String> = (0..3000).map(|at| format!("nobody{at}")).collect();
    for name in &names {
        let hash = passwords.stand_in(name).unwrap();
        assert_eq!(again.stand_in(name), Some(hash), "a restart does not tell {name} from others");
        *counts.entry(hash).or_default() += 1;
    }
    assert_eq!(counts.len(), 3);
    assert!(counts.values().all(|count| (800..1200).contains(count)), "{:?}", counts.values());
    std::fs::write(file.path(), "").unwrap();
    assert_eq!(Passwords::read(file.path()).unwrap().stand_in("nobody"), None);
}

/// One client had all places, and everybody else was refused.
#[test]
fn one_client_locked_all_others_out() {
    let places = Places::default();
    let at = |address: &str| Some(address.parse().unwrap());
    let of_one: Vec<_> = (0..MOST_OF_CLIENT).map(|_| places.take(at("192.0.2.1")).unwrap()).collect();
    assert_eq!(places.take(at("192.0.2.1")).unwrap_err(), Full::OfClient);
    assert_eq!(places.take(at("::ffff:192.0.2.1")).unwrap_err(), Full::OfClient);
    // Of IPv6 a client has a /64.
    let of_network: Vec<_> =
        (0..MOST_OF_CLIENT).map(|at| places.take(format!("2001:db8::{at}").parse().ok()).unwrap()).collect();
    assert_eq!(places.take(at("2001:db8::ffff")).unwrap_err(), Full::OfClient);
    let another = places.take(at("2001:db8:0:1::1")).unwrap();
    // By a Unix socket all come from nowhere: they are bounded together with the others.
    let rest: Vec<_> = std::iter::from_fn(|| places.take(None).ok()).collect();
    assert_eq!(of_one.len() + of_network.len() + 1 + rest.len(), MOST_WAITING);
    assert_eq!(places.take(at("192.0.2.2")).unwrap_err(), Full::OfAll);
    drop((of_one, of_network, another, rest));
    let waiting = lock(&places.0);
    assert_eq!((waiting.all, waiting.clients.len()), (0, 0));
}
