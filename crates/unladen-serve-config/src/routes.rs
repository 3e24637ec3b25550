//! [`RouteSettings`]: `[[site.route]]`, and how it is read.

use std::hash::DefaultHasher;

use serde::Serialize;
use unladen_pool::{Protocol, UpstreamSettings};
use unladen_toml::{Bad, Problem, Table, Value};

use super::access::{self, AccessSettings};
use super::application::{self, Application, FolderSettings, ScriptSettings, both};
use super::edits::{self, HeaderEdits};
use super::explain::{Explained, Origin, Showable, Shown};
use super::keys::{self, strangers};
use super::level::Level;
use super::outbound;
use super::outbound::ProxySettings;
use super::reading::Reading;
use super::strings;

/// Settings for some requests of a site: the first match counts.
#[derive(Clone, Debug, Serialize)]
pub struct RouteSettings {
    /// Its name in logs, metrics and explanations.
    pub name: String,
    pub matching: RouteMatch,
    pub action: RouteAction,
    pub response: HeaderEdits,
    /// Edits of the request before it is passed on.
    pub request: HeaderEdits,
    /// Whether the cache may answer, and store answers.
    pub cache: bool,
    /// Bytes of a request's body; `None` for the site's bound.
    pub body_bytes: Option<u64>,
    pub access: Option<AccessSettings>,
    /// The line in the file, counted from 1.
    pub line: usize,
}

/// Which requests a route takes: each list that is not empty needs a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RouteMatch {
    /// Path prefixes of whole segments.
    pub prefixes: Vec<String>,
    pub exact: Vec<String>,
    pub suffixes: Vec<String>,
    pub methods: Vec<String>,
}

/// What answers the requests of a route.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteAction {
    /// The site's own application.
    Site,
    /// Another upstream, by HTTP.
    Upstream(Box<ProxySettings>),
    /// Another upstream, by FastCGI.
    Php(Box<ProxySettings>, ScriptSettings),
    Files(FolderSettings),
    Redirect {
        /// Target: `{uri}`, `{path}`, `{query}` and `{host}` are replaced.
        to: String,
        /// 301, 302, 303, 307 or 308.
        status: u16,
    },
    /// A status, at once.
    Status(u16),
}

// === impl RouteSettings ===

/// Not by `line`: a line more before it does not change a route.
impl PartialEq for RouteSettings {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, matching, action, response, request, cache, body_bytes, access, line: _ } = self;
        (name, matching, action, response) == (&other.name, &other.matching, &other.action, &other.response)
            && (request, cache, body_bytes, access) == (&other.request, &other.cache, &other.body_bytes, &other.access)
    }
}

impl RouteSettings {
    /// The route's other upstream, if any.
    pub fn called(&self) -> Option<&ProxySettings> {
        match &self.action {
            RouteAction::Upstream(proxy) | RouteAction::Php(proxy, _) => Some(proxy),
            _ => None,
        }
    }
}

/// Placeholders in a redirect's target for parts of the request.
const PLACES: [&str; 4] = ["{uri}", "{path}", "{query}", "{host}"];
/// Status of a redirect: method and body stay.
const PERMANENT: u16 = 308;
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];
const PATH: &str = "a path such as \"/static/\", decoded, without a query";
/// Tables that both a route and a `[[site]]` may have.
const GROUPS: [&str; 8] = ["pool", "limits", "timeouts", "retry", "breaker", "outlier", "health", "resolve"];

pub(super) struct OfSite<'s> {
    pub(super) name: &'s str,
    pub(super) proxy: &'s ProxySettings,
    pub(super) application: &'s Application,
}

/// The routes of a `[[site]]`, its own before its preset's; the stamp changes with files they name.
pub(super) fn read_all(
    site: &Level<'_>,
    of: &OfSite<'_>,
    stamp: &mut DefaultHasher,
    r: &mut Reading<'_>,
) -> Vec<RouteSettings> {
    let own = tables(&site.own, r).unwrap_or_default();
    let presets = tables(&site.defaults, r).unwrap_or_default();
    let Some((_, origin)) = site.find("route", r) else {
        site.explain("route", Shown::None, Origin::BuiltIn, r);
        return Vec::new();
    };
    site.explain("route", Shown::Count((own.len() + presets.len()) as u64), origin, r);
    let mut routes: Vec<RouteSettings> = Vec::new();
    let own = own.into_iter().map(|value| (value, None));
    let all = own.chain(presets.into_iter().map(|value| (value, site.preset)));
    for (index, (value, preset)) in all.enumerate() {
        let table = Table::of(&value, "[[site.route]]", "a table");
        let Some(table) = r.keep(table) else { continue };
        r.bads.extend(strangers(&table, &keys::names("route")));
        let (line, span) = (if preset.is_none() { r.line(&table.span()) } else { 0 }, value.span());
        // All of a preset's route comes from the preset: its places are in another text.
        let (own, defaults) = if preset.is_none() { (Some(table), None) } else { (None, Some(table)) };
        let (whose, index) = (site.whose.clone(), Some(index));
        let level = Level { table: "route", whose, index, own, defaults, preset, around: span };
        let Some(route) = route(&level, site, of, line, stamp, r) else { continue };
        if routes.iter().any(|other| other.name == route.name) {
            let value = format!("`{}`, which another route of this site already has", route.name);
            level.refuse("name", value, "a different name: logs and metrics could not distinguish the two", r);
        }
        if let Some(before) = routes.iter().find(|before| takes_all(&before.matching, &route.matching)) {
            let name = &before.name;
            r.warn(
                level.at(&["path", "exact", "suffix", "method"]),
                format!(
                    "no request reaches this route: the route `{name}` before it takes all of them; put this one first"
                ),
            );
        }
        routes.push(route);
    }
    routes
}

/// Whether `first` takes every request that `then` would take.
fn takes_all(first: &RouteMatch, then: &RouteMatch) -> bool {
    if !first.suffixes.is_empty() || !first.exact.is_empty() {
        return first == then;
    }
    let covers = |paths: &[String]| {
        !paths.is_empty() && paths.iter().all(|path| first.prefixes.iter().any(|prefix| begins(path, prefix)))
    };
    let methods = first.methods.is_empty()
        || (!then.methods.is_empty() && then.methods.iter().all(|method| first.methods.contains(method)));
    methods && (first.prefixes.is_empty() || covers(&then.prefixes) || covers(&then.exact))
}

fn tables<'t>(table: &Option<Table<'t>>, r: &mut Reading<'_>) -> Option<Vec<Value<'t>>> {
    let list = table.as_ref()?.get("route")?.list("tables, each headed [[site.route]]");
    r.keep(list)
}

fn begins(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_end_matches('/');
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn route(
    level: &Level<'_>,
    site: &Level<'_>,
    of: &OfSite<'_>,
    line: usize,
    stamp: &mut DefaultHasher,
    r: &mut Reading<'_>,
) -> Option<RouteSettings> {
    let number = level.index.unwrap_or_default() + 1;
    let name = level.take("name", number.to_string(), r, |value, _| outbound::name(value), String::shown);
    let matching = matching(level, r);
    let action = action(level, site, of, &name, &matching, stamp, r);
    let response = edits::of_response(level, r);
    let request = edits::of_request(level, r);
    let access = access::read(level, of.name, stamp, r);
    let has_auth = access.as_ref().is_some_and(|access| access.auth.is_some());
    let cache = level.flag("cache", !has_auth, r);
    if cache && has_auth {
        let expected = "false: pages behind a password are not shared";
        level.refuse("cache", "true, with `access.auth`", expected, r);
    }
    let body_bytes = level.optional("body", r, |value, _| value.bytes(0..=1 << 50), |bytes| Shown::Bytes(*bytes));
    let action = action?;
    let does_something =
        access.is_some() || !response.is_empty() || !request.is_empty() || body_bytes.is_some() || !cache;
    if action == RouteAction::Site && !does_something {
        r.warn(
            level.at(&["path"]),
            "this route does not say what its requests get: they get the same as without it, and skip later routes",
        );
    }
    Some(RouteSettings { name, matching, action, response, request, cache, body_bytes, access, line })
}

fn matching(level: &Level<'_>, r: &mut Reading<'_>) -> RouteMatch {
    RouteMatch {
        prefixes: strings::several(level, "path", Vec::new(), path, r),
        exact: strings::several(level, "exact", Vec::new(), path, r),
        suffixes: strings::several(level, "suffix", Vec::new(), suffix, r),
        methods: strings::several(level, "method", Vec::new(), method, r),
    }
}

/// A path in normalised form, or nothing would match.
fn path(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let wrong = |why: &str| Err(value.refuse(format!("`{text}`"), format!("{PATH}{why}")));
    if !text.starts_with('/') {
        return wrong(if text.contains("://") { ": the site's `hosts` sets the host" } else { "" });
    }
    if text.contains('*') {
        return wrong("; a path already matches everything that begins with it, so leave out `*`");
    }
    if text.contains("//") || text.split('/').any(|segment| matches!(segment, "." | "..")) {
        return wrong(", and normalised: without `//`, `.` and `..`");
    }
    let is_plain = text.chars().all(|letter| !letter.is_control() && !"?#;\\".contains(letter));
    let is_decoded = !text
        .as_bytes()
        .windows(3)
        .any(|three| three[0] == b'%' && three[1].is_ascii_hexdigit() && three[2].is_ascii_hexdigit());
    if is_plain && is_decoded { Ok(text.to_owned()) } else { wrong("") }
}

fn suffix(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let is_suffix = text.chars().all(|letter| !letter.is_control() && !"/?#;\\*%".contains(letter));
    let form = "the end of a path, such as \".pdf\"";
    if is_suffix { Ok(text.to_ascii_lowercase()) } else { Err(value.refuse(format!("`{text}`"), form)) }
}

/// A token in capitals: methods are case-sensitive (RFC 9110, section 9.1).
fn method(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let is_method = text.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_".contains(&byte)) && text.len() <= 32;
    let meant = if text.bytes().any(|byte| byte.is_ascii_lowercase()) { ", in capitals" } else { "" };
    if is_method {
        Ok(text.to_owned())
    } else {
        Err(value.refuse(format!("`{text}`"), format!("a method such as \"GET\"{meant}")))
    }
}

#[allow(clippy::too_many_arguments, reason = "it is the place where all of a route meets")]
fn action(
    level: &Level<'_>,
    site: &Level<'_>,
    of: &OfSite<'_>,
    name: &str,
    matching: &RouteMatch,
    stamp: &mut DefaultHasher,
    r: &mut Reading<'_>,
) -> Option<RouteAction> {
    let upstream = application::origins(level, r);
    let php = application::fastcgi(level, r);
    let root = level.path("root", r);
    let alias = level.path("alias", r);
    let index = level.find("index", r).is_some().then(|| application::index(level, php.is_some(), r));
    let tries = level.find("try", r).is_some().then(|| application::tries(level, r));
    for (key, is_said) in [("index", index.is_some()), ("try", tries.is_some())] {
        if !is_said {
            level.explain(key, Shown::None, Origin::BuiltIn, r);
        } else if root.is_none() && alias.is_none() {
            level.alone(key, "needs a `root` or an `alias`: set one too, or remove this key", r);
        }
    }
    let redirect = level.optional("redirect", r, |value, _| redirect(value), String::shown);
    let status = status(level, redirect.is_some(), r);
    let script = application::script_of(level, php.is_some(), of.application, r);
    // `root` beside `php` is the folder of its scripts.
    let said: Vec<&'static str> = ["upstream", "php", "root", "alias", "redirect", "status"]
        .into_iter()
        .filter(|key| level.find(key, r).is_some())
        .filter(|key| !matches!((*key, &php, &redirect), ("root", Some(_), _) | ("status", _, Some(_))))
        .collect();
    if let [one, other, ..] = said.as_slice() {
        both(level, other, one, r);
        return None;
    }
    let site_folder = match of.application {
        Application::Files(folder) => Some(folder),
        Application::Php(script) => script.folder.as_ref(),
        Application::Upstream => None,
    };
    let tries = tries.unwrap_or_else(application::usual_tries);
    let folder = root.map(|root| FolderSettings {
        root,
        index: index.clone().unwrap_or_else(|| usual_index(site_folder, php.is_some())),
        tries: tries.clone(),
        alias: String::new(),
    });
    let called = if said.first().is_some_and(|key| matches!(*key, "upstream" | "php")) {
        let origins = upstream.clone().or(php.clone())?;
        let mut settings = UpstreamSettings::new(format!("{}/{name}", of.name), origins);
        if php.is_some() {
            settings.http = Protocol::FastCgi;
        }
        Some(Box::new(called(level, site, of, settings, stamp, r)))
    } else {
        of_upstreams_alone(level, r);
        None
    };
    Some(match said.first() {
        None => RouteAction::Site,
        Some(&"upstream") => RouteAction::Upstream(called?),
        Some(&"php") => {
            let script = script?;
            // One program for all paths does not use a folder that it was not given.
            let of_site = site_folder.filter(|_| script.script.is_none());
            let script = ScriptSettings { folder: folder.or_else(|| of_site.cloned()), ..script };
            if script.folder.is_none() && script.script.is_none() {
                let place = "[[site.route]]".into();
                let expected = "the folder of its scripts, such as root = \"/var/www/html\", or [site.route.fastcgi] \
                    with `script`";
                r.refuse(level.at(&["php"]), Problem::Missing { place, key: "root", expected });
            }
            RouteAction::Php(called?, script)
        }
        Some(&"root") => RouteAction::Files(folder?),
        Some(&"alias") => {
            let [prefix] = matching.prefixes.as_slice() else {
                let without = "needs one `path`, which is removed before files are looked up: set `path` to one prefix";
                level.alone("alias", without, r);
                return None;
            };
            RouteAction::Files(FolderSettings {
                root: alias?,
                index: index.unwrap_or_else(|| usual_index(None, false)),
                tries,
                alias: prefix.trim_end_matches('/').to_owned(),
            })
        }
        Some(&"redirect") => RouteAction::Redirect { to: redirect?, status: status.unwrap_or(PERMANENT) },
        Some(_) => RouteAction::Status(status?),
    })
}

fn usual_index(site: Option<&FolderSettings>, php: bool) -> Vec<String> {
    match site {
        // A file that would be a script here is never sent.
        Some(folder) if php => folder.index.clone(),
        _ if php => vec!["index.php".to_owned(), "index.html".to_owned()],
        _ => vec!["index.html".to_owned()],
    }
}

fn status(level: &Level<'_>, redirects: bool, r: &mut Reading<'_>) -> Option<u16> {
    let read = |value: &Value<'_>, _: &mut Reading<'_>| {
        let status = u16::try_from(value.whole(100..=999)?).unwrap_or_default();
        let is_redirect = REDIRECTS.contains(&status);
        let problem = match (redirects, status) {
            (true, _) if is_redirect => None,
            (true, _) => Some("301, 302, 303, 307 or 308"),
            (false, _) if is_redirect => Some("a `redirect` too: it sets where clients are sent"),
            (false, 200..=299 | 400..=599) => None,
            (false, _) => Some("a status of 200 to 299 or 400 to 599"),
        };
        problem.map_or(Ok(Some(status)), |expected| Err(value.refuse(status.to_string(), expected)))
    };
    let usual = redirects.then_some(PERMANENT);
    level.take("status", usual, r, read, |status: &Option<u16>| {
        status.map_or(Shown::None, |status| Shown::Count(u64::from(status)))
    })
}

/// A redirect's target. Text from the client never becomes its host, except the host that was asked for, which is one
/// of the site's.
fn redirect(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let form = "a URL such as \"https://www.example.org{uri}\", or a path such as \"/new{path}\"";
    let wrong = |why: &str| Err(value.refuse(format!("`{text}`"), format!("{form}{why}")));
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let Some(place) = PLACES.iter().find(|place| rest[at..].starts_with(**place)) else {
            return wrong("; only `{uri}`, `{path}`, `{query}` and `{host}` are replaced in braces");
        };
        rest = &rest[at + place.len()..];
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return wrong(", in ASCII without spaces");
    }
    if let Some((scheme, after)) = text.split_once("://") {
        if !matches!(scheme, "http" | "https") {
            return wrong("");
        }
        // A path from the client ends the host's name only if it begins with a slash, as it always does.
        let authority = after.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.strip_suffix("{uri}").or(authority.strip_suffix("{path}")).unwrap_or(authority);
        let bare = host.replace("{host}", "host");
        if bare.is_empty() || bare.contains(['{', '}', '@', '\\']) {
            return wrong("; write out the host, or use `{host}`");
        }
        return Ok(text.to_owned());
    }
    // `//x` and `/\x` are other hosts to browsers; so is an empty text before a client's own path.
    let is_path = text.starts_with('/') && !text.starts_with("//") && !text.starts_with("/\\");
    let is_own = text == "{uri}" || text == "{path}" || (is_path && !text.starts_with("/{"));
    if is_own { Ok(text.to_owned()) } else { wrong("") }
}

/// The other upstream. Missing values are the site's, except its name, its health path and its certificate's name.
fn called(
    level: &Level<'_>,
    site: &Level<'_>,
    of: &OfSite<'_>,
    upstream: UpstreamSettings,
    stamp: &mut DefaultHasher,
    r: &mut Reading<'_>,
) -> ProxySettings {
    let (own, defaults, preset) = match level.preset {
        None => (level.own.clone(), site.own.clone(), None),
        // A preset's route has all there is of its upstream.
        Some(preset) => (level.own.clone(), level.defaults.clone(), Some(preset)),
    };
    let both = Level { own, defaults, preset, ..level.clone() };
    // Explained values go under the route's own keys.
    let before = r.explained.len();
    let (proxy, tls) = outbound::called(&both, level, upstream, of.proxy, r);
    std::hash::Hash::hash(&tls, stamp);
    let told = r.explained.split_off(before);
    tell(level, told, r);
    proxy
}

/// Moves the explained values of the other upstream under its route's keys.
fn tell(level: &Level<'_>, told: Vec<Explained>, r: &mut Reading<'_>) {
    let is_own = |origin: Origin| matches!(origin, Origin::Said(_) | Origin::Preset(_));
    let of_route = keys::names("route");
    for name in of_route.iter().filter(|name| is_of_upstream(name)) {
        let of_group: Vec<&Explained> =
            told.iter().filter(|one| one.key.table == *name && is_own(one.origin)).collect();
        let own = told.iter().rfind(|one| one.key.name == *name && one.key.table == "route");
        if let Some(first) = of_group.first() {
            let table = of_group.iter().map(|one| (one.key.name, one.value.clone())).collect();
            level.explain(name, Shown::Table(table), first.origin, r);
            continue;
        }
        let said = own.filter(|one| is_own(one.origin));
        let (value, origin) = said.map_or((Shown::None, Origin::BuiltIn), |one| (one.value.clone(), one.origin));
        level.explain(name, value, origin, r);
    }
}

fn is_of_upstream(name: &str) -> bool {
    const ONES: [&str; 8] = ["ca", "certificate", "key", "server_name", "insecure", "http", "balance", "host"];
    GROUPS.contains(&name) || ONES.contains(&name)
}

fn of_upstreams_alone(level: &Level<'_>, r: &mut Reading<'_>) {
    for name in keys::names("route").into_iter().filter(|name| is_of_upstream(name)) {
        if level.says(name) {
            let without = "needs an `upstream` or a `php` in the same table: set one too, or remove this key";
            level.alone(name, without, r);
        }
        level.explain(name, Shown::None, Origin::BuiltIn, r);
    }
}
