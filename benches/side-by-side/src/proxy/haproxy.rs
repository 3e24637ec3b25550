//! HAProxy.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::peer::Peer;
use super::route::Plan;
use crate::rig::listen::Listen;
use crate::{Result, peers};

/// As Debian packages it.
pub(super) struct HaProxy;

impl HaProxy {
    pub(super) fn find() -> Option<Self> {
        peers::has("haproxy").then_some(Self)
    }
}

impl Peer for HaProxy {
    fn name(&self) -> String {
        "haproxy".into()
    }

    fn command(&self, plan: &Plan, folder: &Path) -> Result<Command> {
        let path = folder.join("haproxy.cfg");
        fs::write(&path, config(plan))?;
        let mut command = Command::new("/usr/sbin/haproxy");
        // In the foreground, a single process.
        command.arg("-db").arg("-f").arg(path);
        Ok(command)
    }
}

fn config(plan: &Plan) -> String {
    let mut text = String::from(
        "global
    nbthread 1
    maxconn 20000
    # Where it may not open two descriptors for each of these it goes on with what it may.
    no strict-limits
    ssl-default-server-options ssl-min-ver TLSv1.3
defaults
    mode http
    timeout connect 10s
    timeout client 1h
    timeout server 1h
    timeout http-request 1h
    timeout http-keep-alive 1h
    option http-keep-alive
    # Whichever upstream connection is idle may take any request.
    http-reuse always
",
    );
    for (number, route) in plan.routes.iter().enumerate() {
        let listen = match &route.listen {
            Listen::Tcp(port) => format!("127.0.0.1:{port}"),
            Listen::Unix(path) => format!("unix@{} mode 666", path.display()),
        };
        let tls = if route.upstream.tls {
            format!(" ssl verify required ca-file {} verifyhost localhost sni str(localhost)", plan.ca())
        } else {
            String::new()
        };
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "frontend f{number}
    bind {listen} backlog 4096
    default_backend b{number}
backend b{number}
    server s 127.0.0.1:{} pool-max-conn 512 pool-purge-delay 1h{tls}
",
            route.upstream.port,
        );
    }
    text
}
