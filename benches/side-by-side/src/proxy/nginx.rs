//! nginx, as a proxy.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::peer::Peer;
use super::route::Plan;
use crate::rig::listen::Listen;
use crate::rig::nginx::command;
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
