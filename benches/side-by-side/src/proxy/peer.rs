//! The principal type is [`Peer`]: a program that can stand between clients and a service.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::route::Plan;
use crate::Result;
use crate::rig::listen::Listen;
use crate::rig::running::Running;
use crate::scratch::ScratchFolder;

pub(crate) trait Peer {
    fn name(&self) -> String;

    /// What runs it in the foreground with one thread for requests. What it reads is written into `folder`.
    fn command(&self, plan: &Plan, folder: &Path) -> Result<Command>;

    /// How `subjects/sidecar` calls it, and what tells it where the program is.
    fn way(&self) -> (String, Option<(&'static str, PathBuf)>) {
        (self.name(), None)
    }

    /// Whether it is what the bounds are of.
    fn is_ours(&self) -> bool {
        false
    }
}

/// Starts a proxy; returns when all its listeners are there.
pub(crate) fn start(peer: &dyn Peer, plan: &Plan, scratch: &ScratchFolder) -> Result<Running> {
    Running::start(&peer.name(), scratch, |folder| peer.command(plan, folder), &listens(plan))
}

fn listens(plan: &Plan) -> Vec<Listen> {
    plan.routes.iter().map(|route| route.listen.clone()).collect()
}
