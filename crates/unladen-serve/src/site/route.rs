//! The principal type is [`Route`]: what some requests of a site get.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use unladen_http1::{Fields, Request};
use unladen_serve_config::{AccessSettings, HeaderEdits, RouteAction, RouteMatch, RouteSettings};

use super::folder::Folder;
use super::hosts::Name;
use super::passwords::{Passwords, PasswordsError};
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
    matching: RouteMatch,
    /// Whether a suffix may end any segment: what follows a refused segment is refused too, and a script may have a
    /// path behind it.
    is_of_any_segment: bool,
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
            matching: settings.matching.clone(),
            is_of_any_segment,
        }
    }

    pub(super) fn last(action: Action, proxy: Arc<Proxy>) -> Self {
        Self {
            name: String::new(),
            action,
            proxy,
            response: None,
            request: None,
            cache: true,
            access: None,
            refuses: false,
            is_preset: false,
            matching: RouteMatch::default(),
            is_of_any_segment: false,
        }
    }

    /// Whether it takes a request for this normalised path.
    pub(crate) fn takes(&self, method: &[u8], path: &[u8]) -> bool {
        let RouteMatch { prefixes, exact, suffixes, methods } = &self.matching;
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
        match self.is_of_any_segment {
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

/// Whom a route lets in.
#[derive(Debug)]
pub(crate) struct Access {
    settings: AccessSettings,
    /// `None` if no password is needed.
    pub(crate) passwords: Option<Arc<Passwords>>,
    /// Value of `WWW-Authenticate` (RFC 7617, section 2).
    pub(crate) challenge: Vec<u8>,
}

impl Access {
    pub(super) fn new(settings: &AccessSettings) -> Result<Self, PasswordsError> {
        let auth = settings.auth.as_ref();
        let realm = auth.map_or("", |auth| &auth.realm);
        let challenge = format!("Basic realm=\"{realm}\", charset=\"UTF-8\"").into_bytes();
        let passwords = auth.map(|auth| Passwords::read(&auth.users).map(Arc::new)).transpose()?;
        Ok(Self { settings: settings.clone(), passwords, challenge })
    }

    /// Whether a client may ask from this address; `None` for a Unix socket.
    pub(crate) fn lets_in(&self, address: Option<IpAddr>) -> bool {
        let AccessSettings { allow, allow_unix, deny, deny_unix, .. } = &self.settings;
        let everywhere = allow.is_empty() && !allow_unix;
        let Some(address) = address.map(|address| address.to_canonical()) else {
            return !deny_unix && (everywhere || *allow_unix);
        };
        let has = |nets: &[IpNet]| nets.iter().any(|net| net.contains(&address));
        !has(deny) && (everywhere || has(allow))
    }
}

/// Fields of a message that a route sets and removes.
#[derive(Debug)]
pub(crate) struct Edits {
    set: Vec<Set>,
    remove: Vec<Box<[u8]>>,
}

type Set = (Box<[u8]>, Box<[u8]>);

impl Edits {
    /// `None` if nothing is edited.
    pub(crate) fn of(settings: &HeaderEdits) -> Option<Self> {
        let bytes = |text: &String| Box::from(text.as_bytes());
        let set = settings.set.iter().map(|(name, value)| (bytes(name), bytes(value))).collect();
        (!settings.is_empty()).then(|| Self { set, remove: settings.remove.iter().map(bytes).collect() })
    }

    /// Removes the fields to remove, and those to be set.
    pub(crate) fn take_off(&self, fields: &mut Fields) {
        let is_gone = |name: &[u8]| {
            self.remove.iter().any(|gone| gone.eq_ignore_ascii_case(name))
                || self.set.iter().any(|(set, _)| set.eq_ignore_ascii_case(name))
        };
        fields.retain(|field| !is_gone(field.name));
    }

    pub(crate) fn apply(&self, fields: &mut Fields) {
        self.take_off(fields);
        for (name, value) in &self.set {
            fields.push(name, value);
        }
    }
}

/// Where a route's redirect leads.
#[derive(Debug)]
pub(crate) struct Location {
    pieces: Vec<Piece>,
    pub(crate) status: u16,
}

#[derive(Debug)]
enum Piece {
    Text(Box<[u8]>),
    Uri,
    Path,
    /// Without its `?`.
    Query,
    /// Without its port.
    Host,
}

impl Location {
    pub(crate) fn new(text: &str, status: u16) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, behind)) = after.split_once('}') else { break };
            if !before.is_empty() {
                pieces.push(Piece::Text(before.as_bytes().into()));
            }
            pieces.push(match name {
                "uri" => Piece::Uri,
                "path" => Piece::Path,
                "query" => Piece::Query,
                "host" => Piece::Host,
                // The configuration has refused all others.
                other => Piece::Text(format!("{{{other}}}").as_bytes().into()),
            });
            rest = behind;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.as_bytes().into()));
        }
        Self { pieces, status }
    }

    /// `None` if the request names no host, which is needed.
    pub(crate) fn of(&self, request: &Request) -> Option<Vec<u8>> {
        let target: &[u8] = if request.target.first() == Some(&b'/') { &request.target } else { b"/" };
        let mut split = target.splitn(2, |byte| *byte == b'?');
        let (path, query) = (split.next().unwrap_or_default(), split.next().unwrap_or_default());
        let mut to = Vec::with_capacity(target.len() + 64);
        for piece in &self.pieces {
            // A leading part could name another host.
            let own = |part| if to.is_empty() { one_slash(part) } else { part };
            let part = match piece {
                Piece::Text(text) => text,
                Piece::Uri => own(target),
                Piece::Path => own(path),
                Piece::Query => query,
                Piece::Host => {
                    let name = Name::of(&request.authority).filter(is_host)?;
                    to.extend_from_slice(name.bytes());
                    continue;
                }
            };
            to.extend_from_slice(part);
        }
        Some(to)
    }
}

/// A path that is not taken for a host: browsers read `//x`, `/\x` and `\x` as one.
fn one_slash(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    path.get(slashes.saturating_sub(1)..).filter(|path| path.first() == Some(&b'/')).unwrap_or(b"/")
}

fn is_host(name: &Name) -> bool {
    name.bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(byte))
}

#[cfg(test)]
mod tests;
