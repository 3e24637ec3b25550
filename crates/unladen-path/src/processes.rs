//! Children and names of processes, from /proc.

use std::collections::HashMap;
use std::fs;

use unladen_probe::parent;

/// Process 1 holds the sockets of all socket-activated services, and is everybody's ancestor.
pub(crate) const INIT: u32 = 1;

/// A process's name for people: `nginx (process 4711)`.
pub fn name_of(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match name.trim() {
        "" => format!("process {pid}"),
        name => format!("{name} (process {pid})"),
    }
}

#[derive(Debug, Default)]
pub(crate) struct Family {
    children: HashMap<u32, Vec<u32>>,
}

impl Family {
    pub(crate) fn now() -> Self {
        let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        Self::of(pids.filter_map(|pid| Some((pid, parent(pid)?))))
    }

    fn of(pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (pid, parent) in pairs {
            children.entry(parent).or_default().push(pid);
        }
        Self { children }
    }

    /// These and their descendants, at most `most`; of process 1 only itself.
    pub(crate) fn with_descendants(&self, of: &[u32], most: usize) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        let mut next = of.to_vec();
        while let Some(pid) = next.pop() {
            if all.len() < most && !all.contains(&pid) {
                all.push(pid);
                let children = self.children.get(&pid).filter(|_| pid != INIT);
                next.extend(children.into_iter().flatten());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
