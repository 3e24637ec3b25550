use std::sync::Mutex;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};

use super::*;
use crate::schedule::Schedule;
use crate::tests::fake::{Fake, answer};
use crate::wanted::{Authority, ChallengeKind};

const QUICK: Pace = Pace {
    look: Duration::from_millis(20),
    answers: Duration::from_millis(20),
    settle: Duration::from_millis(30),
    elsewhere: Duration::from_millis(20),
};

/// Nobody is there.
const NOBODY: &str = "https://localhost:1/dir";

struct Trial {
    state: tempfile::TempDir,
    told: Arc<Mutex<Vec<String>>>,
    wanted: Wanted,
}

impl Trial {
    fn new(names: &[&str]) -> Self {
        let state = tempfile::tempdir().unwrap();
        let authority =
            Authority { directory: NOBODY.into(), email: None, ca: None, eab: None, state: state.path().into() };
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let wanted = Wanted::new(authority, names, vec![ChallengeKind::Http01]).unwrap();
        Self { state, told: Arc::default(), wanted }
    }

    fn folder(&self) -> Folder {
        Folder::new(self.state.path(), NOBODY)
    }

    fn keeper(&self) -> Keeper {
        let told = self.told.clone();
        Keeper::new(Arc::default(), QUICK, move |event| told.lock().unwrap().push(event.to_string()))
    }

    fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }

    async fn until(&self, what: &str, mut is: impl FnMut() -> bool) {
        for _ in 0..1000 {
            if is() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{what}: {:?}", self.told());
    }

    fn keep(&self, names: &[&str], days: i64) {
        let day = 24 * 3600;
        let end = if days < 0 { now() - 20 * day } else { now() + days.unsigned_abs() * day };
        self.keep_valid(names, now() - 30 * day, end);
    }

    fn keep_valid(&self, names: &[&str], not_before: u64, not_after: u64) {
        let mut params =
            CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
        let time = |seconds| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds);
        (params.not_before, params.not_after) = (time(not_before), time(not_after));
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().unwrap();
        let pem = format!("{}{}", key.serialize_pem(), params.self_signed(&key).unwrap().pem());
        self.folder().make().unwrap();
        self.folder().keep_issued(names[0], &pem).unwrap();
    }
}

#[tokio::test]
async fn a_certificate_on_disk_is_in_force_at_once_and_not_ordered_again() {
    let trial = Trial::new(&["example.org"]);
    trial.keep(&["example.org"], 36_000);
    let held = Held::new(&trial.wanted);
    assert!(held.key_for("example.org").is_some() && held.key_for("other.org").is_none());
    let mut keeper = trial.keeper();
    keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
    trial.until("the next step is known", || held.look().next.is_some()).await;
    assert_eq!(trial.told(), Vec::<String>::new());
    assert!(held.look().not_after.is_some());
}

#[tokio::test]
async fn a_failure_is_remembered_over_a_restart() {
    let trial = Trial::new(&["example.org"]);
    let held = Held::new(&trial.wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
    trial.until("the order fails", || held.look().failures == 1).await;
    drop(keeper);
    let told = trial.told();
    assert!(told[0].starts_with("ordering a certificate for example.org from https://localhost:1/dir: there is none"));
    assert!(told[1].starts_with("no new certificate for example.org (next order: "), "{told:?}");
    assert!(told[1].contains("Z; handshakes for it are refused): the authority cannot be reached"), "{told:?}");
    assert_eq!(told.len(), 2);
    // Another process, a moment later.
    let held = Held::new(&trial.wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
    trial.until("it waits", || held.look().next.is_some()).await;
    let next = held.look().next.unwrap();
    assert!((30..=90).contains(&(next - now())), "{}", next - now());
    let told = trial.told();
    assert!(told[2].starts_with("the last order of a certificate for example.org failed: "), "{told:?}");
    assert!(told[2].contains("example.org.json` to order at once"), "{told:?}");
    // Which is so.
    std::fs::remove_file(trial.folder().json("example.org")).unwrap();
    trial
        .until("it is ordered at once", || trial.told().iter().filter(|one| one.starts_with("ordering")).count() == 2)
        .await;
}

#[tokio::test]
async fn one_that_expired_and_one_for_other_names_go_on_while_another_is_ordered() {
    for (names, days, why) in [
        (&["example.org", "www.example.org"][..], -20, "has expired"),
        (&["example.org"][..], 36_000, "is not for all names"),
    ] {
        let trial = Trial::new(&["example.org", "www.example.org"]);
        trial.keep(names, days);
        let held = Held::new(&trial.wanted);
        let mut keeper = trial.keeper();
        keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
        trial.until("the order fails", || held.look().failures == 1).await;
        assert!(trial.told()[0].contains(why), "{:?}", trial.told());
        assert!(trial.told()[1].contains("the previous one, which expires "), "{:?}", trial.told());
        assert!(held.key_for("example.org").is_some());
        assert_eq!(held.key_for("www.example.org").is_some(), names.len() == 2);
    }
}

#[tokio::test]
async fn a_torn_state_is_told_once_and_replaced() {
    let trial = Trial::new(&["example.org"]);
    trial.folder().make().unwrap();
    std::fs::write(trial.folder().pem("example.org"), "-----BEGIN").unwrap();
    std::fs::write(trial.folder().json("example.org"), "{\"failures\": ").unwrap();
    std::fs::write(trial.folder().account_path(), "{}").unwrap();
    let held = Held::new(&trial.wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
    trial.until("the order fails", || held.look().failures == 1).await;
    let told = trial.told();
    let spoiled = told.iter().filter(|one| one.contains("cannot be used and will be replaced")).count();
    assert_eq!(spoiled, 3, "{told:?}");
    assert_eq!(trial.folder().schedule("example.org", now()).unwrap().unwrap().failures, 1);
}

#[tokio::test]
async fn of_two_processes_one_orders_and_the_other_takes_what_comes() {
    let trial = Trial::new(&["example.org"]);
    trial.folder().make().unwrap();
    let lock = trial.folder().lock("example.org").unwrap().unwrap();
    let held = Held::new(&trial.wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
    trial.until("it waits", || !trial.told().is_empty()).await;
    assert_eq!(trial.told(), ["another process orders the certificate for example.org: waiting for it"]);
    trial.keep(&["example.org"], 36_000);
    drop(lock);
    trial.until("it is in force", || held.key().is_some()).await;
    trial.until("it waits", || held.look().next.is_some()).await;
    assert!(!trial.told().iter().any(|one| one.starts_with("ordering")), "{:?}", trial.told());
}

#[tokio::test]
async fn an_order_that_is_given_up_is_no_failure_and_leaves_nothing() {
    let trial = Trial::new(&["example.org"]);
    // A connection that says nothing: the order is under way for as long.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let directory = format!("https://localhost:{}/dir", silent.local_addr().unwrap().port());
    let authority = Authority { directory: directory.clone(), ..trial.wanted.authority().clone() };
    let wanted = Wanted::new(authority, trial.wanted.names().to_vec(), vec![ChallengeKind::Http01]).unwrap();
    let held = Held::new(&wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(wanted, held.clone())]);
    trial.until("it orders", || held.look().is_ordering).await;
    keeper.follow(Vec::new());
    trial.until("it does not", || !held.look().is_ordering).await;
    let folder = Folder::new(trial.state.path(), &directory);
    trial.until("the lock is free", || folder.lock("example.org").unwrap().is_some()).await;
    let Schedule { failures, not_until, .. } = folder.schedule("example.org", now()).unwrap().unwrap();
    assert_eq!(failures, 0);
    assert!((1..=10).contains(&not_until.saturating_sub(now())), "{not_until}");
}

#[tokio::test]
async fn without_a_place_for_the_state_nothing_is_ordered() {
    let trial = Trial::new(&["example.org"]);
    let authority = Authority { state: "/proc/nowhere".into(), ..trial.wanted.authority().clone() };
    let wanted = Wanted::new(authority, trial.wanted.names().to_vec(), vec![ChallengeKind::Http01]).unwrap();
    let held = Held::new(&wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(wanted, held.clone())]);
    trial.until("it is told", || !trial.told().is_empty()).await;
    let told = trial.told();
    assert!(told[0].starts_with("cannot order a certificate for example.org: cannot create the folder"), "{told:?}");
    assert!(held.look().error.is_some());
}

#[tokio::test]
async fn an_authority_that_has_too_much_to_do_is_left_alone_for_as_long_as_it_says() {
    let problem = r#"{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many new orders"}"#;
    let limited = "content-type: application/problem+json\r\nretry-after: 7200\r\n";
    for (status, fields, body, said) in [
        ("503 Service Unavailable", "retry-after: 7200\r\n", "<html>", "answers 503 Service Unavailable"),
        ("429 Too Many Requests", limited, problem, "too many new orders (rateLimited)"),
    ] {
        let fake = Fake::start(&answer(status, fields, body)).await;
        let wanted =
            Wanted::new(fake.authority.clone(), vec!["example.org".into()], vec![ChallengeKind::Http01]).unwrap();
        let (held, trial) = (Held::new(&wanted), Trial::new(&["example.org"]));
        let mut keeper = trial.keeper();
        keeper.follow(vec![(wanted, held.clone())]);
        trial.until("the order fails", || held.look().failures == 1).await;
        assert!(trial.told()[1].contains(said), "{:?}", trial.told());
        let wait = held.look().next.unwrap() - now();
        assert!((7190..=7200).contains(&wait), "{wait}");
        // It is not called again meanwhile, though it is looked at often.
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(fake.connections.load(std::sync::atomic::Ordering::Relaxed), 1);
    }
}

#[tokio::test]
async fn a_certificate_that_begins_later_by_a_slow_clock_is_held_and_told_and_not_ordered_again() {
    let trial = Trial::new(&["example.org"]);
    trial.keep_valid(&["example.org"], now() + 3960, now() + 90 * 24 * 3600);
    let held = Held::new(&trial.wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
    trial.until("the next step is known", || held.look().next.is_some()).await;
    let told = trial.told();
    assert!(told[0].starts_with("the certificate for example.org is valid from 20"), "{told:?}");
    assert!(told[0].contains("set the clock"), "{told:?}");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(held.key().is_some());
}

#[tokio::test]
async fn a_newer_certificate_that_ends_sooner_is_taken_over_from_another_process() {
    let trial = Trial::new(&["example.org"]);
    let day = 24 * 3600;
    trial.keep_valid(&["example.org"], now() - 40 * day, now() + 400 * day);
    let held = Held::new(&trial.wanted);
    let mut keeper = trial.keeper();
    keeper.follow(vec![(trial.wanted.clone(), held.clone())]);
    trial.until("the next step is known", || held.look().next.is_some()).await;
    let sooner = now() + 40 * day;
    trial.keep_valid(&["example.org"], now() - day, sooner);
    trial.until("the new one is in force", || held.look().not_after == Some(sooner)).await;
    // And one that is older is not, though it ends later.
    trial.keep_valid(&["example.org"], now() - 2 * day, now() + 300 * day);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(held.look().not_after, Some(sooner));
}

#[tokio::test]
async fn an_authority_is_not_asked_at_each_look_where_the_answer_cannot_be_kept() {
    let fake = Fake::start(&answer("200 OK", "", "{}")).await;
    let trial = Trial::new(&["example.org"]);
    let wanted = Wanted::new(fake.authority.clone(), vec!["example.org".into()], vec![ChallengeKind::Http01]).unwrap();
    trial.keep(&["example.org"], 36_000);
    let folder = Folder::new(&fake.authority.state, &fake.authority.directory);
    folder.make().unwrap();
    std::fs::copy(trial.folder().pem("example.org"), folder.pem("example.org")).unwrap();
    // No file can take its place.
    std::fs::create_dir(folder.json("example.org")).unwrap();
    let held = Held::new(&wanted);
    assert!(held.issued().unwrap().id.is_some());
    let mut keeper = trial.keeper();
    keeper.follow(vec![(wanted, held.clone())]);
    trial.until("it is told", || trial.told().iter().any(|one| one.starts_with("cannot order a certificate"))).await;
    assert_eq!(fake.connections.load(std::sync::atomic::Ordering::Relaxed), 0);
}
