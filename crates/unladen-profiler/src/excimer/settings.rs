//! The principal type is [`Settings`]: PHP-FPM's properties as reported by our script inside.

use std::fs;
use std::path::{Path, PathBuf};

use crate::capture_request::Captured;
use crate::error::ProfilerError;
use crate::excimer::script::Script;
use crate::excimer::told::{Told, is_on, unit};
use crate::fastcgi::Response;
use unladen_fastcgi::Params;
use unladen_path::parent;

#[derive(Debug, Clone)]
pub(super) struct Settings {
    told: Told,
    /// Its effective user.
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Its root folder as reached from here.
    pub(super) root: PathBuf,
    pub(super) fixes_path_info: bool,
}

impl Settings {
    pub(super) fn question(wrapper: &Path, params: &Params) -> Params {
        let mut asked = Params::default();
        let kept = ["SERVER_NAME", "SERVER_PORT", "SERVER_ADDR", "REMOTE_ADDR", "SERVER_SOFTWARE", "HTTP_HOST"];
        for name in kept {
            if let Some(value) = params.get(name) {
                asked.set(name, value);
            }
        }
        for (name, value) in [
            ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("SERVER_PROTOCOL", "HTTP/1.1"),
            ("REQUEST_METHOD", "GET"),
            ("REQUEST_URI", "/"),
            ("SCRIPT_NAME", "/"),
            ("QUERY_STRING", ""),
            ("UNLADEN_PROFILE_OUT", ""),
        ] {
            asked.set(name, value);
        }
        asked.set("SCRIPT_FILENAME", wrapper.display().to_string());
        asked
    }

    /// Reads the answer. Fails if our script could not be run.
    pub(super) fn read(response: &Response, captured: &Captured, wrapper: &Path) -> Result<Self, ProfilerError> {
        let Some(told) = response.body.split(|byte| *byte == b'\n').find_map(Told::read) else {
            return Err(ProfilerError::Missing {
                what: format!(
                    "PHP-FPM at {} does not run {}: it answers {}{}",
                    captured.address,
                    wrapper.display(),
                    response.status,
                    response.said()
                ),
                remedy: "a pool with chroot, open_basedir (add the folder to it), security.limit_extensions without .php, or a container \
                         of its own keeps it out; profile by the kernel's clock instead (--profiler perf)"
                    .to_owned(),
            });
        };
        let missing =
            |what: &str| ProfilerError::Answer(format!("PHP-FPM at {} does not tell {what}", captured.address));
        let pid = told.pid().ok_or_else(|| missing("its process"))?;
        if parent(pid) != Some(captured.application.pid) && pid != captured.application.pid {
            return Err(missing(
                "a process that is known here: is it in a container of its own? Run unladen where it runs",
            ));
        }
        let (uid, gid) = owner(pid).ok_or_else(|| missing("its user"))?;
        // PHP's default if the setting is unknown.
        let fixes_path_info = told.known_setting("cgi.fix_pathinfo").is_none_or(is_on);
        // The worker may be gone when this is used; its master has the same root.
        let root = PathBuf::from(format!("/proc/{}/root", captured.application.pid));
        Ok(Self { told, uid, gid, root, fixes_path_info })
    }

    /// Fails if the extension is missing, with what to install.
    pub(super) fn check(&self, captured: &Captured) -> Result<(), ProfilerError> {
        let pid = captured.application.pid;
        // The command that makes it reload its settings.
        let reload = match unit(pid, &["php"]) {
            Some(unit) => format!("systemctl reload {unit}"),
            None => format!("kill -USR2 {pid}"),
        };
        self.told.check(&self.root, &format!("php-fpm, process {pid}"), &reload)
    }

    /// Differences under the profiler, and needless costs.
    pub(super) fn notes(&self, script: &Script, document_root: Option<&str>) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(file) = self.user_ini(script, document_root, self.told.setting("user_ini.filename")) {
            notes.push(format!(
                "{} does not count under the profiler: PHP looks for it beside the script that is called first",
                file.display()
            ));
        }
        let prepended = self.told.setting("auto_prepend_file");
        if !prepended.is_empty() {
            notes.push(format!(
                "{prepended} (auto_prepend_file) runs before the profiler starts: it is not in the profile"
            ));
        }
        notes.extend(self.told.notes());
        notes
    }

    /// The settings file of a folder between the document root and the script.
    fn user_ini(&self, script: &Script, document_root: Option<&str>, name: &str) -> Option<PathBuf> {
        let top = document_root.filter(|root| !root.is_empty() && script.path.starts_with(root)).map(Path::new);
        let script = Path::new(&script.path);
        let is_within = |folder: &&Path| top.map_or(Some(*folder) == script.parent(), |top| folder.starts_with(top));
        let files = script.ancestors().skip(1).take_while(is_within).map(|folder| folder.join(name));
        let is_there = |file: &PathBuf| self.root.join(file.strip_prefix("/").unwrap_or(file)).is_file();
        if name.is_empty() { None } else { files.into_iter().find(is_there) }
    }
}

fn owner(pid: u32) -> Option<(u32, u32)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let effective =
        |name| status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().nth(1)?.parse().ok();
    Some((effective("Uid:")?, effective("Gid:")?))
}
