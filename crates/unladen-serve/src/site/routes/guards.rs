//! The principal type is [`ChosenRoute`]: the route that has taken a request's path. Others may refuse what the path
//! then comes to: `/uploads/a/` is no script, and its `index.php` is one.

use unladen_files::RequestPath;
use unladen_http1::Request;

use super::Routes;
use crate::site::folder::Folder;
use crate::site::readings::others;
use crate::site::route::Route;

/// The route that has taken a request's path, among the site's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenRoute<'r> {
    pub(crate) route: &'r Route,
    pub(crate) routes: &'r Routes,
}

/// Routes that guard what a path has come to.
#[derive(Debug)]
struct Guards<'r> {
    chosen: ChosenRoute<'r>,
    found: Vec<&'r Route>,
}

// === impl ChosenRoute ===

impl<'r> ChosenRoute<'r> {
    /// The routes that refuse a file or a script by its name, or by what follows that in the path, though they have not
    /// taken the path itself. Nearly always there are none, and nothing is compared but the two paths.
    pub(crate) fn guards(self, folder: &Folder, request: &Request, name: &[u8], is_script: bool) -> Vec<&'r Route> {
        if !self.routes.refuses || path_of(request) == name {
            return Vec::new();
        }
        // It has been a path before.
        let Ok(path) = RequestPath::parse(&request.target) else { return Vec::new() };
        let mut guards = Guards::of(self);
        // Whatever stands for all paths is guarded by none of its own names.
        if name != path.bytes() && !folder.is_last(name) {
            guards.hold(&request.method, name, true);
        }
        let path_info = path.bytes().strip_prefix(name).filter(|rest| is_script && rest.first() == Some(&b'/'));
        if let Some(path_info) = path_info {
            guards.hold_path_info(&request.method, path_info);
        }
        guards.found
    }

    /// The same for the one program of all paths, which takes them with and without its name at their beginning.
    pub(crate) fn guards_of_program(self, request: &Request) -> Vec<&'r Route> {
        let script = self.route.proxy.script.as_ref().filter(|script| script.script.is_some());
        let name = script.map_or("", |script| &script.name).as_bytes();
        if !self.routes.refuses || name.is_empty() {
            return Vec::new();
        }
        let Ok(path) = RequestPath::parse(&request.target) else { return Vec::new() };
        let mut guards = Guards::of(self);
        match path.bytes().strip_prefix(name) {
            Some([]) => (),
            Some(rest @ [b'/', ..]) => guards.hold_path_info(&request.method, rest),
            _ => guards.hold_path_info(&request.method, &[name, path.bytes()].concat()),
        }
        guards.found
    }
}

fn path_of(request: &Request) -> &[u8] {
    request.target.split(|byte| *byte == b'?').next().unwrap_or_default()
}

// === impl Guards ===

impl<'r> Guards<'r> {
    fn of(chosen: ChosenRoute<'r>) -> Self {
        Self { chosen, found: Vec::new() }
    }

    /// Only the first route that fits counts, as for a path that a client sends.
    fn hold(&mut self, method: &[u8], path: &[u8], with_presets: bool) {
        let route = self.chosen.routes.at(method, path);
        let is_known = std::ptr::eq(route, self.chosen.route) || self.found.iter().any(|one| std::ptr::eq(*one, route));
        if route.refuses && (with_presets || !route.is_preset) && !is_known {
            self.found.push(route);
        }
    }

    /// Most applications take `/index.php/admin` for `/admin`. What presets refuse are files: a wiki may have a page
    /// that is called as one of their folders is.
    fn hold_path_info(&mut self, method: &[u8], path_info: &[u8]) {
        self.hold(method, path_info, false);
        // Of the whole path this has been no error.
        for other in others(path_info).unwrap_or_default().iter().flatten() {
            self.hold(method, other, false);
        }
    }
}
