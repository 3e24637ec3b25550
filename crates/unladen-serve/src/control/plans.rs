//! The principal type is [`Plans`]: makes a plan of a configuration, and keeps what it can of the one before.

use std::sync::Arc;

use unladen_pool::{Upstream, UpstreamError};
use unladen_serve_config::{Application, Config, ListenAddress, ProxySettings, Settings, SiteSettings, SiteStamp};

use super::error::ServeError;
use super::found::Found;
use super::listeners::{Changed, Listeners, Wanted};
use crate::plan::{Listener, Plan, Planned, State};
use crate::proxy::Proxy;
use crate::site::Site;
use crate::site::tls::acme;
use crate::site::tls::acme::Acme;

/// Who may open the admin's Unix socket: its user and group.
const ADMIN_MODE: u32 = 0o660;

/// Makes plans.
#[derive(Debug)]
pub(super) struct Plans {
    pub(super) listeners: Listeners,
    threads: usize,
    kept: Vec<Kept>,
    sites: Vec<KeptSite>,
    /// The certificates that authorities issue.
    acme: Acme,
}

/// A `[[site]]` as it is.
#[derive(Debug)]
struct KeptSite {
    site: Arc<Site>,
    stamp: SiteStamp,
}

/// A `[[outbound]]` as it is.
#[derive(Debug)]
struct Kept {
    proxy: Arc<Proxy>,
    /// Of its certificates and key: with others of the same names, it is another upstream.
    stamp: u64,
}

/// What a configuration comes to.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) plan: Plan,
    pub(super) admin: Option<Arc<Listener>>,
    pub(super) changed: Changed,
}

// === impl Plans ===

impl Plans {
    pub(super) fn new(threads: usize) -> Self {
        Self { listeners: Listeners::default(), threads, kept: Vec::new(), sites: Vec::new(), acme: Acme::default() }
    }

    /// Makes one; or, with an error, leaves everything as it is.
    pub(super) fn make(&mut self, config: &Config, found: &mut Vec<Found>) -> Result<Made, ServeError> {
        let settings = &config.settings;
        let stamped = settings.outbound.iter().zip(&config.stamps);
        let kept: Vec<Kept> = stamped.map(|(proxy, stamp)| self.proxy(proxy, *stamp)).collect::<Result<_, _>>()?;
        let admin = settings.admin.as_ref().map(|admin| &admin.listen);
        beside_each_other(&settings.site)?;
        let stamped = settings.site.iter().zip(&config.site_stamps);
        let sites: Vec<KeptSite> = stamped.map(|(site, stamp)| self.site(site, *stamp)).collect::<Result<_, _>>()?;
        let (listeners, changed) = self.listen(settings, admin, found)?;
        let mut listeners = listeners.into_iter();
        let planned = |kept: &Kept| {
            let count = kept.proxy.settings.listen.len();
            let listeners = listeners.by_ref().take(count).collect();
            Planned { proxy: kept.proxy.clone(), site: None, redirects: Vec::new(), listeners }
        };
        let mut places: Vec<Planned> = kept.iter().map(planned).collect();
        places.extend(sites.iter().map(|KeptSite { site, .. }| {
            let (count, redirects) = (site.settings.proxy.listen.len(), site.settings.redirect.len());
            let own = listeners.by_ref().take(count).collect();
            let redirects = listeners.by_ref().take(redirects).collect();
            Planned { proxy: site.proxy.clone(), site: Some(site.clone()), listeners: own, redirects }
        }));
        self.kept = kept;
        self.sites = sites;
        let plan = Plan {
            places,
            trace_sample: settings.otlp.as_ref().map(|otlp| otlp.sample),
            certificates: self.acme.follow(settings.site.iter()),
            answers: self.acme.answers().clone(),
            state: State::Running,
        };
        Ok(Made { plan, admin: listeners.next(), changed })
    }

    fn site(&self, settings: &SiteSettings, stamp: SiteStamp) -> Result<KeptSite, ServeError> {
        let name = &settings.proxy.upstream.name;
        let before = self.sites.iter().find(|kept| kept.site.proxy.upstream.settings().name == *name);
        if let Some(kept) = before.filter(|kept| kept.stamp == stamp && kept.site.settings == *settings) {
            return Ok(KeptSite { site: kept.site.clone(), stamp });
        }
        let is_same = |kept: &&KeptSite| {
            kept.stamp.proxy == stamp.proxy && kept.site.settings.proxy.upstream == settings.proxy.upstream
        };
        let upstream = match before.filter(is_same) {
            Some(kept) => kept.site.proxy.upstream.clone(),
            None => {
                Upstream::new(settings.proxy.upstream.clone(), self.threads).map_err(|source| refused(name, source))?
            }
        };
        let before_app = before.map(|kept| &*kept.site.proxy);
        let proxy = Proxy::new(settings.proxy.clone(), upstream, before_app);
        let proxy = match &settings.application {
            Application::Php(script) => proxy.with_script(script),
            Application::Upstream | Application::Files(_) => proxy,
        };
        let proxy = Arc::new(proxy.with_queue(settings.queue.as_ref(), before_app));
        let site = Site::new(settings.clone(), proxy, self.threads, before.map(|kept| &*kept.site))
            .and_then(|site| site.with_acme(&self.acme))
            .map_err(|source| ServeError::Site { name: name.clone(), source })?;
        Ok(KeptSite { site: Arc::new(site), stamp })
    }

    fn proxy(&self, settings: &ProxySettings, stamp: u64) -> Result<Kept, ServeError> {
        let before = self.kept.iter().find(|kept| kept.proxy.settings.upstream.name == settings.upstream.name);
        let mut same = self.kept.iter().filter(|kept| kept.stamp == stamp);
        if let Some(kept) = same.clone().find(|kept| kept.proxy.settings == *settings) {
            return Ok(Kept { proxy: kept.proxy.clone(), stamp });
        }
        let upstream = match same.find(|kept| kept.proxy.settings.upstream == settings.upstream) {
            Some(kept) => kept.proxy.upstream.clone(),
            None => Upstream::new(settings.upstream.clone(), self.threads)
                .map_err(|source| refused(&settings.upstream.name, source))?,
        };
        let before = before.map(|kept| &*kept.proxy);
        Ok(Kept { proxy: Arc::new(Proxy::new(settings.clone(), upstream, before)), stamp })
    }

    /// Those of each in turn, and the admin's last.
    fn listen(
        &mut self,
        settings: &Settings,
        admin: Option<&ListenAddress>,
        found: &mut Vec<Found>,
    ) -> Result<(Vec<Arc<Listener>>, Changed), ServeError> {
        let threads = self.threads;
        let of = |proxy| {
            let ProxySettings { listen, upstream, socket_mode, .. }: &ProxySettings = proxy;
            let wanted = |address| Wanted { address, name: &upstream.name, mode: *socket_mode, threads };
            listen.iter().map(wanted)
        };
        let mut wanted: Vec<Wanted<'_>> = settings.outbound.iter().flat_map(of).collect();
        for site in &settings.site {
            let SiteSettings { proxy, redirect, .. } = site;
            wanted.extend(of(proxy));
            let to = |address| Wanted { address, name: &proxy.upstream.name, mode: proxy.socket_mode, threads };
            wanted.extend(redirect.iter().map(to));
        }
        wanted.extend(admin.map(|address| Wanted { address, name: "admin", mode: ADMIN_MODE, threads: 1 }));
        self.listeners.become_these(&wanted, found)
    }

    /// A plan to stop: nothing is listened at any more, so that the threads are the last to have the sockets.
    pub(super) fn last(&mut self, state: State) -> Plan {
        self.kept.clear();
        self.sites.clear();
        let answers = self.acme.answers().clone();
        Plan { places: Vec::new(), trace_sample: None, certificates: Vec::new(), answers, state }
    }
}

/// Looks at what only an attempt can tell: whether upstreams can be made as they are configured, with their
/// certificates and keys.
///
/// What is doubtful about them, a sentence each; if `asks`, validators are tried too.
///
/// # Errors
/// The first that cannot.
pub fn try_upstreams(config: &Config, asks: bool) -> Result<Vec<String>, ServeError> {
    for proxy in &config.settings.outbound {
        Upstream::new(proxy.upstream.clone(), 1).map_err(|source| refused(&proxy.upstream.name, source))?;
    }
    beside_each_other(&config.settings.site)?;
    let acme = Acme::trial();
    let mut doubts = Vec::new();
    for settings in &config.settings.site {
        let name = &settings.proxy.upstream.name;
        let upstream = Upstream::new(settings.proxy.upstream.clone(), 1).map_err(|source| refused(name, source))?;
        let proxy = Arc::new(Proxy::new(settings.proxy.clone(), upstream, None));
        let site = Site::new(settings.clone(), proxy, 1, None)
            .and_then(|site| site.with_acme(&acme))
            .map_err(|source| ServeError::Site { name: name.clone(), source })?;
        doubts.extend(site.doubts(asks));
    }
    Ok(doubts)
}

fn refused(name: &str, source: UpstreamError) -> ServeError {
    ServeError::Upstream { name: name.to_owned(), source: Box::new(source) }
}
/// Whether the certificates of these sites can be beside each other.
fn beside_each_other(sites: &[SiteSettings]) -> Result<(), ServeError> {
    acme::check(sites.iter()).map_err(|(name, problem)| ServeError::Site { name, source: problem.into() })
}

