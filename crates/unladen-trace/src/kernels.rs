//! [`is_kernels`]: whether a path is no file that somebody keeps.

use std::path::Path;

/// Where devices are, and what the kernel makes up.
const FOLDERS: [&str; 3] = ["/dev", "/proc", "/sys"];
/// A place for files all the same: shared memory, in which some keep PHP's sessions.
const SHARED_MEMORY: &str = "/dev/shm";

/// Whether a path leads to a device, or to what the kernel makes up when it is read. What is in shared memory is a file
/// like others: it takes memory until somebody removes it.
pub fn is_kernels(path: &str) -> bool {
    let path = Path::new(path);
    FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.starts_with(SHARED_MEMORY)
}

#[cfg(test)]
mod tests;
