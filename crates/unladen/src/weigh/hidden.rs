//! [`hidden`]: whether there are processes that cannot be seen from here. The principal type is [`Hidden`].

use std::path::Path;

/// The initial PID namespace, by its fixed inode (`PROC_PID_INIT_INO`).
const FIRST: &str = "pid:[4026531836]";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    /// Those of other users: the server is probably one of them.
    OtherUsers,
    /// Those outside this PID namespace: the server may be one of them.
    Outside,
}

impl Hidden {
    /// What cannot be seen, why, and what to do.
    pub(super) fn why(self) -> String {
        match self {
            Self::OtherUsers => {
                "/proc hides the processes of other users (its mount option hidepid), and the server is probably one of them; run it \
                 as root, or mount /proc with hidepid=0"
            }
            Self::Outside => {
                "this is a container, or another PID namespace, and only its own processes can be seen; if the server runs outside \
                 it, run unladen there too, or start the container with --pid=host; if it runs in here, measure longer (--time), or \
                 with more at once (-c)"
            }
        }
        .to_owned()
    }
}

pub(super) fn hidden() -> Option<Hidden> {
    // Readable by everybody, unless /proc is mounted with hidepid.
    let is_hiding = std::fs::read("/proc/1/stat").is_err();
    let namespace = std::fs::read_link("/proc/self/ns/pid");
    told(is_hiding, namespace.ok().as_deref())
}

fn told(is_hiding: bool, namespace: Option<&Path>) -> Option<Hidden> {
    if is_hiding {
        return Some(Hidden::OtherUsers);
    }
    namespace.filter(|namespace| *namespace != Path::new(FIRST)).map(|_| Hidden::Outside)
}

#[cfg(test)]
mod tests;
