//! [`open`]: the account at an authority, made once and kept.

use std::time::Duration;

use instant_acme::{Account, AccountCredentials, ExternalAccountKey, NewAccount};
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::error::AcmeError;
use crate::state::{Folder, StateError};
use crate::wanted::Authority;

/// The name of the account's lock; no host has it.
const LOCK: &str = "account";
/// Another process makes the account: so often it is looked whether it has, with this pause.
const LOOKS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(500);

/// As it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Another directory's account is of no use, and its key is not to be shown there.
    directory: String,
    /// What the authority was told.
    email: Option<String>,
    credentials: serde_json::Value,
}

/// The account, made if there is none; `spoiled` is told if the file of one cannot be used.
///
/// # Errors
/// If the authority refuses, or the account cannot be kept: then it is not made.
pub(crate) async fn open(
    authority: &Authority,
    folder: &Folder,
    client: &Client,
    spoiled: impl Fn(&str),
) -> Result<Account, AcmeError> {
    let mut looks = 0;
    let _lock = loop {
        if let Some(lock) = folder.lock(LOCK)? {
            break lock;
        }
        looks += 1;
        if looks > LOOKS {
            return Err(AcmeError::Slow { doing: "another process makes the account", seconds: 30 });
        }
        tokio::time::sleep(PAUSE).await;
    };
    let failed = |doing| move |error| AcmeError::of(doing, client.retry_after())(error);
    let builder = || Account::builder_with_http(Box::new(client.clone()));
    match folder.account::<Kept>() {
        Ok(Some(kept)) => match credentials(&kept, authority) {
            Ok(credentials) => {
                let account = builder().from_credentials(credentials).await.map_err(failed("reading its directory"))?;
                if kept.email != authority.email {
                    let contact = contact(authority);
                    let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
                    account.update_contacts(&contact).await.map_err(failed("changing the account's address"))?;
                    folder.keep_account(&Kept { email: authority.email.clone(), ..kept })?;
                }
                return Ok(account);
            }
            Err(why) => spoiled(&why),
        },
        Ok(None) => {}
        Err(why) => spoiled(&why),
    }
    let contact = contact(authority);
    let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
    // Whoever configures ACME agrees to the terms; the guide says so.
    let new = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
    let eab = authority.eab.as_ref().and_then(|eab| Some(ExternalAccountKey::new(eab.kid.clone(), &eab.bytes()?)));
    let made = builder().create(&new, authority.directory.clone(), eab.as_ref()).await;
    let (account, credentials) = made.map_err(failed("making an account"))?;
    let credentials = serde_json::to_value(&credentials).map_err(|error| unkept(folder, error))?;
    folder.keep_account(&Kept {
        directory: authority.directory.clone(),
        email: authority.email.clone(),
        credentials,
    })?;
    Ok(account)
}

/// Of a file that anyone may have changed.
fn credentials(kept: &Kept, authority: &Authority) -> Result<AccountCredentials, String> {
    let theirs = kept.credentials.get("directory").and_then(serde_json::Value::as_str);
    if kept.directory != authority.directory || theirs != Some(&authority.directory) {
        return Err("it is another directory's account".into());
    }
    serde_json::from_value(kept.credentials.clone()).map_err(|error| error.to_string())
}

fn contact(authority: &Authority) -> Vec<String> {
    authority.email.iter().map(|email| format!("mailto:{email}")).collect()
}

fn unkept(folder: &Folder, error: serde_json::Error) -> StateError {
    StateError { path: folder.account_path(), doing: "write", source: error.into() }
}
