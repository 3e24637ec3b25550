//! The principal type is [`Front`]: a place in front of an application. `phase` has the map of a request's life.

mod ask;
mod asked;
mod cache;
mod call;
mod catch;
mod clients;
mod compress;
mod country;
mod fetch;
mod inquiry;
mod memory;
mod open;
mod person;
mod prepare;
mod proxy_protocol;
mod purge;
mod redirect;
mod reply;
mod settings;
mod tls;
mod touch;
mod trust;
mod wait;

use std::sync::Arc;

use unladen_validator::{Source, Validator};

pub(crate) use self::asked::Asked;
pub(crate) use self::cache::Cache;
pub(crate) use self::call::{Call, Desk, Peer};
pub(crate) use self::catch::{Catch, FillSink, News};
use self::clients::Clients;
pub(crate) use self::country::Country;
use self::country::{CountryError, UNKNOWN};
pub(crate) use self::memory::{Lines, Memory};
pub use self::settings::*;
use self::tls::{Acceptor, AcceptorError};
pub(crate) use self::touch::Touch;
use self::trust::Trust;
use crate::beside::Beside;
use crate::settings::ListenAddress;

/// A place in front of an application.
#[derive(Debug)]
pub struct Front {
    /// What it was made of.
    pub settings: FrontSettings,
    /// Its place beside the application, which it calls as any other would.
    pub app: Arc<Beside>,
    /// What it keeps. Kept over a reload, if its bounds are the same.
    pub(crate) cache: Option<Cache>,
    pub(crate) validators: Vec<Arc<Validator>>,
    /// Requests under way at the application, by client.
    pub(crate) clients: Clients,
    pub(crate) trust: Trust,
    pub(crate) country: Option<Country>,
    /// None: plain HTTP.
    pub(crate) acceptor: Option<Acceptor>,
}

/// Why a front cannot be as it is configured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// A validator's path or parameters are wrong.
    #[error("the validator for `{path}`: {why}")]
    Validator {
        /// Its path.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// Certificates cannot be used.
    #[error("{0}")]
    Tls(String),
    /// The country database cannot be used.
    #[error("{0}")]
    Country(String),
}

impl From<AcceptorError> for FrontError {
    fn from(error: AcceptorError) -> Self {
        Self::Tls(error.to_string())
    }
}

impl From<CountryError> for FrontError {
    fn from(error: CountryError) -> Self {
        Self::Country(error.to_string())
    }
}

// === impl Front ===

impl Front {
    /// With what another has that can be kept: what is stored, the sessions of its clients.
    ///
    /// # Errors
    /// A certificate, a database or a validator that cannot be used.
    pub(crate) fn new(
        settings: FrontSettings,
        app: Arc<Beside>,
        threads: usize,
        before: Option<&Self>,
    ) -> Result<Self, FrontError> {
        let cache =
            settings.cache.as_ref().map(|cache| Cache::new(cache, before.and_then(|before| before.cache.as_ref())));
        let validators = settings.validators.iter().map(|validator| {
            let kept =
                before.and_then(|before| before.validators.iter().find(|kept| kept.settings() == validator).cloned());
            match kept {
                Some(kept) => Ok(kept),
                None => Validator::new(validator.clone(), threads)
                    .map(Arc::new)
                    .map_err(|error| FrontError::Validator { path: validator.path.clone(), why: error.to_string() }),
            }
        });
        let validators = validators.collect::<Result<_, _>>()?;
        let tls = settings.tls.as_ref();
        let acceptor = tls.map(|tls| Acceptor::new(tls, before.and_then(|before| before.acceptor.as_ref())));
        let database = settings.cache.as_ref().and_then(|cache| cache.country.as_deref());
        let country = database.map(Country::open);
        let acceptor = acceptor.transpose()?;
        let country = country.transpose()?;
        Ok(Self {
            cache,
            validators,
            clients: before.map(|before| before.clients.clone()).unwrap_or_default(),
            trust: Trust::new(&settings.trusted),
            country,
            acceptor,
            settings,
            app,
        })
    }

    /// What is doubtful, though it can be: a sentence each. Validators are tried, which takes some seconds where nobody answers.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let mut doubts: Vec<String> = self.acceptor.iter().flat_map(|acceptor| acceptor.warnings.clone()).collect();
        for validator in self.validators.iter().filter(|validator| validator.settings().source != Source::Head) {
            if let Err(error) = validator.try_once() {
                doubts.push(format!("the validator for `{}` has no answer now: {error}", validator.settings().path));
            }
        }
        doubts
    }

    /// The port where https is spoken, for redirects.
    pub(crate) fn https_port(&self) -> Option<u16> {
        self.settings.app.listen.iter().find_map(|address| match address {
            ListenAddress::Tcp(address) => Some(address.port()),
            ListenAddress::Unix(_) => None,
        })
    }
}
