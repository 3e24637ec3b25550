//! nginx: as a proxy, and as the service behind all of them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::peer::Peer;
use super::route::{Listen, Plan};
use crate::{Result, peers};

/// As Debian packages it.
pub(crate) struct Nginx;

impl Nginx {
    /// Where it can be had.
    pub(crate) fn find() -> Option<Self> {
        peers::has("nginx").then_some(Self)
    }
}

impl Peer for Nginx {
    fn name(&self) -> String {
        "nginx".into()
    }

    fn command(&self, plan: &Plan, folder: &Path) -> Result<Command> {
        command(folder, &servers(plan))
    }
}

/// One worker that runs this `http` block.
pub(crate) fn command(folder: &Path, http: &str) -> Result<Command> {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid())?.ok_or("this user has no name")?.name;
    let at = folder.display();
    // As a service it may be run by root, whose worker then reads what root wrote; others need say nothing, and may
    // not.
    let user = if nix::unistd::geteuid().is_root() { format!("user {user};") } else { String::new() };
    let conf = format!(
        "{user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid {at}/nginx.pid;
error_log {at}/nginx.error.log;
events {{ worker_connections 30000; }}
http {{
    default_type application/octet-stream;
    access_log off;
    server_tokens off;
    client_body_temp_path {at}/body;
    proxy_temp_path {at}/proxy;
    fastcgi_temp_path {at}/fastcgi;
    scgi_temp_path {at}/scgi;
    uwsgi_temp_path {at}/uwsgi;
    # A connection is kept for as long as the bench wants it.
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    client_max_body_size 0;
{http}}}
"
    );
    let path = folder.join("nginx.conf");
    fs::write(&path, conf)?;
    let mut command = Command::new("/usr/sbin/nginx");
    command.arg("-e").arg(folder.join("nginx.error.log")).arg("-c").arg(path);
    Ok(command)
}

fn servers(plan: &Plan) -> String {
    let mut text = String::from(
        "    proxy_http_version 1.1;
    proxy_set_header Connection '';
    proxy_set_header Host $http_host;
    # No body is ever in a file, in either direction.
    proxy_max_temp_file_size 0;
    proxy_request_buffering off;
",
    );
    for (number, route) in plan.routes.iter().enumerate() {
        let upstream = route.upstream;
        let listen = match &route.listen {
            Listen::Tcp(port) => format!("127.0.0.1:{port} backlog=4096"),
            Listen::Unix(path) => format!("unix:{} backlog=4096", path.display()),
        };
        let tls = if upstream.tls {
            format!(
                "            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate {};
            proxy_ssl_name localhost;
            proxy_ssl_server_name on;
            proxy_ssl_protocols TLSv1.3;
",
                plan.ca()
            )
        } else {
            String::new()
        };
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "    upstream u{number} {{
        server 127.0.0.1:{};
        keepalive 512;
        keepalive_requests 1000000000;
        keepalive_timeout 1h;
        keepalive_time 24h;
    }}
    server {{
        listen {listen};
        location / {{
            proxy_pass {}://u{number};
{tls}        }}
    }}
",
            upstream.port,
            upstream.scheme(),
        );
    }
    text
}
