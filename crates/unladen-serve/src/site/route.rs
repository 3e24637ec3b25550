//! The principal type is [`Route`]: what some requests of a site get.

use std::sync::Arc;

use unladen_serve_config::{RouteAction, RouteMatch, RouteSettings};

use super::access::Access;
use super::edits::Edits;
use super::folder::Folder;
use super::location::Location;
use crate::proxy::Proxy;

#[derive(Debug)]
pub(crate) struct Route {
    /// Empty for the site's own.
    pub(crate) name: String,
    pub(crate) action: Action,
    /// Where its application is called, with the bounds that hold for it.
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) response: Option<Arc<Edits>>,
    pub(crate) request: Option<Edits>,
    pub(crate) cache: bool,
    pub(crate) access: Option<Access>,
    /// Whether it may refuse: such routes are also checked against what a path comes to.
    pub(crate) refuses: bool,
    /// From a preset: it refuses files, not an application's paths.
    pub(crate) is_preset: bool,
    matching: Matching,
}

#[derive(Debug)]
pub(crate) enum Action {
    Application,
    /// Files, and programs that FastCGI runs.
    Scripts(Arc<Folder>),
    Files(Arc<Folder>),
    Redirect(Location),
    Status(u16),
}

#[derive(Debug)]
struct Matching {
    settings: RouteMatch,
    /// Whether a suffix may end any segment: what follows a refused segment is refused too, and a script may have a
    /// path behind it.
    is_of_any_segment: bool,
}

impl Route {
    pub(super) fn new(settings: &RouteSettings, action: Action, proxy: Arc<Proxy>, access: Option<Access>) -> Self {
        let refuses = matches!(settings.action, RouteAction::Status(400..)) || access.is_some();
        let is_of_any_segment = refuses || matches!(settings.action, RouteAction::Php(..));
        Self {
            name: settings.name.clone(),
            action,
            proxy,
            response: Edits::of(&settings.response).map(Arc::new),
            request: Edits::of(&settings.request),
            cache: settings.cache,
            access,
            refuses,
            // No line of the configuration says so.
            is_preset: settings.line == 0,
            matching: Matching { settings: settings.matching.clone(), is_of_any_segment },
        }
    }

    pub(super) fn last(action: Action, proxy: Arc<Proxy>) -> Self {
        let matching = Matching { settings: RouteMatch::default(), is_of_any_segment: false };
        let name = String::new();
        Self {
            name,
            action,
            proxy,
            response: None,
            request: None,
            cache: true,
            access: None,
            refuses: false,
            is_preset: false,
            matching,
        }
    }

    /// Whether it takes a request for this normalised path.
    pub(crate) fn takes(&self, method: &[u8], path: &[u8]) -> bool {
        let RouteMatch { prefixes, exact, suffixes, methods } = &self.matching.settings;
        (methods.is_empty() || methods.iter().any(|one| is_method(one.as_bytes(), method)))
            && (prefixes.is_empty() || prefixes.iter().any(|prefix| begins(path, prefix.as_bytes())))
            && (exact.is_empty() || exact.iter().any(|one| self.is_exact(path, one.as_bytes())))
            && (suffixes.is_empty() || suffixes.iter().any(|suffix| self.ends(path, suffix.as_bytes())))
    }

    /// Many applications ignore a final slash.
    fn is_exact(&self, path: &[u8], one: &[u8]) -> bool {
        path == one || (self.refuses && path.strip_suffix(b"/") == Some(one))
    }

    fn ends(&self, path: &[u8], suffix: &[u8]) -> bool {
        let ends = |text: &[u8]| {
            let at = text.len().checked_sub(suffix.len());
            at.and_then(|at| text.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
        };
        match self.matching.is_of_any_segment {
            true => path.split(|byte| *byte == b'/').any(ends),
            false => ends(path),
        }
    }
}

/// HEAD is allowed wherever GET is (RFC 9110, section 9.3.2). Case-insensitive: `post` is another method than `POST`
/// (section 9.1), but many applications take it for that.
fn is_method(one: &[u8], method: &[u8]) -> bool {
    one.eq_ignore_ascii_case(method) || (one.eq_ignore_ascii_case(b"GET") && method.eq_ignore_ascii_case(b"HEAD"))
}

/// By whole segments: `/static` and `/static/` cover `/static` and all below it.
fn begins(path: &[u8], prefix: &[u8]) -> bool {
    let prefix = prefix.strip_suffix(b"/").unwrap_or(prefix);
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.first() == Some(&b'/'))
}
