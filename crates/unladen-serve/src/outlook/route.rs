//! [`find`]: which route of a site takes a request, why, and what its path comes to in its folder.

use std::sync::Arc;
use std::time::Instant;

use unladen_files::{RequestPath, Resolved, Script};
use unladen_http1::Request;
use unladen_serve_config::{Application, RouteAction, RouteMatch, SiteSettings};

use super::seen::{RouteSeen, shown};
use crate::proxy::Proxy;
use crate::site::Site;
use crate::site::folder::Folder;
use crate::site::route::{Action, Edits, Route};
use crate::site::routes::ChosenRoute;

pub(super) struct FoundRoute<'s> {
    pub(super) seen: RouteSeen,
    /// Whether the application is asked, and its answer may be cached.
    pub(super) may_be_kept: bool,
    pub(super) proxy: Arc<Proxy>,
    pub(super) script: Option<Script>,
    pub(super) edits: Option<&'s Edits>,
}

/// `None` if the site has no routes, and an upstream for all; an error says why no route can take it.
pub(super) fn find<'s>(site: &'s Site, request: &Request) -> Result<Option<FoundRoute<'s>>, String> {
    let Some(routes) = &site.routes else { return Ok(None) };
    let route = routes.find(&request.method, &request.target).map_err(|error| error.to_string())?;
    let settings = site.settings.routes.iter().find(|settings| settings.name == route.name);
    let mut seen = RouteSeen { answers: answers(site, route), ..RouteSeen::default() };
    match settings {
        Some(settings) => {
            seen.name = Some(settings.name.clone());
            // A preset's route has no line here.
            seen.line = (settings.line > 0).then_some(settings.line);
            seen.because = because(&settings.matching);
            if settings.access.is_some() {
                seen.because.push("`access` decides who is allowed".to_owned());
            }
        }
        None => seen.because = vec!["no [[site.route]] matches, so the site's own settings apply".to_owned()],
    }
    let folder = match &route.action {
        Action::Files(folder) | Action::Scripts(folder) => Some(folder),
        _ => None,
    };
    // The application is asked only if it is no file, redirect or status.
    let chosen = ChosenRoute { route, routes };
    let (script, guards) = match (folder, RequestPath::parse(&request.target)) {
        (Some(folder), Ok(path)) => comes_to(chosen, folder, (request, &path), &mut seen),
        _ => (None, chosen.guards_of_program(request)),
    };
    let mut reaches = script.is_some() || matches!(route.action, Action::Application);
    for guard in guards {
        let comes_to = seen.comes_to.get_or_insert_with(|| "the single program for all paths".to_owned());
        comes_to.push_str("; ");
        comes_to.push_str(&guarded(site, guard));
        reaches &= guard.cache && !matches!(guard.action, Action::Status(400..));
    }
    Ok(Some(FoundRoute {
        seen,
        may_be_kept: reaches && route.cache,
        proxy: route.proxy.clone(),
        script,
        edits: route.request.as_ref(),
    }))
}

fn guarded(site: &Site, guard: &Route) -> String {
    let settings = site.settings.routes.iter().find(|settings| settings.name == guard.name);
    let line = settings.map_or(0, |settings| settings.line);
    let place = if line > 0 { format!("line {line}") } else { "of the preset".to_owned() };
    let name = &guard.name;
    match (&guard.access, &guard.action) {
        (None, Action::Status(status)) => format!("the route `{name}`, {place}, refuses that: {status}"),
        _ => format!("there, `access` of the route `{name}`, {place}, decides who is allowed"),
    }
}

/// What stands for the path; the script, if it is one; and the routes that guard it.
fn comes_to<'r>(
    chosen: ChosenRoute<'r>,
    folder: &Folder,
    (request, path): (&Request, &RequestPath<'_>),
    seen: &mut RouteSeen,
) -> (Option<Script>, Vec<&'r Route>) {
    let mut guards = Vec::new();
    let said = match folder.resolve(path, Instant::now()) {
        Resolved::File(file) => {
            guards = chosen.guards(folder, request, &folder.name_of(&file.path), false);
            format!("the file {}", folder.root.path().join(shown(&file.path)).display())
        }
        Resolved::Script(script) => {
            let info = match script.path_info.as_slice() {
                [] => String::new(),
                info => format!(", with PATH_INFO = {}", shown(info)),
            };
            seen.comes_to = Some(format!("the script {}{info}", script.filename.display()));
            let guards = chosen.guards(folder, request, &script.name, true);
            return (Some(script), guards);
        }
        Resolved::Redirect(to) => format!("a redirect to {}", shown(&to)),
        Resolved::NotFound => "404: there is no such file".to_owned(),
        Resolved::Status(status) => format!("{status}, as set by `try`"),
        Resolved::Refused(refusal) => format!("an error: {refusal}"),
    };
    seen.comes_to = Some(said);
    (None, guards)
}

fn because(matching: &RouteMatch) -> Vec<String> {
    let RouteMatch { prefixes, exact, suffixes, methods } = matching;
    let kinds = [("path", prefixes), ("exact", exact), ("suffix", suffixes), ("method", methods)];
    let said = kinds.into_iter().filter(|(_, list)| !list.is_empty());
    let mut because: Vec<String> = said.map(|(key, list)| format!("`{key}` is {}", list.join(" or "))).collect();
    if because.is_empty() {
        because.push("it handles all its requests".to_owned());
    }
    because
}

fn answers(site: &Site, route: &Route) -> String {
    let of_site = |settings: &SiteSettings| match &settings.application {
        Application::Upstream => "the site's upstream".to_owned(),
        Application::Php(_) => "the site's FastCGI application, and files".to_owned(),
        Application::Files(folder) => format!("files in {}", folder.root.display()),
    };
    let settings = site.settings.routes.iter().find(|settings| settings.name == route.name);
    match settings.map(|settings| &settings.action) {
        None | Some(RouteAction::Site) => of_site(&site.settings),
        Some(RouteAction::Upstream(proxy)) => format!("the upstream `{}`", proxy.upstream.name),
        Some(RouteAction::Php(proxy, _)) => format!("the FastCGI application `{}`", proxy.upstream.name),
        Some(RouteAction::Files(folder)) => format!("files in {}", folder.root.display()),
        Some(RouteAction::Redirect { to, status }) => format!("{status}, a redirect to {to}"),
        Some(RouteAction::Status(status)) => format!("{status}, without asking the application"),
    }
}
