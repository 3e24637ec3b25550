//! The principal type is [`Plans`]: makes plans of configurations, and keeps what it can of the one before.

use std::sync::{Arc, Mutex};

use unladen_fleet::Fleet;
use unladen_pool::{Upstream, UpstreamError};
use unladen_serve_config::{
    Application, Config, FleetSettings, ListenAddress, ProxySettings, Settings, SiteSettings, SiteStamp,
};

use super::error::ServeError;
use super::fleet;
use super::listeners::{Changed, Found, Listeners, Wanted};
use crate::limits::queue::Queue;
use crate::message::error_page::{ErrorPage, ErrorPageError};
use crate::plan::{Destination, Entrance, Listener, Plan, Planned, Shows, State, Tenant};
use crate::proxy::Proxy;
use crate::site::Site;
use crate::site::hosts::Hosts;
use crate::site::tls::acme::Acme;
use crate::site::tls::{Acceptor, AcceptorError, acme};
use crate::tier::Tier;

/// Mode of the admin's Unix socket: its user and group may open it.
const ADMIN_MODE: u32 = 0o660;

#[derive(Debug)]
pub(super) struct Plans {
    pub(super) listeners: Listeners,
    threads: usize,
    kept: Vec<Kept>,
    sites: Vec<KeptSite>,
    acme: Acme,
    fleet: Option<KeptFleet>,
    tier: Option<Arc<Tier>>,
}

#[derive(Clone, Debug)]
struct KeptFleet {
    fleet: Arc<Fleet>,
    settings: FleetSettings,
}

#[derive(Debug)]
struct KeptSite {
    site: Arc<Site>,
    stamp: SiteStamp,
}

#[derive(Debug)]
struct Kept {
    proxy: Arc<Proxy>,
    /// Hash of its certificates and key: if their content changes under the same names, it is another upstream.
    stamp: u64,
}

#[derive(Debug)]
pub(super) struct Made {
    pub(super) plan: Plan,
    pub(super) shows: Shows,
    pub(super) changed: Changed,
}

impl Plans {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            listeners: Listeners::default(),
            threads,
            kept: Vec::new(),
            sites: Vec::new(),
            acme: Acme::default(),
            fleet: None,
            tier: None,
        }
    }

    /// Makes a plan; on an error, everything stays as it is.
    pub(super) fn make(&mut self, config: &Config, found: &mut Vec<Found>) -> Result<Made, ServeError> {
        let settings = &config.settings;
        let forgotten = self.fleet.as_ref().and_then(|kept| kept.fleet.position());
        let fleet = self.fleet(settings.fleet.as_ref())?;
        let node = fleet.as_ref().map(|kept| &kept.fleet);
        let tier = self.tier(settings)?;
        let nodes = (node, tier.as_ref());
        let stamped = settings.outbound.iter().zip(&config.stamps);
        let kept: Vec<Kept> = stamped.map(|(proxy, stamp)| self.proxy(proxy, *stamp)).collect::<Result<_, _>>()?;
        beside_each_other(&settings.site)?;
        let stamped = settings.site.iter().zip(&config.site_stamps);
        let sites: Vec<KeptSite> =
            stamped.map(|(site, stamp)| self.site(site, *stamp, nodes)).collect::<Result<_, _>>()?;
        // Before listening: an error must leave everything as it is.
        let destinations = destinations(&sites).map_err(|error| {
            let (name, source) = *error;
            ServeError::Site { name, source: source.into() }
        })?;
        let (listeners, changed) = self.listen(settings, found)?;
        let mut listeners = listeners.into_iter();
        let mut entrances = Vec::new();
        for kept in &kept {
            let own = listeners.by_ref().take(kept.proxy.settings.listen.len());
            let to = Arc::new(Destination {
                proxy: kept.proxy.clone(),
                bounds: Arc::new(kept.proxy.settings.client.clone()),
                site: None,
                redirects: false,
                hosts: None,
                acceptor: None,
            });
            entrances.extend(own.map(|listener| Entrance { listener, to: to.clone() }));
        }
        entrances
            .extend(listeners.by_ref().zip(destinations).map(|(listener, to)| Entrance { listener, to: Arc::new(to) }));
        let mut places: Vec<Planned> =
            kept.iter().map(|kept| Planned { proxy: kept.proxy.clone(), site: None }).collect();
        // The tier is looked after and counted as an upstream.
        places.extend(tier.iter().map(|tier| Planned { proxy: tier.proxy.clone(), site: None }));
        places.extend(
            sites.iter().map(|KeptSite { site, .. }| Planned { proxy: site.proxy.clone(), site: Some(site.clone()) }),
        );
        // Nothing can fail from here on.
        for KeptSite { site, .. } in &sites {
            if let (Some(queue), Some(settings)) = (&site.proxy.queue, &site.settings.queue) {
                queue.set(settings);
            }
        }
        self.kept = kept;
        self.sites = sites;
        self.fleet.clone_from(&fleet);
        self.tier.clone_from(&tier);
        let plan = Plan {
            places,
            entrances,
            trace_sample: settings.otlp.as_ref().map(|otlp| otlp.sample),
            certificates: self.acme.follow(settings.site.iter()),
            answers: self.acme.answers.clone(),
            fleet: fleet.map(|kept| kept.fleet),
            tier,
            forgotten,
            hold: Mutex::default(),
            state: State::Running,
        };
        let mut next = |address: Option<&ListenAddress>| address.and_then(|_| listeners.next());
        let admin = settings.admin.as_ref();
        let shows = Shows {
            admin: next(admin.map(|admin| &admin.listen)),
            probes: next(admin.and_then(|admin| admin.probes.as_ref())),
        };
        Ok(Made { plan, shows, changed })
    }

    fn fleet(&self, settings: Option<&FleetSettings>) -> Result<Option<KeptFleet>, ServeError> {
        let Some(settings) = settings else { return Ok(None) };
        match self.fleet.as_ref().filter(|kept| kept.settings == *settings) {
            Some(kept) => Ok(Some(kept.clone())),
            None => Ok(Some(KeptFleet { fleet: fleet::open(settings)?, settings: settings.clone() })),
        }
    }

    /// Keeps the tier if its settings and the sites' ports are unchanged.
    fn tier(&self, settings: &Settings) -> Result<Option<Arc<Tier>>, ServeError> {
        let Some(tier) = &settings.tier else { return Ok(None) };
        let ports = ports(settings);
        match self.tier.as_ref().filter(|kept| kept.settings == *tier && kept.ports == ports) {
            Some(kept) => Ok(Some(kept.clone())),
            None => Tier::new(tier.clone(), ports, self.threads, self.tier.as_deref())
                .map(|tier| Some(Arc::new(tier)))
                .map_err(|source| refused(&tier.upstream.name, source)),
        }
    }

    fn site(
        &self,
        settings: &SiteSettings,
        stamp: SiteStamp,
        (fleet, tier): (Option<&Arc<Fleet>>, Option<&Arc<Tier>>),
    ) -> Result<KeptSite, ServeError> {
        let name = &settings.proxy.upstream.name;
        let before = self.sites.iter().find(|kept| kept.site.proxy.upstream.settings().name == *name);
        let is_of_fleet = |kept: &&KeptSite| {
            let link = kept.site.cache.as_ref().and_then(|cache| cache.fleet.as_ref());
            kept.site.cache.is_none() || link.map(|link| Arc::as_ptr(&link.fleet)) == fleet.map(Arc::as_ptr)
        };
        let tier = tier.filter(|_| settings.cache.as_ref().is_some_and(|cache| cache.tier));
        let is_of_tier = |kept: &&KeptSite| kept.site.tier.as_ref().map(Arc::as_ptr) == tier.map(Arc::as_ptr);
        let is_same = |kept: &&KeptSite| kept.stamp == stamp && kept.site.settings == *settings;
        if let Some(kept) = before.filter(is_same).filter(is_of_fleet).filter(is_of_tier) {
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
        // Its own of before is kept, unchanged until nothing can fail: what it let through is still at the application.
        let kept = before_app.and_then(|before| before.queue.clone());
        let queue = settings.queue.as_ref().map(|queue| kept.unwrap_or_else(|| Arc::new(Queue::new(queue))));
        let proxy = Proxy::new(settings.proxy.clone(), upstream, before_app);
        let proxy = Proxy { error_page: error_page(settings)?, queue, ..proxy };
        let proxy = Arc::new(match &settings.application {
            Application::Php(script) => proxy.with_script(script),
            Application::Upstream | Application::Files(_) => proxy,
        });
        let site = Site::new(settings.clone(), proxy, self.threads, before.map(|kept| &*kept.site))
            .and_then(|site| site.with_acme(&self.acme))
            .map_err(|source| ServeError::Site { name: name.clone(), source })?;
        Ok(KeptSite { site: Arc::new(site.with_fleet(fleet).with_tier(tier)), stamp })
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

    fn listen(
        &mut self,
        settings: &Settings,
        found: &mut Vec<Found>,
    ) -> Result<(Vec<Arc<Listener>>, Changed), ServeError> {
        let threads = self.threads;
        let of = |proxy| {
            let ProxySettings { listen, upstream, socket_mode, .. }: &ProxySettings = proxy;
            let wanted = |address| Wanted { address, name: &upstream.name, mode: *socket_mode, threads };
            listen.iter().map(wanted)
        };
        let mut wanted: Vec<Wanted<'_>> = settings.outbound.iter().flat_map(of).collect();
        for (address, lead) in addresses(settings.site.iter()) {
            let proxy = &lead.proxy;
            wanted.push(Wanted { address, name: &proxy.upstream.name, mode: proxy.socket_mode, threads });
        }
        if let Some(admin) = &settings.admin {
            let wanted_as = |address, name| Wanted { address, name, mode: ADMIN_MODE, threads: 1 };
            wanted.push(wanted_as(&admin.listen, "admin"));
            wanted.extend(admin.probes.as_ref().map(|address| wanted_as(address, "probes")));
        }
        self.listeners.become_these(&wanted, found)
    }

    /// A plan to stop: it has no listeners, so that the threads are the last to have the sockets.
    pub(super) fn last(&mut self, state: State) -> Plan {
        self.kept.clear();
        self.sites.clear();
        Plan { answers: self.acme.answers.clone(), state, ..Plan::default() }
    }
}

/// The addresses of sites, each once with its first site, in the order of the file.
fn addresses<'s>(sites: impl Iterator<Item = &'s SiteSettings>) -> Vec<(&'s ListenAddress, &'s SiteSettings)> {
    let mut addresses: Vec<(&ListenAddress, &SiteSettings)> = Vec::new();
    for site in sites {
        for address in site.proxy.listen.iter().chain(&site.redirect) {
            if !addresses.iter().any(|(known, _)| *known == address) {
                addresses.push((address, site));
            }
        }
    }
    addresses
}

/// One for each address of sites, in the order of [`addresses`], with the most generous bounds; `connections` over all
/// addresses with the same first site, which are counted together. An error carries the first site's name.
fn destinations(sites: &[KeptSite]) -> Result<Vec<Destination>, Box<(String, AcceptorError)>> {
    let all = addresses(sites.iter().map(|kept| &kept.site.settings));
    let mut all: Vec<Destination> =
        all.into_iter().filter_map(|(address, _)| destination(sites, address).transpose()).collect::<Result<_, _>>()?;
    let most = most_of_each(all.iter().map(|to| (Arc::as_ptr(&to.proxy), to.bounds.connections)));
    for (to, most) in all.iter_mut().zip(most) {
        if to.bounds.connections < most {
            Arc::make_mut(&mut to.bounds).connections = most;
        }
    }
    Ok(all)
}

/// For each entry, the maximum over entries with the same key.
fn most_of_each<K: PartialEq>(all: impl Iterator<Item = (K, usize)>) -> Vec<usize> {
    let all: Vec<(K, usize)> = all.collect();
    let most = |name: &K| all.iter().filter(|(of, _)| of == name).map(|(_, bound)| *bound).max().unwrap_or_default();
    all.iter().map(|(name, _)| most(name)).collect()
}

fn destination(
    sites: &[KeptSite],
    address: &ListenAddress,
) -> Result<Option<Destination>, Box<(String, AcceptorError)>> {
    let tenant = |KeptSite { site, .. }: &KeptSite| {
        let redirects = !site.settings.proxy.listen.contains(address);
        let is_there = !redirects || site.settings.redirect.contains(address);
        is_there.then(|| Tenant { site: site.clone(), redirects })
    };
    let tenants: Vec<Tenant> = sites.iter().filter_map(tenant).collect();
    let Some(Tenant { site, redirects }) = tenants.first().cloned() else { return Ok(None) };
    let bounds = tenants.iter().map(|tenant| tenant.site.settings.proxy.client.clone());
    let bounds = Arc::new(bounds.reduce(|one, other| one.or_more(&other)).unwrap_or_default());
    let (proxy, name) = (site.proxy.clone(), &site.settings.proxy.upstream.name);
    if let [only] = tenants.as_slice()
        && only.site.settings.takes_all_names()
    {
        let acceptor = site.acceptor.clone().filter(|_| !redirects);
        return Ok(Some(Destination { proxy, bounds, site: Some(site), redirects, hosts: None, acceptor }));
    }
    let secure: Vec<&Arc<Site>> =
        tenants.iter().filter(|tenant| !tenant.redirects).map(|tenant| &tenant.site).collect();
    let of_each = secure.iter().filter_map(|site| Some((&site.settings, site.acceptor.clone()?)));
    let acceptors: Vec<_> = of_each.collect();
    let acceptor = match acceptors.as_slice() {
        [] => None,
        [(_, one)] => Some(one.clone()),
        several @ [(_, first), ..] => {
            let together = Acceptor::of_several(first, several);
            Some(together.map(Arc::new).map_err(|error| Box::new((name.clone(), error)))?)
        }
    };
    let hosts = Hosts::new(tenants.iter().map(|tenant| (&tenant.site.settings, tenant.clone())));
    Ok(Some(Destination { proxy, bounds, site: Some(site), redirects, hosts: Some(Arc::new(hosts)), acceptor }))
}

/// Findings of [`try_upstreams`], a sentence each.
#[derive(Debug, Default)]
pub struct Tried {
    /// Worth knowing, such as which folders of files are refused.
    pub notes: Vec<String>,
    pub doubts: Vec<String>,
}

/// Checks what only an attempt shows: whether upstreams can be made with their certificates and keys. If it `asks`,
/// validators are tried too.
///
/// # Errors
/// The first that cannot be made.
pub fn try_upstreams(config: &Config, asks: bool) -> Result<Tried, ServeError> {
    for proxy in &config.settings.outbound {
        Upstream::new(proxy.upstream.clone(), 1).map_err(|source| refused(&proxy.upstream.name, source))?;
    }
    let mut tried = Tried::default();
    if let Some(fleet) = &config.settings.fleet {
        fleet::open(fleet)?;
    }
    if let Some(tier) = &config.settings.tier {
        Upstream::new(tier.upstream.clone(), 1).map_err(|source| refused(&tier.upstream.name, source))?;
    }
    beside_each_other(&config.settings.site)?;
    let acme = Acme::trial();
    for settings in &config.settings.site {
        let name = &settings.proxy.upstream.name;
        let upstream = Upstream::new(settings.proxy.upstream.clone(), 1).map_err(|source| refused(name, source))?;
        let proxy = Proxy::new(settings.proxy.clone(), upstream, None);
        let proxy = Proxy { error_page: error_page(settings)?, ..proxy };
        let site = Site::new(settings.clone(), Arc::new(proxy), 1, None)
            .and_then(|site| site.with_acme(&acme))
            .map_err(|source| ServeError::Site { name: name.clone(), source })?;
        let of_folders = site.told_by_htaccess();
        tried.notes.extend(of_folders.notes);
        tried.doubts.extend(site.doubts(asks).into_iter().chain(of_folders.doubts));
    }
    Ok(tried)
}

pub(super) fn ports(settings: &Settings) -> Vec<u16> {
    let listened = settings.site.iter().flat_map(|site| &site.proxy.listen);
    let port = |address: &ListenAddress| match address {
        ListenAddress::Tcp(address) => Some(address.port()),
        ListenAddress::Unix(_) => None,
    };
    listened.filter_map(port).collect()
}

fn beside_each_other(sites: &[SiteSettings]) -> Result<(), ServeError> {
    acme::check(sites.iter()).map_err(|(name, problem)| ServeError::Site { name, source: problem.into() })
}

fn error_page(settings: &SiteSettings) -> Result<Option<Arc<ErrorPage>>, ServeError> {
    let named =
        |error: ErrorPageError| ServeError::Site { name: settings.proxy.upstream.name.clone(), source: error.into() };
    ErrorPage::of(settings.error_page.as_deref()).map_err(named)
}

fn refused(name: &str, source: UpstreamError) -> ServeError {
    ServeError::Upstream { name: name.to_owned(), source: Box::new(source) }
}

#[cfg(test)]
mod tests;
