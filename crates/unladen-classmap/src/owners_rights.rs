//! Reads an application with the rights of its owner. The principal type is [`OwnersRights`].

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::unistd::{Gid, Uid, setfsgid, setfsuid};

/// While it lives, this thread, and each thread that it starts, opens files with the rights of a folder's owner.
///
/// Root reads folders of other users, who may put links in them to what they cannot read themselves: its class names
/// would get into a map that they can read. The kernel checks each access (`setfsuid(2)`). Nothing changes for others
/// than root, nor in folders of root.
pub(crate) struct OwnersRights {
    own: Option<(Uid, Gid)>,
}

impl OwnersRights {
    pub(crate) fn of(folder: &Path) -> Self {
        let owner = folder.metadata().ok().filter(|folder| Uid::effective().is_root() && folder.uid() != 0);
        let own = owner.map(|owner| {
            let gid = setfsgid(owner.gid().into());
            (setfsuid(owner.uid().into()), gid)
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
