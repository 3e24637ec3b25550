//! The principal type is [`Site`]: a place in front of an application. `phase` has the map of a request's life.

pub(crate) mod author;
pub(crate) mod country;
pub(crate) mod effects;
pub(crate) mod folder;
pub(crate) mod hosts;
pub(crate) mod passwords;
pub(crate) mod prepare;
pub(crate) mod proxy_protocol;
pub(crate) mod readings;
pub(crate) mod route;
pub(crate) mod routes;
pub(crate) mod tls;
pub(crate) mod trust;
mod view;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::sync::Arc;

use unladen_acme::{Answers, Held};
use unladen_files::RootError;
use unladen_fleet::Fleet;
use unladen_serve_config::{ListenAddress, ServerTlsSettings, SiteSettings};
use unladen_validator::{Validator, ValidatorSource};

use self::author::Author;
use self::country::{Country, CountryError};
use self::effects::Effects;
use self::folder::ToldByHtaccess;
use self::routes::{Routes, RoutesError};
use self::tls::acme::{Acme, AcmeProblem, wanted};
use self::tls::{Acceptor, AcceptorError};
use self::trust::{Named, Trust};
use crate::cache::snapshot::file::fingerprint;
use crate::cache::{Cache, FleetLink, snapshot};
use crate::limits::crowd::{Crowd, CrowdPermit, What};
use crate::message::error_page::ErrorPageError;
use crate::proxy::Proxy;
use crate::tier::Tier;

#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) settings: SiteSettings,
    /// How it calls its application.
    pub(crate) proxy: Arc<Proxy>,
    /// Kept over a reload if its bounds are the same.
    pub(crate) cache: Option<Cache>,
    pub(crate) validators: Vec<Arc<Validator>>,
    /// Marks clients that have just changed something; `None` if validators know of changes at once.
    pub(crate) author: Option<Author>,
    /// GETs that validators of many pages are not asked about.
    pub(crate) effects: Effects,
    pub(crate) crowd: Crowd,
    pub(crate) trust: Trust,
    pub(crate) country: Option<Country>,
    /// `None` for plain HTTP.
    pub(crate) acceptor: Option<Arc<Acceptor>>,
    /// `None` if the upstream answers all.
    pub(crate) routes: Option<Routes>,
    pub(crate) held: Option<Arc<Held>>,
    /// Challenge answers for authorities, of all sites.
    pub(crate) answers: Arc<Answers>,
    /// `None` if peers are not asked for its pages.
    pub(crate) tier: Option<Arc<Tier>>,
    pub(crate) named: Named,
}

/// Why a site cannot be set up as configured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    #[error("the validator for `{path}`: {why}")]
    Validator { path: String, why: String },
    #[error("{0}")]
    Tls(String),
    #[error("{0}")]
    Country(String),
    /// A folder, passwords or another upstream cannot be used.
    #[error("{0}")]
    Routes(String),
    #[error(transparent)]
    Folder(#[from] RootError),
    #[error(transparent)]
    ErrorPage(#[from] ErrorPageError),
}

impl From<AcceptorError> for SiteError {
    fn from(error: AcceptorError) -> Self {
        Self::Tls(error.to_string())
    }
}

impl From<RoutesError> for SiteError {
    fn from(error: RoutesError) -> Self {
        Self::Routes(error.to_string())
    }
}

impl From<CountryError> for SiteError {
    fn from(error: CountryError) -> Self {
        Self::Country(error.to_string())
    }
}

impl From<AcmeProblem> for SiteError {
    fn from(error: AcmeProblem) -> Self {
        Self::Tls(error.to_string())
    }
}

impl Site {
    /// Takes over from `before` what it can: the cache, the sessions of its clients.
    pub(crate) fn new(
        settings: SiteSettings,
        proxy: Arc<Proxy>,
        threads: usize,
        before: Option<&Self>,
    ) -> Result<Self, SiteError> {
        let cache =
            settings.cache.as_ref().map(|cache| Cache::new(cache, before.and_then(|before| before.cache.as_ref())));
        let validators = settings.validators.iter().map(|validator| {
            let kept =
                before.and_then(|before| before.validators.iter().find(|kept| kept.settings() == validator).cloned());
            match kept {
                Some(kept) => Ok(kept),
                None => Validator::new(validator.clone(), threads)
                    .map(Arc::new)
                    .map_err(|error| SiteError::Validator { path: validator.path.clone(), why: error.to_string() }),
            }
        });
        let validators = validators.collect::<Result<Vec<_>, _>>()?;
        let tls = settings.tls.as_ref();
        let acceptor_before = before.and_then(|before| before.acceptor.as_deref());
        let acceptor = tls.map(|tls| Acceptor::new(tls, settings.proxy.http2, None, acceptor_before));
        let database = settings.cache.as_ref().and_then(|cache| cache.country.as_deref());
        let country = database.map(Country::open);
        let acceptor = acceptor.transpose()?.map(Arc::new);
        let routes = Routes::new(&settings, &proxy, threads, before.and_then(|before| before.routes.as_ref()))?;
        let country = country.transpose()?;
        Ok(Self {
            cache,
            author: Author::new(&validators),
            validators,
            effects: Effects::new(&settings.effects, &settings.no_effects),
            crowd: Crowd::new(&settings.clients, settings.per_client, before.map(|before| &before.crowd)),
            trust: Trust::new(&settings.trusted),
            country,
            acceptor,
            routes,
            held: None,
            answers: Arc::default(),
            tier: None,
            named: named(&settings),
            settings,
            proxy,
        })
    }

    /// Adds the certificate that an authority issues for it, if it wants one.
    pub(crate) fn with_acme(mut self, acme: &Acme) -> Result<Self, SiteError> {
        self.answers = acme.answers.clone();
        self.held = acme.held(&self.settings)?;
        if let Some(held) = &self.held {
            let own = ServerTlsSettings { certificates: Vec::new(), tls12: true };
            let tls = self.settings.tls.as_ref().unwrap_or(&own);
            let acme = Some((held, &self.answers));
            let acceptor = Acceptor::new(tls, self.settings.proxy.http2, acme, self.acceptor.as_deref())?;
            self.acceptor = Some(Arc::new(acceptor));
        }
        Ok(self)
    }

    pub(crate) fn with_fleet(mut self, fleet: Option<&Arc<Fleet>>) -> Self {
        if let Some(cache) = &mut self.cache {
            let name = &self.proxy.upstream.settings().name;
            cache.fleet = fleet.map(|fleet| FleetLink::new(fleet.clone(), name));
        }
        self
    }

    /// Adds the peers, if its cache uses them.
    pub(crate) fn with_tier(self, tier: Option<&Arc<Tier>>) -> Self {
        let is_shared = self.cache.as_ref().is_some_and(|cache| cache.settings.tier);
        Self { tier: tier.filter(|_| is_shared).cloned(), ..self }
    }

    /// Doubts about the settings, a sentence each. If it `asks`, validators are tried, which takes some seconds where
    /// nobody answers.
    pub(crate) fn doubts(&self, asks: bool) -> Vec<String> {
        let mut doubts: Vec<String> = self.acceptor.iter().flat_map(|acceptor| acceptor.warnings.clone()).collect();
        let asked =
            self.validators.iter().filter(|validator| asks && validator.settings().source != ValidatorSource::Head);
        for validator in asked {
            if let Err(error) = validator.try_once() {
                doubts.push(format!("the validator for `{}` does not answer now: {error}", validator.settings().path));
            }
        }
        // Without a fingerprint nothing is kept.
        if let Some(snapshot) = self.settings.snapshot.as_ref().filter(|_| fingerprint(&self.settings).is_some()) {
            doubts.extend(snapshot::file::doubts(&snapshot.file));
        }
        doubts
    }

    /// What each `.htaccess` below its roots refuses, and what becomes of that.
    pub(crate) fn told_by_htaccess(&self) -> ToldByHtaccess {
        let mut all = ToldByHtaccess::default();
        for folder in self.routes.iter().flat_map(Routes::folders) {
            let told = folder.told_by_htaccess();
            all.notes.extend(told.notes);
            all.doubts.extend(told.doubts);
        }
        all
    }

    /// Takes a place for a connection; `None` for proxies and Unix sockets. An error if the client has as many as it
    /// may.
    pub(crate) fn enter(&self, address: Option<IpAddr>) -> Result<Option<CrowdPermit>, ()> {
        match address {
            Some(address) if !self.trust.is_trusted_peer(Some(address)) => {
                self.crowd.enter(address, What::Connections).map(Some).ok_or(())
            }
            _ => Ok(None),
        }
    }

    /// Port for redirects to https.
    pub(crate) fn https_port(&self) -> Option<u16> {
        self.settings.proxy.listen.iter().find_map(|address| match address {
            ListenAddress::Tcp(address) => Some(address.port()),
            ListenAddress::Unix(_) => None,
        })
    }
}

/// Hashes of its name and of its certificates: those of files, and the authority's, which depends on the hosts.
fn named(settings: &SiteSettings) -> Named {
    let certificates = settings.tls.as_ref().map(|tls| &*tls.certificates).unwrap_or_default();
    // A faulty one is refused elsewhere.
    let wanted = wanted(settings).ok().flatten();
    Named { site: hash(&settings.proxy.upstream.name), appearance: hash(&(certificates, &wanted)) }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
