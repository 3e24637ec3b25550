//! The principal type is [`Routes`]: which route of a site takes a request.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use unladen_files::{PathFault, RootError};
use unladen_http1::{Name, Request};
use unladen_pool::Upstream;
use unladen_serve_config::{
    Application, FolderSettings, Owned, RouteAction, RouteSettings, ScriptSettings, SiteSettings,
};

use super::folder::Folder;
use super::passwords::PasswordsError;
use super::readings::{Readings, others};
use super::route::{Access, Action, Location, Route};
use crate::proxy::Proxy;

/// The first route that fits, else the site's own.
#[derive(Debug)]
pub(crate) struct Routes {
    list: Vec<Route>,
    last: Route,
    refuses: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RoutesError {
    #[error(transparent)]
    Access(#[from] PasswordsError),
    #[error(transparent)]
    Folder(#[from] RootError),
    #[error("the upstream of the route `{route}`: {why}")]
    Upstream { route: String, why: String },
}

/// Why no route takes a request: 400.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoRoute {
    #[error("{0}")]
    Path(#[from] PathFault),
    /// Another reading of the path would lead to another route.
    #[error("an ambiguous path, which could match different routes")]
    Ambiguous,
    /// A field names another method, for which another route would take the request.
    #[error("a field names a method other than the request's, which could match different routes")]
    Disguised,
}

impl Routes {
    /// `None` if all requests go to the site's upstream. `before`: the routes that a reload replaces.
    pub(super) fn new(
        settings: &SiteSettings,
        proxy: &Arc<Proxy>,
        threads: usize,
        before: Option<&Self>,
    ) -> Result<Option<Self>, RoutesError> {
        if settings.routes.is_empty() && settings.application == Application::Upstream {
            return Ok(None);
        }
        let own = Own { settings, proxy, folder: own_folder(settings)? };
        let list = settings.routes.iter().map(|route| own.route(route, threads, before));
        let list = list.collect::<Result<Vec<Route>, _>>()?;
        let refuses = list.iter().any(|route| route.refuses);
        Ok(Some(Self { list, last: Route::last(own.action(), proxy.clone()), refuses }))
    }

    pub(crate) fn find(&self, method: &[u8], target: &[u8]) -> Result<&Route, NoRoute> {
        if self.list.is_empty() {
            return Ok(&self.last);
        }
        // `OPTIONS *` is about the server, not a path (RFC 9110, section 9.3.7).
        if target == b"*" {
            return Ok(&self.last);
        }
        let readings = Readings::of(target)?;
        let mut found = readings.each().map(|path| self.at(method, path));
        let first = found.next().unwrap_or(&self.last);
        if found.any(|other| !std::ptr::eq(first, other)) {
            return Err(NoRoute::Ambiguous);
        }
        Ok(first)
    }

    pub(crate) fn refuses(&self) -> bool {
        self.refuses
    }

    /// Whether a field names a method that leads to another route: some applications go by it.
    pub(crate) fn is_got_round(&self, route: &Route, request: &Request) -> bool {
        let is_method = |name: &[u8]| Owned::find(name).is_some_and(Owned::is_method);
        let mut named = request.fields.iter().filter(|field| field.id == Name::Other && is_method(field.name));
        self.refuses
            && named.any(|field| {
                let other = self.find(field.value.trim_ascii(), &request.target);
                !other.is_ok_and(|other| std::ptr::eq(other, route))
            })
    }

    fn at(&self, method: &[u8], path: &[u8]) -> &Route {
        self.list.iter().find(|route| route.takes(method, path)).unwrap_or(&self.last)
    }

    /// The upstreams besides the site's own.
    pub(crate) fn proxies<'r>(&'r self, own: &'r Arc<Proxy>) -> impl Iterator<Item = &'r Arc<Proxy>> {
        let others = self.list.iter().map(|route| &route.proxy);
        others.filter(|proxy| !Arc::ptr_eq(&proxy.upstream, &own.upstream))
    }

    pub(crate) fn folders(&self) -> Vec<&Arc<Folder>> {
        let mut folders: Vec<&Arc<Folder>> = Vec::new();
        for route in std::iter::once(&self.last).chain(&self.list) {
            if let Action::Files(folder) | Action::Scripts(folder) = &route.action
                && !folders.iter().any(|other| other.root.path() == folder.root.path())
            {
                folders.push(folder);
            }
        }
        folders
    }

    fn proxy(&self, name: &str) -> Option<&Arc<Proxy>> {
        self.list.iter().map(|route| &route.proxy).find(|proxy| proxy.settings.upstream.name == name)
    }
}

struct Own<'s> {
    settings: &'s SiteSettings,
    proxy: &'s Arc<Proxy>,
    folder: Option<Arc<Folder>>,
}

impl Own<'_> {
    fn action(&self) -> Action {
        match (&self.settings.application, &self.folder) {
            (Application::Php(_), Some(folder)) => Action::Scripts(folder.clone()),
            (Application::Files(_), Some(folder)) => Action::Files(folder.clone()),
            _ => Action::Application,
        }
    }

    fn route(&self, route: &RouteSettings, threads: usize, before: Option<&Routes>) -> Result<Route, RoutesError> {
        let files = &self.settings.files;
        let (action, proxy) = match &route.action {
            RouteAction::Site => (self.action(), self.bounded(route)),
            RouteAction::Upstream(_) => (Action::Application, self.called(route, None, threads, before)?),
            RouteAction::Php(_, script) => {
                let folder = script.folder.as_ref().filter(|_| script.script.is_none());
                let folder = folder.map(|folder| open(folder, &script.suffixes, files)).transpose()?;
                let action = folder.map_or(Action::Application, Action::Scripts);
                (action, self.called(route, Some(script), threads, before)?)
            }
            RouteAction::Files(folder) => {
                // A script that FastCGI runs elsewhere must not be sent here.
                let suffixes = match &self.settings.application {
                    Application::Php(script) => script.suffixes.clone(),
                    _ => Vec::new(),
                };
                (Action::Files(open(folder, &suffixes, files)?), self.proxy.clone())
            }
            RouteAction::Redirect { to, status } => (Action::Redirect(Location::new(to, *status)), self.proxy.clone()),
            RouteAction::Status(status) => (Action::Status(*status), self.proxy.clone()),
        };
        let access = route.access.as_ref().map(Access::new).transpose()?;
        Ok(Route::new(route, action, proxy, access))
    }

    fn bounded(&self, route: &RouteSettings) -> Arc<Proxy> {
        match route.body_bytes {
            Some(bytes) => {
                let mut proxy = Proxy::clone(self.proxy);
                proxy.settings.client.body_bytes = Some(bytes);
                Arc::new(proxy)
            }
            None => self.proxy.clone(),
        }
    }

    fn called(
        &self,
        route: &RouteSettings,
        script: Option<&ScriptSettings>,
        threads: usize,
        before: Option<&Routes>,
    ) -> Result<Arc<Proxy>, RoutesError> {
        let Some(settings) = route.called() else { return Ok(self.proxy.clone()) };
        let before = before.and_then(|before| before.proxy(&settings.upstream.name));
        // The files' content may differ under the same names.
        let has_files = settings.upstream.tls.ca.is_some() || settings.upstream.tls.certificate.is_some();
        let kept = before.filter(|before| !has_files && before.settings.upstream == settings.upstream);
        let upstream = match kept {
            Some(kept) => kept.upstream.clone(),
            None => Upstream::new(settings.upstream.clone(), threads)
                .map_err(|source| RoutesError::Upstream { route: route.name.clone(), why: source.to_string() })?,
        };
        let mut settings = settings.clone();
        if let Some(bytes) = route.body_bytes {
            settings.client.body_bytes = Some(bytes);
        }
        let proxy = Proxy::new(settings, upstream, before.map(|before| &**before));
        // All of a site's waiting bodies share one account.
        let (spools, error_page) = (self.proxy.spools.clone(), self.proxy.error_page.clone());
        let proxy = Proxy { spools, error_page, ..proxy };
        Ok(Arc::new(match script {
            Some(script) => proxy.with_script(script),
            None => proxy,
        }))
    }
}

fn own_folder(settings: &SiteSettings) -> Result<Option<Arc<Folder>>, RoutesError> {
    match &settings.application {
        Application::Upstream => Ok(None),
        Application::Files(folder) => open(folder, &[], &settings.files).map(Some),
        Application::Php(script) => {
            let folder = script.folder.as_ref().filter(|_| script.script.is_none());
            folder.map(|folder| open(folder, &script.suffixes, &settings.files)).transpose()
        }
    }
}

fn open(
    folder: &FolderSettings,
    suffixes: &[String],
    files: &unladen_serve_config::FilesSettings,
) -> Result<Arc<Folder>, RoutesError> {
    Ok(Folder::new(folder, suffixes, files).map(Arc::new)?)
}

/// The route that has taken a request's path. Others may refuse what the path comes to: `/uploads/a/` is no script, but
/// its `index.php` is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenRoute<'r> {
    pub(crate) route: &'r Route,
    pub(crate) routes: &'r Routes,
}

#[derive(Debug)]
struct Guards<'r> {
    chosen: ChosenRoute<'r>,
    found: Vec<&'r Route>,
}

impl<'r> ChosenRoute<'r> {
    /// Routes that refuse a file or script by its name, or by what follows that in the path, without having taken the
    /// path itself. Nearly always there are none, and only two paths are compared.
    pub(crate) fn guards(self, folder: &Folder, request: &Request, name: &[u8], is_script: bool) -> Vec<&'r Route> {
        if !self.routes.refuses || path_of(request) == name {
            return Vec::new();
        }
        // It was parsed before.
        let Ok(readings) = Readings::of(&request.target) else { return Vec::new() };
        let mut guards = Guards::of(self);
        // The fallback for all paths is not guarded by its own names.
        if name != readings.path.bytes() && !folder.is_last(name) {
            guards.hold(&request.method, name, true);
        }
        if is_script {
            guards.hold_behind(&request.method, &readings, name);
        }
        guards.found
    }

    /// The same for an application's only program, which takes paths with and without its name in front. Without a
    /// configured name, that of its file is used, as in Symfony.
    pub(crate) fn guards_of_program(self, request: &Request) -> Vec<&'r Route> {
        let script = self.route.proxy.script.as_ref().filter(|_| self.routes.refuses);
        let Some((program, given)) = script.and_then(|script| Some((script.script.as_ref()?, script.name.as_bytes())))
        else {
            return Vec::new();
        };
        let Ok(readings) = Readings::of(&request.target) else { return Vec::new() };
        let file = [b"/", program.file_name().map(OsStr::as_bytes).unwrap_or_default()].concat();
        let name = if given.is_empty() { &file } else { given };
        let mut guards = Guards::of(self);
        guards.hold_behind(&request.method, &readings, name);
        let path = readings.path.bytes();
        // Refusing the file of a program without a name does not mean all paths.
        if !given.is_empty() && !matches!(path.strip_prefix(name), Some([] | [b'/', ..])) {
            guards.hold_path_info(&request.method, &[name, path].concat());
        }
        guards.found
    }
}

fn path_of(request: &Request) -> &[u8] {
    request.target.split(|byte| *byte == b'?').next().unwrap_or_default()
}

impl<'r> Guards<'r> {
    fn of(chosen: ChosenRoute<'r>) -> Self {
        Self { chosen, found: Vec::new() }
    }

    /// Only the first fitting route counts, as for a path that a client sends.
    fn hold(&mut self, method: &[u8], path: &[u8], with_presets: bool) {
        let route = self.chosen.routes.at(method, path);
        let is_known = std::ptr::eq(route, self.chosen.route) || self.found.iter().any(|one| std::ptr::eq(*one, route));
        if route.refuses && (with_presets || !route.is_preset) && !is_known {
            self.found.push(route);
        }
    }

    /// Checks what follows a program's name in the path, in all readings and with any divider: Symfony and Laravel also
    /// take `/index.phpadmin` for `/admin`. An application in a folder takes it for a path beneath that.
    fn hold_behind(&mut self, method: &[u8], readings: &Readings<'_>, name: &[u8]) {
        let slash = name.iter().rposition(|byte| *byte == b'/').unwrap_or_default();
        let folder = name.get(..slash).unwrap_or_default();
        for reading in readings.each() {
            let Some(rest) = reading.strip_prefix(name).filter(|rest| !rest.is_empty()) else { continue };
            let rest = [b"/", rest.strip_prefix(b"/").unwrap_or(rest)].concat();
            self.hold_path_info(method, &rest);
            if !folder.is_empty() {
                self.hold_path_info(method, &[folder, &rest].concat());
            }
        }
    }

    /// Most applications take `/index.php/admin` for `/admin`. Presets are exempt, as they refuse files: a wiki may
    /// have a page named like one of their folders.
    fn hold_path_info(&mut self, method: &[u8], path_info: &[u8]) {
        self.hold(method, path_info, false);
        // It was no error for the whole path.
        for other in others(path_info).unwrap_or_default().iter() {
            self.hold(method, other, false);
        }
    }
}

#[cfg(test)]
mod tests;
