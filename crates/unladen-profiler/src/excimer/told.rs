//! The principal type is [`Told`]: a PHP's properties as reported by our script inside.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::error::ProfilerError;

const MAGIC: &[u8] = b"{\"unladen\":1,";

#[derive(Debug, Clone)]
pub(super) struct Told(Value);

impl Told {
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        if line.starts_with(MAGIC) { serde_json::from_slice(line).ok().map(Self) } else { None }
    }

    /// Its process id, in its own namespace.
    pub(super) fn pid(&self) -> Option<u32> {
        self.0["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
    }

    pub(super) fn setting(&self, name: &str) -> &str {
        self.known_setting(name).unwrap_or_default()
    }

    pub(super) fn known_setting(&self, name: &str) -> Option<&str> {
        self.0["ini"][name].as_str()
    }

    /// Fails if the extension is not loaded, with what to install. `root` is PHP's root folder as reached from here,
    /// `who` its process for people, and `reload` the command that makes it reload its settings.
    pub(super) fn check(&self, root: &Path, who: &str, reload: &str) -> Result<(), ProfilerError> {
        if self.0["excimer"].is_string() {
            return Ok(());
        }
        let php = self.0["php"].as_str().unwrap_or("?");
        let short: String = php.split('.').take(2).collect::<Vec<_>>().join(".");
        let module = Path::new(self.0["extension_dir"].as_str().unwrap_or_default()).join("excimer.so");
        let is_installed = root.join(module.strip_prefix("/").unwrap_or(&module)).exists();
        let is_debian = root.join("etc/debian_version").exists();
        let remedy = match (is_installed, is_debian) {
            (true, true) => format!("it is installed, but not loaded: phpenmod -v {short} excimer, then {reload}"),
            (true, false) => {
                format!(
                    "{} is there, but not loaded: put extension=excimer.so into php.ini, then {reload}",
                    module.display()
                )
            }
            (false, true) => {
                format!("apt-get install php-excimer (php{short}-excimer where PHP is not Debian's own), then {reload}")
            }
            (false, false) => format!(
                "install Excimer for PHP {short} (pecl install excimer; php-pecl-excimer of Remi's packages), put extension=excimer.so into \
                 php.ini, then {reload}"
            ),
        };
        Err(ProfilerError::Missing { what: format!("PHP {php} ({who}) has not loaded Excimer"), remedy })
    }

    /// Needless costs, and differences under the profiler.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_loaded("xdebug") && self.setting("xdebug.mode") != "off" {
            notes.push("Xdebug is loaded: it makes function calls slow, and the profile shows that".to_owned());
        }
        if !is_on(self.setting("opcache.enable")) {
            notes.push(
                "opcache is off: each request compiles its files again, and the profile shows that as their include"
                    .to_owned(),
            );
        }
        if self.setting("zend.assertions") == "1" {
            notes.push("zend.assertions is 1, which is for development: assertions are in the profile".to_owned());
        }
        notes
    }

    fn is_loaded(&self, name: &str) -> bool {
        self.0["loaded"].as_array().is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
    }
}

pub(super) fn is_on(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "1" | "on" | "yes" | "true")
}

/// The process's unit without its suffix, if its name contains one of these words.
pub(super) fn unit(pid: u32, words: &[&str]) -> Option<String> {
    let cgroup = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let mut names = cgroup.lines().filter_map(|line| line.rsplit('/').next()?.strip_suffix(".service"));
    names.find(|name| words.iter().any(|word| name.contains(word))).map(str::to_owned)
}
