//! The principal type is [`ChosenRoute`]: the route that has taken a request's path. Others may refuse what the path
//! comes to: `/uploads/a/` is no script, but its `index.php` is one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use unladen_http1::Request;

use super::Routes;
use crate::site::folder::Folder;
use crate::site::readings::{Readings, others};
use crate::site::route::Route;

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
