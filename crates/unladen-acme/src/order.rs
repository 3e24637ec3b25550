//! [`order`]: one order, from the account to a verified certificate. Dropping it midway leaves nothing that would
//! hinder a later order. And [`ask`]: when the authority wants a renewal.

use std::borrow::Cow;
use std::time::Duration;

use instant_acme::{
    Account, AuthorizationHandle, AuthorizationStatus, CertificateIdentifier, ChallengeStatus, ChallengeType, Error,
    Identifier, NewOrder, Order, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};

use crate::answers::{Answer, Answers, is_token};
use crate::client::{self, Client};
use crate::clock::now;
use crate::error::AcmeError;
use crate::event::Event;
use crate::issued::Issued;
use crate::state::Folder;
use crate::wanted::{ChallengeKind, Wanted};

/// First pause before asking whether the authority is done, and how the pauses grow.
const FIRST_LOOK: Duration = Duration::from_millis(500);
const GROWTH: f32 = 1.5;

pub(crate) struct Ordering<'a> {
    pub(crate) wanted: &'a Wanted,
    pub(crate) folder: &'a Folder,
    pub(crate) answers: &'a Answers,
    /// Pause between an answer's placement and telling the authority: other processes, which it may reach, have then
    /// seen it.
    pub(crate) settle: Duration,
    /// Number of earlier attempts: each uses the next kind of challenge.
    pub(crate) turn: u32,
    /// The certificate to be replaced (RFC 9773, section 5).
    pub(crate) replaces: Option<(String, String)>,
}

/// An answer on disk, removed on drop.
struct Given<'a> {
    folder: &'a Folder,
    answers: &'a Answers,
    file: String,
}

impl Drop for Given<'_> {
    fn drop(&mut self) {
        self.folder.forget_answer(&self.file);
        self.answers.look(self.folder, now());
    }
}

impl<'a> Ordering<'a> {
    /// Returns the certificate, and its PEM text with the key; `tell` learns of problems with the account.
    pub(crate) async fn run(self, tell: impl Fn(&Event<'_>)) -> Result<(Issued, String), AcmeError> {
        let client = Client::new(self.wanted.authority()).map_err(AcmeError::Setup)?;
        let account = crate::account::open(self.wanted, self.folder, &client, tell).await?;
        let failed = |doing| move |error: Error| AcmeError::of(doing, None)(error);
        let mut order = self.begin(&account).await.map_err(|error| {
            if crate::account::is_unknown(&error) {
                self.folder.forget_account();
            }
            AcmeError::of("ordering", client.retry_after())(error)
        })?;
        let given = self.give(&mut order).await?;
        if !given.is_empty() {
            self.answers.look(self.folder, now());
            tokio::time::sleep(self.settle).await;
            self.ready(&mut order).await?;
        }
        let patience = RetryPolicy::new().initial_delay(FIRST_LOOK).backoff(GROWTH).timeout(client::ORDER);
        match order.poll_ready(&patience).await {
            Ok(OrderStatus::Ready | OrderStatus::Valid | OrderStatus::Processing) => {}
            Ok(OrderStatus::Pending | OrderStatus::Invalid) => return Err(self.why(&mut order, None).await),
            Err(error) => return Err(self.why(&mut order, Some(error)).await),
        }
        drop(given);
        let setup = |error: rcgen::Error| AcmeError::Setup(format!("cannot create a certificate request: {error}"));
        let mut params = CertificateParams::new(self.wanted.names()).map_err(setup)?;
        params.distinguished_name = DistinguishedName::new();
        let key = KeyPair::generate().map_err(setup)?;
        let request = params.serialize_request(&key).map_err(setup)?;
        order.finalize_csr(request.der()).await.map_err(failed("requesting the certificate"))?;
        let chain = order.poll_certificate(&patience).await.map_err(failed("waiting for the certificate"))?;
        let pem = format!("{}{chain}", key.serialize_pem());
        let issued = Issued::parse(pem.as_bytes())?;
        issued.prove(self.wanted.names(), now())?;
        Ok((issued, pem))
    }

    async fn begin(&self, account: &Account) -> Result<Order, Error> {
        let names: Vec<Identifier> = self.wanted.names().iter().map(|name| Identifier::Dns(name.clone())).collect();
        if let Some((key, serial)) = &self.replaces {
            let id =
                CertificateIdentifier { authority_key_identifier: Cow::Borrowed(key), serial: Cow::Borrowed(serial) };
            match account.new_order(&NewOrder::new(&names).replaces(id)).await {
                // What it replaces does not matter then: another order may have replaced it already, or it is unknown.
                Err(Error::Unsupported(_) | Error::Other(_)) => {}
                Err(Error::Api(said))
                    if matches!(client::kind(&said), "alreadyReplaced" | "malformed" | "conflict") => {}
                other => return other,
            }
        }
        account.new_order(&NewOrder::new(&names)).await
    }

    /// Places an answer for each name that the authority has not verified yet.
    async fn give(&self, order: &mut Order) -> Result<Vec<Given<'a>>, AcmeError> {
        let mut given = Vec::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let Some((mut authorization, name, kind)) = self.unseen(authorization)? else { continue };
            let Some(challenge) = authorization.challenge(type_of(kind)) else { continue };
            let page = challenge.key_authorization();
            if !is_token(&challenge.token) {
                return Err(AcmeError::Challenge { name, kind, said: "its token is malformed".into() });
            }
            let answer = Answer::new(kind, &name, &challenge.token, (page.as_str(), page.digest().as_ref()), now());
            let Some(file) = answer.file() else { continue };
            let guard = Given { folder: self.folder, answers: self.answers, file };
            self.folder.keep_answer(&guard.file, &answer)?;
            given.push(guard);
        }
        Ok(given)
    }

    async fn ready(&self, order: &mut Order) -> Result<(), AcmeError> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let Some((mut authorization, name, kind)) = self.unseen(authorization)? else { continue };
            if let Some(mut challenge) = authorization.challenge(type_of(kind)) {
                challenge.set_ready().await.map_err(|error| match error {
                    Error::Api(said) => AcmeError::Challenge { name: name.clone(), kind, said: client::text(&said) },
                    other => AcmeError::of("asking it to check the challenge", None)(other),
                })?;
            }
        }
        Ok(())
    }

    /// A name that is not verified yet, and its challenge; `None` if it is.
    fn unseen<'o>(
        &self,
        authorization: Result<AuthorizationHandle<'o>, Error>,
    ) -> Result<Option<(AuthorizationHandle<'o>, String, ChallengeKind)>, AcmeError> {
        let authorization = authorization.map_err(AcmeError::of("reading the challenges", None))?;
        if authorization.status == AuthorizationStatus::Valid {
            return Ok(None);
        }
        let name = authorization.identifier().to_string();
        let kind = self.kind(&name, &authorization.challenges)?;
        Ok(Some((authorization, name, kind)))
    }

    /// The kind of challenge whose turn it is, of those allowed and offered.
    fn kind(&self, name: &str, offered: &[instant_acme::Challenge]) -> Result<ChallengeKind, AcmeError> {
        let is_offered = |kind: &&ChallengeKind| offered.iter().any(|challenge| challenge.r#type == type_of(**kind));
        let kinds: Vec<ChallengeKind> = self.wanted.challenges().iter().filter(is_offered).copied().collect();
        let turn = self.turn as usize % kinds.len().max(1);
        kinds.get(turn).copied().ok_or_else(|| AcmeError::NoChallenge {
            name: name.to_owned(),
            offered: client::clean(&offered.iter().map(|one| text_of(&one.r#type)).collect::<Vec<_>>().join(", ")),
        })
    }

    /// Why the order failed: a single name's problem says more than the order's.
    async fn why(&self, order: &mut Order, error: Option<Error>) -> AcmeError {
        let mut authorizations = order.authorizations();
        while let Some(Ok(mut authorization)) = authorizations.next().await {
            let Ok(state) = authorization.refresh().await else { continue };
            let name = state.identifier().to_string();
            for challenge in &state.challenges {
                if challenge.status != ChallengeStatus::Invalid {
                    continue;
                }
                let said = challenge.error.as_ref().map_or_else(|| "no reason".to_owned(), client::text);
                let mut kinds = [ChallengeKind::Http01, ChallengeKind::TlsAlpn01].into_iter();
                if let Some(kind) = kinds.find(|kind| type_of(*kind) == challenge.r#type) {
                    return AcmeError::Challenge { name, kind, said };
                }
            }
        }
        match error {
            Some(error) => AcmeError::of("checking the names", None)(error),
            None => AcmeError::Refused {
                doing: "checking the names",
                said: "the order is invalid".into(),
                kind: String::new(),
                retry_after: None,
            },
        }
    }
}

fn type_of(kind: ChallengeKind) -> ChallengeType {
    match kind {
        ChallengeKind::Http01 => ChallengeType::Http01,
        ChallengeKind::TlsAlpn01 => ChallengeType::TlsAlpn01,
    }
}

fn text_of(kind: &ChallengeType) -> &str {
    match kind {
        ChallengeType::Http01 => "http-01",
        ChallengeType::Dns01 => "dns-01",
        ChallengeType::TlsAlpn01 => "tls-alpn-01",
        ChallengeType::Unknown(other) => other,
        _ => "another",
    }
}

/// A window, in seconds since 1970, and after how many seconds to ask again.
type Suggested = ((u64, u64), u64);

/// Asks the authority for its suggested renewal time (RFC 9773); `None` if it suggests nothing.
pub(crate) async fn ask(
    wanted: &Wanted,
    folder: &Folder,
    (key, serial): (&str, &str),
    tell: impl Fn(&Event<'_>),
) -> Result<Option<Suggested>, AcmeError> {
    let client = Client::new(wanted.authority()).map_err(AcmeError::Setup)?;
    let account = crate::account::open(wanted, folder, &client, tell).await?;
    let id = CertificateIdentifier { authority_key_identifier: Cow::Borrowed(key), serial: Cow::Borrowed(serial) };
    match account.renewal_info(&id).await {
        Ok((info, again)) => {
            let window = info.suggested_window;
            let seconds = |time: i64| u64::try_from(time).unwrap_or(0);
            let window = (seconds(window.start.unix_timestamp()), seconds(window.end.unix_timestamp()));
            Ok(Some((window, again.as_secs())))
        }
        Err(Error::Unsupported(_)) => Ok(None),
        Err(error) => Err(AcmeError::of("asking when to renew", client.retry_after())(error)),
    }
}
