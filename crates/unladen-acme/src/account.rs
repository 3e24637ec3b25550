//! [`open`]: the account at an authority, made once and kept.

use std::collections::BTreeMap;
use std::time::Duration;

use instant_acme::{Account, AccountCredentials, Error, ExternalAccountKey, NewAccount};
use serde::{Deserialize, Serialize};

use crate::client::{self, Client};
use crate::error::AcmeError;
use crate::event::Event;
use crate::state::{Folder, StateError};
use crate::wanted::{Authority, Wanted};

/// Name of the account's lock; no host has it.
const LOCK: &str = "account";
/// How often, and after which pause, to look whether another process has made the account.
const LOOKS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(500);

/// Most addresses that are remembered; a forgotten one is sent once more.
const MOST_SENT: usize = 100;

#[derive(Serialize, Deserialize)]
struct Kept {
    /// Another directory's account is useless, and its key must not be shown there.
    directory: String,
    email: Option<String>,
    /// Addresses sent, by the certificate whose configuration names them: an address is not sent again because another
    /// certificate's configuration names another.
    #[serde(default)]
    sent: BTreeMap<String, Option<String>>,
    credentials: serde_json::Value,
}

/// Opens the account, or makes one; `tell` learns of an unusable file, or an address that cannot be changed.
///
/// # Errors
/// If the authority refuses, or the account cannot be stored: then it is not made.
pub(crate) async fn open(
    wanted: &Wanted,
    folder: &Folder,
    client: &Client,
    tell: impl Fn(&Event<'_>),
) -> Result<Account, AcmeError> {
    let authority = wanted.authority();
    let path = folder.account_path();
    let spoiled = |why: &str| tell(&Event::Spoiled { path: &path, why });
    let mut looks = 0;
    let _lock = loop {
        if let Some(lock) = folder.lock(LOCK)? {
            break lock;
        }
        looks += 1;
        if looks > LOOKS {
            return Err(AcmeError::Slow { doing: "another process is creating the account", seconds: 30 });
        }
        tokio::time::sleep(PAUSE).await;
    };
    let failed = |doing| move |error| AcmeError::of(doing, client.retry_after())(error);
    let builder = || Account::builder_with_http(Box::new(client.clone()));
    match folder.account::<Kept>() {
        Ok(Some(kept)) => match credentials(&kept, authority) {
            Ok(credentials) => {
                let account = builder().from_credentials(credentials).await.map_err(failed("reading its directory"))?;
                if !kept.is_to_be_told(wanted) {
                    return Ok(account);
                }
                let contact = contact(authority);
                let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
                match account.update_contacts(&contact).await {
                    Ok(()) => {
                        folder.keep_account(&kept.told(wanted))?;
                        return Ok(account);
                    }
                    // A new one is made below.
                    Err(error) if is_unknown(&error) => {
                        folder.forget_account();
                        spoiled("the authority does not know this account");
                    }
                    Err(error) => {
                        let error = failed("changing the account's address")(error);
                        tell(&Event::Contact { directory: &authority.directory, error: &error });
                        return Ok(account);
                    }
                }
            }
            Err(why) => spoiled(&why),
        },
        Ok(None) => {}
        Err(why) => spoiled(&why),
    }
    let contact = contact(authority);
    let contact: Vec<&str> = contact.iter().map(String::as_str).collect();
    // Configuring ACME means agreeing to the terms; the guide says so.
    let new = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
    let eab = authority.eab.as_ref().and_then(|eab| Some(ExternalAccountKey::new(eab.kid.clone(), &eab.bytes()?)));
    let made = builder().create(&new, authority.directory.clone(), eab.as_ref()).await;
    let (account, credentials) = made.map_err(failed("creating an account"))?;
    let credentials = serde_json::to_value(&credentials).map_err(|error| unkept(folder, error))?;
    let kept = Kept { directory: authority.directory.clone(), email: None, sent: BTreeMap::new(), credentials };
    folder.keep_account(&kept.told(wanted))?;
    Ok(account)
}

pub(crate) fn is_unknown(error: &Error) -> bool {
    matches!(error, Error::Api(said) if client::kind(said) == "accountDoesNotExist")
}

impl Kept {
    fn is_to_be_told(&self, wanted: &Wanted) -> bool {
        let email = &wanted.authority().email;
        self.email != *email && self.sent.get(wanted.name()) != Some(email)
    }

    /// Records that the authority has this certificate's address.
    fn told(mut self, wanted: &Wanted) -> Self {
        if self.sent.len() >= MOST_SENT {
            self.sent.clear();
        }
        self.email.clone_from(&wanted.authority().email);
        self.sent.insert(wanted.name().to_owned(), self.email.clone());
        self
    }
}

/// From a file that anyone may have changed.
fn credentials(kept: &Kept, authority: &Authority) -> Result<AccountCredentials, String> {
    let theirs = kept.credentials.get("directory").and_then(serde_json::Value::as_str);
    if kept.directory != authority.directory || theirs != Some(&authority.directory) {
        return Err("the account belongs to another directory".into());
    }
    serde_json::from_value(kept.credentials.clone()).map_err(|error| error.to_string())
}

fn contact(authority: &Authority) -> Vec<String> {
    authority.email.iter().map(|email| format!("mailto:{email}")).collect()
}

fn unkept(folder: &Folder, error: serde_json::Error) -> StateError {
    StateError { path: folder.account_path(), doing: "write", source: error.into() }
}

#[cfg(test)]
mod tests;
