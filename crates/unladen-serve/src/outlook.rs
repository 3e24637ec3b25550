//! The principal type is [`Outlook`]: what becomes of a request for a URL, and why. For authors of configurations:
//! nothing is served, but the code that decides is that of serving.

mod place;
mod route;
mod seen;
mod trial;

use std::sync::Arc;
use std::time::Duration;

use humantime::format_duration;
use unladen_fleet::WhenCutOff;
use unladen_http1::{Fault, Request, Response};
use unladen_pool::Upstream;
use unladen_serve_config::{Config, FleetSettings, SiteSettings, address_text};
use unladen_validator::{Validator, ValidatorSettings};
use url::Url;

use self::place::MatchedListener;
use crate::cache::Cache;
use crate::cache::cache_lookup::eligible;
use crate::cache::fetch_plan::FetchPlan;
use crate::proxy::{Proxy, head_limits};
use crate::site::Site;
use crate::site::prepare::{disguises, edit, prepare};
use crate::site::trust::Peer;

pub use self::place::OutlookError;
pub use self::seen::{AnswerSeen, CookieSeen, KeptFor, Outlook, RouteSeen, Rule, ValidatorSeen, WhyNot};

/// A request for a URL, as a browser sends it.
#[derive(Clone, Debug)]
pub struct Asking {
    /// With `http` or `https`.
    pub url: Url,
    /// Further fields, in order, including `Cookie`.
    pub fields: Vec<(String, Vec<u8>)>,
    /// Whether the application and the validator are really asked.
    pub connect: bool,
}

/// Says what becomes of a request. With [`Asking::connect`] it is sent to the application, once, and the validator is
/// asked, which blocks for as long as they take.
///
/// # Errors
/// No site is for the URL, it is no request, or the site cannot be made.
pub fn outlook(config: &Config, asking: &Asking) -> Result<Outlook, OutlookError> {
    let url = &asking.url;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(OutlookError::Url(url.to_string()));
    }
    let place = MatchedListener::find(&config.settings, url)?;
    let mut outlook = Outlook {
        url: url.to_string(),
        listener: address_text(place.listener()),
        notes: place.notes(url),
        host: place.host(url),
        ..Outlook::default()
    };
    let settings = match place {
        MatchedListener::Outbound { outbound, .. } => {
            outlook.outbound = Some(outbound.upstream.name.clone());
            return Ok(outlook.past(Rule::Outbound));
        }
        MatchedListener::Redirect { site, .. } => {
            outlook.site = Some(site.proxy.upstream.name.clone());
            return Ok(outlook.past(Rule::Redirect));
        }
        MatchedListener::Site { site, .. } => site,
    };
    outlook.site = Some(settings.proxy.upstream.name.clone());
    let site = site_of(settings)?;
    let mut request = request_of(asking, &site)?;
    let peer = peer_of(settings, url, &mut outlook);
    let mut who = prepare(&site, &mut request, &peer);
    // A proxy in front says so, or nobody does.
    who.is_https |= peer.is_https;
    let (mut proxy, mut script) = (site.proxy.clone(), None);
    match route::find(&site, &request) {
        Err(why) => {
            outlook.notes.push(format!("such a request is answered with 400: {why}"));
            return Ok(outlook.past(Rule::Route));
        }
        Ok(None) => (),
        Ok(Some(found)) => {
            outlook.route = Some(found.seen);
            if let Some(edits) = found.edits {
                edit(edits, &mut request.fields, &mut who);
            }
            if !found.may_be_kept {
                return Ok(outlook.past(Rule::Route));
            }
            (proxy, script) = (found.proxy, found.script.map(Arc::new));
        }
    }
    let Some(cache) = &site.cache else { return Ok(outlook.past(Rule::NoCache)) };
    outlook.cookies = cookies_of(&request, cache);
    if let Err((_, why)) = eligible(&request, who) {
        outlook.notes.extend(disguises(&request.fields).filter(|_| who.is_disguised).map(|field| {
            let name = seen::shown(field.name);
            format!(
                "`{name}` disguises the request: list the proxy that adds it in `trusted.proxies`, or remove it with \
                 `request.remove` of a route"
            )
        }));
        outlook.why_not.push(WhyNot::of_request(why));
        return Ok(outlook.past(Rule::Passes));
    }
    let mut key = Vec::new();
    unladen_cache::write_key(&request, who.is_https, &cache.policy, &mut key);
    outlook.key = Some(seen::shown(&key));
    outlook.validators = validators_of(&site, &request);
    outlook.notes.extend(left_alone(&site, &request));
    outlook.rule = if outlook.validators.is_empty() { Rule::Lifetime } else { Rule::Validator };
    let wanted = FetchPlan {
        script,
        site: site.clone(),
        proxy,
        request,
        is_https: who.is_https,
        address: peer.address,
        stored: None,
        version: None,
        is_validated: outlook.rule == Rule::Validator,
        requested: unladen_cache::Time::now(),
        peers: None,
        sequence: cache.store.sequence(),
        key,
    };
    if asking.connect {
        trial::run(&config.settings, wanted, who, peer, &mut outlook)?;
    } else {
        outlook.needs = trial::reasons(wanted, plain()).into_iter().map(WhyNot::of_answer).collect();
    }
    if outlook.kept != Some(false) {
        let first = outlook.validators.first().filter(|_| outlook.rule == Rule::Validator);
        let validator = first.and_then(|first| site.validators.get(first.number.checked_sub(1)?));
        let fleet = config.settings.fleet.as_ref();
        outlook.notes.extend(bounds(validator.map(|validator| validator.settings()), fleet));
    }
    Ok(outlook)
}

fn site_of(settings: &SiteSettings) -> Result<Arc<Site>, OutlookError> {
    let cannot = |why: String| OutlookError::Site(format!("`{}`: {why}", settings.proxy.upstream.name));
    let upstream = Upstream::new(settings.proxy.upstream.clone(), 1).map_err(|error| cannot(error.to_string()))?;
    let proxy = Arc::new(Proxy::new(settings.proxy.clone(), upstream, None));
    Site::new(settings.clone(), proxy, 1, None).map(Arc::new).map_err(|error| cannot(error.to_string()))
}

fn request_of(asking: &Asking, site: &Site) -> Result<Request, OutlookError> {
    let url = &asking.url;
    let mut head = format!("GET {}", url.path());
    if let Some(query) = url.query() {
        head.push('?');
        head.push_str(query);
    }
    head.push_str(" HTTP/1.1\r\nhost: ");
    head.push_str(url.host_str().unwrap_or_default());
    if let Some(port) = url.port() {
        head.push_str(&format!(":{port}"));
    }
    let mut head = head.into_bytes();
    for (name, value) in &asking.fields {
        head.extend_from_slice(b"\r\n");
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
    }
    head.extend_from_slice(b"\r\n\r\n");
    let limits = head_limits(&site.proxy.settings.client);
    let mut request = Request::default();
    match request.parse(&head, &limits) {
        Ok(Some(length)) if length == head.len() => Ok(request),
        Ok(_) => Err(OutlookError::Refused(Fault::Field)),
        Err(fault) => Err(OutlookError::Refused(fault)),
    }
}

/// The peer is this machine; by https, if the URL says so and a trusted proxy may have decrypted it.
fn peer_of(settings: &SiteSettings, url: &Url, outlook: &mut Outlook) -> Peer {
    let is_https = url.scheme() == "https";
    let trusts = !settings.trusted.proxies.is_empty() || settings.trusted.unix;
    if is_https && settings.tls.is_none() && !trusts {
        let note = "a server in front uses https, but is not in `trusted.proxies`: the cache key and the application \
            see http";
        outlook.notes.push(note.to_owned());
    }
    if !is_https && settings.tls.is_some() {
        outlook.notes.push("TLS is used there: plain http is not a valid request".to_owned());
    }
    let is_https = settings.tls.is_some() || (is_https && trusts);
    Peer { address: Some(std::net::Ipv4Addr::LOCALHOST.into()), is_https, ..Peer::default() }
}

fn cookies_of(request: &Request, cache: &Cache) -> Vec<CookieSeen> {
    let lines = request.fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cookie"));
    let pairs = lines.flat_map(|field| field.value.split(|byte| *byte == b';')).map(<[u8]>::trim_ascii);
    pairs
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let mut alone = unladen_http1::Fields::default();
            alone.push(b"cookie", pair);
            let name = pair.split(|byte| *byte == b'=').next().unwrap_or_default();
            CookieSeen { name: seen::shown(name), counts: cache.policy.has_cookies(&alone) }
        })
        .collect()
}

/// Validators whose path fits; the first is asked.
fn validators_of(site: &Site, request: &Request) -> Vec<ValidatorSeen> {
    let fits = site.validators_for(&request.target);
    fits.map(|(index, validator, values)| ValidatorSeen::new(index, validator, values)).collect()
}

/// Why a fitting validator is not asked.
fn left_alone(site: &Site, request: &Request) -> Option<String> {
    let by = site.effects.of(&request.target)?;
    let fits = |validator: &&Arc<Validator>| {
        !validator.pattern().names().is_empty() && validator.pattern().read(&request.target).is_some()
    };
    let validator = site.validators.iter().find(fits)?;
    let path = &validator.settings().path;
    Some(format!(
        "a GET for this may have side effects (`{by}`): the validator for `{path}`, which contains names, is not \
         asked; `effects` and `no_effects` change that, and a validator whose `path` has no names is asked"
    ))
}

/// An answer that says nothing of caching.
fn plain() -> Response {
    let mut response = Response { status: 200, ..Response::default() };
    response.fields.push(b"content-type", b"text/html");
    response
}

impl Outlook {
    fn past(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self.kept = Some(false);
        self
    }
}

/// A sentence for each bound. `validator`: the one that decides; `None` if the lifetime does.
fn bounds(validator: Option<&ValidatorSettings>, fleet: Option<&FleetSettings>) -> Vec<String> {
    match (validator, fleet) {
        (Some(validator), _) => of_validator(validator).into_iter().collect(),
        (None, Some(fleet)) => vec![of_fleet(fleet)],
        (None, None) => Vec::new(),
    }
}

fn of_validator(validator: &ValidatorSettings) -> Option<String> {
    let (listen, shared) = (validator.listen.as_ref(), validator.shared.as_ref());
    let oldest = validator.oldest()?;
    if validator.bound().is_none() {
        return Some(of_stale(oldest));
    }
    let mut why = Vec::new();
    if let Some(listen) = listen {
        let heartbeat = format_duration(listen.heartbeat);
        why.push(format!(
            "the database notifies of changes (`listen`), and each request is checked after {heartbeat} without \
             contact"
        ));
    }
    if let Some(shared) = shared {
        why.push(format!("nodes share answers for {} (`shared`)", format_duration(shared.within)));
    }
    if let Some(stale) = validator.stale {
        why.push(format!(
            "while it does not answer, a page is served for {} after it was last known to be current (`stale`)",
            format_duration(stale)
        ));
    }
    // A new request gets no answer either while there is none.
    let whoever = match validator.stale {
        Some(_) => "clients that make a change through this site see it at once, while the validator answers",
        None => "clients that make a change through this site see it at once",
    };
    Some(format!(
        "no request gets a page that was changed more than {} before the request: {}; {whoever}",
        format_duration(oldest),
        why.join(", and ")
    ))
}

/// Only `stale` makes it old.
fn of_stale(stale: Duration) -> String {
    let stale = format_duration(stale);
    format!(
        "while the validator does not answer, a page may be served that was changed up to {stale} before the request \
         (`stale`); while it answers, no page is served that was changed before the request"
    )
}

fn of_fleet(fleet: &FleetSettings) -> String {
    let lease = format_duration(fleet.lease);
    match fleet.when_cut_off {
        WhenCutOff::Revalidate => format!(
            "a purge that all nodes have confirmed has taken effect here; one that nobody waits for takes effect here \
             within {lease}, or the node is cut off and asks the application at each request (`when_cut_off = \
             \"revalidate\"`)"
        ),
        WhenCutOff::Serve => {
            "while this node is cut off from the fleet, the page is served for its whole lifetime, even \
                              if it is purged elsewhere (`when_cut_off = \"serve\"`)"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
