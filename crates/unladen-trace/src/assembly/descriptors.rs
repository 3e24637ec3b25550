//! The principal type is [`Descriptors`]: the files behind descriptors.

use std::collections::HashMap;

/// Looks up what no event told: files that were open before tracing began.
pub trait Resolver {
    fn path_of(&self, pid: u32, fd: i32) -> Option<String>;
    fn folder_of(&self, pid: u32) -> Option<String>;
}

#[derive(Debug, Default)]
pub(super) struct Descriptors {
    processes: HashMap<u32, Process>,
}

#[derive(Debug, Default, Clone)]
struct Process {
    files: HashMap<i32, String>,
    folder: Option<String>,
}

/// Descriptors remembered for a process: its own limit is usually 1,024.
const MAX_FILES: usize = 65_536;

impl Descriptors {
    pub(super) fn opened(&mut self, pid: u32, fd: i32, path: &str) {
        let files = &mut self.processes.entry(pid).or_default().files;
        if files.len() < MAX_FILES {
            files.insert(fd, path.to_owned());
        }
    }

    pub(super) fn closed(&mut self, pid: u32, fd: i32) {
        if let Some(process) = self.processes.get_mut(&pid) {
            process.files.remove(&fd);
        }
    }

    pub(super) fn forked(&mut self, parent: u32, child: u32) {
        if let Some(process) = self.processes.get(&parent) {
            self.processes.insert(child, process.clone());
        }
    }

    pub(super) fn ended(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    pub(super) fn changed_folder(&mut self, pid: u32, folder: String) {
        self.processes.entry(pid).or_default().folder = Some(folder);
    }

    /// The path behind a descriptor whose file has this name: as it was opened, else as the system reports now, else
    /// the name.
    pub(super) fn path(&mut self, pid: u32, fd: i32, name: &str, resolver: &dyn Resolver) -> String {
        let is_it = |path: &str| path.rsplit('/').next() == Some(name);
        let files = &mut self.processes.entry(pid).or_default().files;
        if let Some(path) = files.get(&fd).filter(|path| is_it(path)) {
            return path.clone();
        }
        let path = resolver.path_of(pid, fd).filter(|path| is_it(path)).unwrap_or_else(|| name.to_owned());
        if files.len() < MAX_FILES {
            files.insert(fd, path.clone());
        }
        path
    }

    /// The absolute path of a call's argument.
    pub(super) fn absolute(&mut self, pid: u32, folder: Option<i32>, path: &str, resolver: &dyn Resolver) -> String {
        if path.starts_with('/') {
            return clean(path);
        }
        let process = self.processes.entry(pid).or_default();
        let from = match folder {
            Some(fd) => process.files.get(&fd).cloned().or_else(|| resolver.path_of(pid, fd)),
            None => {
                if process.folder.is_none() {
                    process.folder = resolver.folder_of(pid);
                }
                process.folder.clone()
            }
        };
        match from {
            Some(from) => clean(&format!("{}/{path}", from.trim_end_matches('/'))),
            None => path.to_owned(),
        }
    }
}

/// Removes `//`, `/./` and `/folder/../`, so that a file has one name. (A symbolic link before `..` would change the
/// file; that is rare, and the path is for people.)
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests;
