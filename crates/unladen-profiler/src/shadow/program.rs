//! The principal type is [`Program`]: what a running process was started as.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{getegid, geteuid};
use unladen_machine::in_own_session;
use unladen_trace::without_secrets;

use crate::application::Application;
use crate::profiler::ProfilerError;

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) exe: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: PathBuf,
    pub(crate) user: u32,
    pub(crate) group: u32,
    groups: Vec<u32>,
}

impl Program {
    /// Reads a process, including its environment, which takes its user or root. Fails if that is not allowed, or it
    /// has a root folder of its own.
    pub(crate) fn of(application: &Application) -> Result<Self, ProfilerError> {
        let proc = PathBuf::from(format!("/proc/{}", application.pid));
        let failed = |path: PathBuf| move |source: io::Error| ProfilerError::Io { doing: "cannot read", path, source };
        let link = |name: &str| fs::read_link(proc.join(name)).map_err(failed(proc.join(name)));
        if link("root")? != Path::new("/") {
            return Err(ProfilerError::NotFound(format!(
                "process {} has its own root folder: a second one cannot be started from here; run unladen inside it",
                application.pid
            )));
        }
        let environ = proc.join("environ");
        let environment = fs::read(&environ).map_err(failed(environ))?;
        let path = proc.join("status");
        let status = fs::read_to_string(&path).map_err(failed(path.clone()))?;
        let ids = |name: &str| -> Option<Vec<u32>> {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_ascii_whitespace().map(|id| id.parse().ok()).collect()
        };
        // Real, effective and saved ones: if they differ, the new process would get rights that this one may give up.
        let one = |name: &str| {
            let ids = ids(name)?;
            let first = ids.first().copied()?;
            ids.iter().take(3).all(|id| *id == first).then_some(first)
        };
        let (Some(user), Some(group), Some(groups)) = (one("Uid"), one("Gid"), ids("Groups")) else {
            return Err(failed(path)(io::Error::other("it has more than one user or group")));
        };
        if link("exe")? != application.exe {
            return Err(failed(proc.join("exe"))(io::Error::other("it runs another program now")));
        }
        Ok(Self {
            exe: without_deleted(&application.exe),
            arguments: application
                .command
                .iter()
                .skip(1)
                .map(|argument| OsString::from_vec(argument.clone()))
                .collect(),
            environment: variables(&environment),
            folder: link("cwd")?,
            user,
            group,
            groups,
        })
    }

    pub(crate) fn name(&self) -> String {
        let words = std::iter::once(self.exe.as_os_str()).chain(self.arguments.iter().map(OsString::as_os_str));
        without_secrets(&words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.user == geteuid().as_raw() && self.group == getegid().as_raw()
    }

    pub(crate) fn with_arguments(&self, arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(OsString::from).collect(), ..self.clone() }
    }

    /// A command of setpriv(1), which becomes this program as its user, in a session of its own.
    ///
    /// Until then it runs as root. So variables for the loader and the C library stay out of its environment, and are
    /// added by env(1) afterwards.
    pub(crate) fn command(&self, besides: &Besides) -> Command {
        let mut command = in_own_session(Path::new("/usr/bin/setpriv"));
        let variables = self.environment.iter().chain(&besides.environment).cloned();
        let (heeded, others): (Vec<_>, Vec<_>) =
            variables.partition(|(name, _)| !self.is_ours() && is_heeded(name.as_bytes()));
        if !self.is_ours() {
            command.arg("--reuid").arg(self.user.to_string()).arg("--regid").arg(self.group.to_string());
            if self.groups.is_empty() {
                command.arg("--clear-groups");
            } else {
                let groups: Vec<String> = self.groups.iter().map(u32::to_string).collect();
                command.arg("--groups").arg(groups.join(","));
            }
        }
        command.args(["--pdeathsig", "KILL", "--"]);
        if !heeded.is_empty() {
            command.arg("/usr/bin/env");
        }
        for (name, value) in heeded {
            let mut pair = name;
            pair.push("=");
            pair.push(value);
            command.arg(pair);
        }
        command.arg(&self.exe).args(&besides.arguments).args(&self.arguments);
        command.env_clear().envs(others).current_dir(&self.folder);
        command
    }
}

/// Whether the dynamic loader or the C library use a variable as a program starts (ld.so(8), gconv, locales, malloc).
fn is_heeded(name: &[u8]) -> bool {
    let begins = [&b"LD_"[..], b"GLIBC_", b"GCONV_", b"MALLOC_", b"NLSPATH", b"PATH"];
    begins.iter().any(|begin| name.starts_with(begin)) || name.ends_with(b"LOCPATH")
}

/// The package may have been upgraded since: then the current file is as near as can be.
fn without_deleted(exe: &Path) -> PathBuf {
    let text = exe.to_string_lossy();
    text.strip_suffix(" (deleted)").map_or_else(|| exe.to_owned(), PathBuf::from)
}

fn variables(environ: &[u8]) -> Vec<(OsString, OsString)> {
    let variable = |text: &[u8]| {
        let at = text.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
        Some((OsString::from_vec(text[..at].to_vec()), OsString::from_vec(text[at + 1..].to_vec())))
    };
    environ.split(|byte| *byte == 0).filter_map(variable).collect()
}

/// What a shadow process has in addition to the program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Besides {
    /// Before all others.
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

#[cfg(test)]
mod tests;
