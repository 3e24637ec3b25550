//! The principal type is [`Contestant`]: a server in front of PHP-FPM, and whether it keeps its connections there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install::{Kind, Program};
use crate::rig::nginx;
use crate::rig::php_fpm::PhpFpm;
use crate::{Result, peers, unladen};

const CADDY: Program = Program {
    name: "caddy",
    version: "2.11.9",
    kind: Kind::Go { module: "github.com/caddyserver/caddy/v2", package: "/cmd/caddy", go: "1.26" },
};

/// A server in front of PHP-FPM.
pub(super) struct Contestant {
    pub(super) name: String,
    pub(super) keeps: bool,
    server: Server,
}

#[derive(Clone)]
enum Server {
    Ours(PathBuf),
    Nginx,
    Caddy(PathBuf),
}

impl Contestant {
    /// All that can be had, or those that are named: programs, and paths of ours.
    pub(super) fn all(named: &[String]) -> Result<Vec<Self>> {
        let wanted = |name: &str| named.is_empty() || named.iter().any(|named| named == name);
        let mut all = Vec::new();
        let mut both = |name: &str, server: &Server| {
            for (keeps, how) in [(true, "kept"), (false, "not kept")] {
                all.push(Self { name: format!("{name}, {how}"), keeps, server: server.clone() });
            }
        };
        for path in named.iter().filter(|name| name.contains('/')) {
            both(path, &Server::Ours(path.into()));
        }
        if wanted("unladen") {
            both("unladen", &Server::Ours(unladen::built()?));
        }
        if wanted("nginx") && peers::has("nginx") {
            both("nginx", &Server::Nginx);
        }
        if wanted("caddy")
            && let Some(program) = CADDY.path()
        {
            // It has no other way.
            all.push(Self { name: "caddy, not kept".into(), keeps: false, server: Server::Caddy(program) });
        }
        if all.is_empty() { Err("there are unladen, nginx, caddy, and paths of unladen".into()) } else { Ok(all) }
    }

    pub(super) fn is_ours(&self) -> bool {
        matches!(self.server, Server::Ours(_))
    }

    /// What our CPU time with kept connections is to be of its, at most.
    pub(super) fn bound(&self) -> Option<f64> {
        match self.server {
            Server::Nginx if self.keeps => Some(0.9),
            Server::Caddy(_) => Some(0.4),
            _ => None,
        }
    }

    /// What runs it in the foreground, with one thread for requests and as little configuration as a user has to write.
    pub(super) fn command(&self, folder: &Path, port: u16, fpm: &PhpFpm) -> Result<Command> {
        match &self.server {
            Server::Ours(program) => ours(program, folder, &toml(port, fpm, self.keeps)),
            Server::Nginx => nginx::command(folder, &http(port, fpm, self.keeps)),
            Server::Caddy(program) => caddy(program, folder, &caddyfile(port, fpm)),
        }
    }
}

fn ours(program: &Path, folder: &Path, config: &str) -> Result<Command> {
    let path = folder.join("unladen.toml");
    fs::write(&path, config)?;
    let mut command = Command::new(program);
    command.args(["serve", "--config"]).arg(path);
    Ok(command)
}

fn toml(port: u16, fpm: &PhpFpm, keeps: bool) -> String {
    let (socket, root) = (fpm.socket.display(), fpm.root.display());
    format!(
        "threads = 1\n[[site]]\nlisten = \"127.0.0.1:{port}\"\nroot = \"{root}\"\nphp = \"{socket}\"\ncache = false\n\
         fastcgi.keep = {keeps}\n"
    )
}

fn http(port: u16, fpm: &PhpFpm, keeps: bool) -> String {
    let (socket, root) = (fpm.socket.display(), fpm.root.display());
    let (kept, keep) = if keeps {
        let kept = "keepalive 64; keepalive_requests 1000000000; keepalive_timeout 1h; keepalive_time 24h;";
        (kept, "fastcgi_keep_conn on;")
    } else {
        ("", "")
    };
    format!(
        "    upstream fpm {{ server unix:{socket}; {kept} }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root {root};
        location ~ \\.php$ {{
            try_files $uri =404;
            include /etc/nginx/fastcgi.conf;
            {keep}
            fastcgi_pass fpm;
        }}
    }}
"
    )
}

fn caddy(program: &Path, folder: &Path, config: &str) -> Result<Command> {
    let path = folder.join("Caddyfile");
    fs::write(&path, config)?;
    let at = folder.display();
    // Go's way to one thread for what it does itself.
    let mut command = Command::new("env");
    command.arg("GOMAXPROCS=1").args(["XDG_CONFIG_HOME", "XDG_DATA_HOME"].map(|name| format!("{name}={at}")));
    command.arg(program).args(["run", "--adapter", "caddyfile", "--config"]).arg(path);
    Ok(command)
}

fn caddyfile(port: u16, fpm: &PhpFpm) -> String {
    let (socket, root) = (fpm.socket.display(), fpm.root.display());
    format!(
        "{{\n\tadmin off\n\tauto_https off\n\tpersist_config off\n}}\nhttp://:{port} {{\n\tbind 127.0.0.1\n\t\
         root * {root}\n\tphp_fastcgi unix/{socket}\n}}\n"
    )
}
