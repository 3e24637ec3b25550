use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::tests::fake::{Fake, answer};
use crate::wanted::ChallengeKind;

/// An authority whose accounts are made; what it says to a change of their addresses, in turn, and then yes.
async fn authority(says: &[&str]) -> (Fake, std::sync::Arc<Mutex<Vec<String>>>) {
    let asked: std::sync::Arc<Mutex<Vec<String>>> = std::sync::Arc::default();
    let (log, made, says) = (asked.clone(), AtomicU64::new(0), Mutex::new(says.join("\n")));
    let fake = Fake::start_with(move |line, base| {
        let nonce = "replay-nonce: n\r\n";
        if line.starts_with("GET /dir") {
            let body = format!(
                r#"{{"newNonce":"{base}/n","newAccount":"{base}/new","newOrder":"{base}/o","revokeCert":"{base}/r","keyChange":"{base}/k"}}"#
            );
            return answer("200 OK", nonce, &body);
        }
        if line.starts_with("HEAD") {
            return answer("200 OK", nonce, "");
        }
        log.lock().unwrap().push(line.split(' ').nth(1).unwrap().to_owned());
        if line.starts_with("POST /new ") {
            let number = made.fetch_add(1, Ordering::Relaxed);
            return answer("201 Created", &format!("{nonce}location: {base}/account/{number}\r\n"), "{}");
        }
        let mut says = says.lock().unwrap();
        let (now, later) = says.split_once('\n').unwrap_or((&says, ""));
        let (now, later) = (now.to_owned(), later.to_owned());
        *says = later;
        if now.is_empty() {
            return answer("200 OK", nonce, r#"{"status":"valid"}"#);
        }
        let body = format!(r#"{{"type":"urn:ietf:params:acme:error:{now}"}}"#);
        answer("400 Bad Request", &format!("{nonce}content-type: application/problem+json\r\n"), &body)
    });
    (fake.await, asked)
}

fn wanted(fake: &Fake, name: &str, email: &str) -> Wanted {
    let authority = Authority { email: Some(email.into()), ..fake.authority.clone() };
    Wanted::new(authority, vec![name.into()], vec![ChallengeKind::Http01]).unwrap()
}

/// What is told.
async fn opened(wanted: &Wanted) -> Result<Vec<String>, String> {
    let folder = Folder::new(&wanted.authority().state, &wanted.authority().directory);
    folder.make().unwrap();
    let client = Client::new(wanted.authority()).unwrap();
    let told = Mutex::new(Vec::new());
    let tell = |event: &Event<'_>| told.lock().unwrap().push(event.to_string());
    open(wanted, &folder, &client, tell).await.map_err(|error| error.to_string())?;
    Ok(told.into_inner().unwrap())
}

#[tokio::test]
async fn an_address_that_the_authority_refuses_does_not_stop_orders() {
    let (fake, asked) = authority(&["invalidContact"]).await;
    assert_eq!(opened(&wanted(&fake, "a.org", "a@a.org")).await.unwrap(), [""; 0]);
    let told = opened(&wanted(&fake, "a.org", "b@a.org")).await.unwrap();
    assert!(told[0].contains("keeps the previous contact address") && told[0].contains("invalidContact"));
    // The next time it is tried again.
    assert_eq!(opened(&wanted(&fake, "a.org", "b@a.org")).await.unwrap(), [""; 0]);
    assert_eq!(*asked.lock().unwrap(), ["/new", "/account/0", "/account/0"]);
}

#[tokio::test]
async fn an_account_that_is_unknown_when_its_address_changes_is_made_anew() {
    let (fake, asked) = authority(&["accountDoesNotExist"]).await;
    opened(&wanted(&fake, "a.org", "a@a.org")).await.unwrap();
    let told = opened(&wanted(&fake, "a.org", "b@a.org")).await.unwrap();
    assert!(told[0].contains("account.json cannot be used and will be replaced"), "{told:?}");
    assert_eq!(opened(&wanted(&fake, "a.org", "b@a.org")).await.unwrap(), [""; 0]);
    assert_eq!(*asked.lock().unwrap(), ["/new", "/account/0", "/new"]);
}

#[tokio::test]
async fn two_sites_with_different_addresses_do_not_change_them_in_turn() {
    let (fake, asked) = authority(&[]).await;
    for _ in 0..4 {
        for (name, email) in [("a.org", "a@a.org"), ("b.org", "b@b.org")] {
            opened(&wanted(&fake, name, email)).await.unwrap();
        }
    }
    assert_eq!(*asked.lock().unwrap(), ["/new", "/account/0"]);
    // A change of a configuration is one, also to what was there before.
    for email in ["c@a.org", "a@a.org", "a@a.org"] {
        opened(&wanted(&fake, "a.org", email)).await.unwrap();
    }
    assert_eq!(asked.lock().unwrap().len(), 4);
}
