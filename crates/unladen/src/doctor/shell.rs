//! Commands as they are printed for root and for others: [`as_root`].

pub(crate) const AS_ROOT: &str = "sudo unladen doctor";

/// Whether this is root, as far as users go.
pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// With `sudo`, unless this is root.
pub(crate) fn as_root(command: &str) -> String {
    if is_root() { command.to_owned() } else { format!("sudo {command}") }
}
