//! The principal type is [`Front`]: a place in front of an application. `phase` has the map of a request's life.

mod ask;
mod asked;
mod cache;
mod call;
mod catch;
mod clients;
mod compress;
mod edge;
mod fetch;
mod inquiry;
mod memory;
mod prepare;
mod purge;
mod redirect;
mod reply;
mod country;
mod proxy_protocol;
mod tls;
mod trust;
mod settings;
mod touch;
mod wait;

use std::sync::Arc;

use unladen_validator::Validator;

use crate::settings::ListenAddress;

use crate::beside::Beside;

pub(crate) use self::asked::Asked;
pub(crate) use self::cache::Cache;
pub(crate) use self::call::{Call, Desk, Peer};
pub(crate) use self::catch::{Catch, FillSink, News};
use self::clients::Clients;
pub(crate) use self::edge::{Country, Trust, UNKNOWN};
pub(crate) use self::memory::{Lines, Memory};
pub use self::settings::*;
pub(crate) use self::touch::Touch;

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
}

/// Why a front cannot be as it is configured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// A validator's path or parameters are wrong.
    #[error("a validator: {0}")]
    Validator(String),
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
                    .map_err(|error| FrontError::Validator(error.to_string())),
            }
        });
        let validators = validators.collect::<Result<_, _>>()?;
        Ok(Self {
            cache,
            validators,
            clients: before.map(|before| before.clients.clone()).unwrap_or_default(),
            trust: Trust,
            country: None,
            settings,
            app,
        })
    }

    /// The port where https is spoken, for redirects.
    pub(crate) fn https_port(&self) -> Option<u16> {
        self.settings.app.listen.iter().find_map(|address| match address {
            ListenAddress::Tcp(address) => Some(address.port()),
            ListenAddress::Unix(_) => None,
        })
    }
}
