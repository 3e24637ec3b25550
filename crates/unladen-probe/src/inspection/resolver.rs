//! The principal type is [`ProcResolver`]: looks descriptors up in /proc.

use unladen_trace::Resolver;

pub(super) struct ProcResolver;

impl Resolver for ProcResolver {
    fn path_of(&self, pid: u32, fd: i32) -> Option<String> {
        link(&format!("/proc/{pid}/fd/{fd}"))
    }

    fn folder_of(&self, pid: u32) -> Option<String> {
        link(&format!("/proc/{pid}/cwd"))
    }
}

fn link(path: &str) -> Option<String> {
    let path = std::fs::read_link(path).ok()?.to_string_lossy().into_owned();
    path.starts_with('/').then_some(path)
}
