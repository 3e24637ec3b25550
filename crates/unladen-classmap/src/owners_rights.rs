//! Reads an application with the rights of its owner. The principal type is [`OwnersRights`].

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::unistd::{Gid, Uid, setfsgid, setfsuid};

/// While it lives, this thread, and each thread that it starts, opens files with the rights of another user.
///
/// Root reads folders of other users, who may put links in them to what they cannot read themselves: its class names
/// would get into a map that they can read. The kernel checks each access (`setfsuid(2)`). Nothing changes for others
/// than root, nor in folders of root.
pub struct OwnersRights {
    own: Option<(Uid, Gid)>,
}

impl OwnersRights {
    /// Those of a folder's owner and group.
    pub(crate) fn of(folder: &Path) -> Self {
        folder.metadata().map_or(Self { own: None }, |folder| Self::of_user(folder.uid().into(), folder.gid().into()))
    }

    /// Those of a user and a group.
    pub fn of_user(user: Uid, group: Gid) -> Self {
        let own = (Uid::effective().is_root() && !user.is_root()).then(|| {
            let gid = setfsgid(group);
            (setfsuid(user), gid)
        });
        Self { own }
    }
}

impl Drop for OwnersRights {
    fn drop(&mut self) {
        if let Some((uid, gid)) = self.own {
            setfsuid(uid);
            setfsgid(gid);
        }
    }
}
