//! The principal type is [`Server`]: who sends files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rig::certificates::Certificates;
use crate::rig::nginx;
use crate::{Result, peers, unladen};

/// Who sends files.
pub(super) enum Server {
    Ours { name: String, program: PathBuf },
    Nginx,
}

impl Server {
    /// All that can be had, or those that are named: peers, and paths of programs of ours.
    pub(super) fn all(named: &[String]) -> Result<Vec<Self>> {
        let wanted = |name: &str| named.is_empty() || named.iter().any(|named| named == name);
        let paths = named.iter().filter(|name| name.contains('/'));
        let mut servers: Vec<Self> =
            paths.map(|path| Self::Ours { name: path.clone(), program: path.into() }).collect();
        if wanted("unladen") {
            servers.push(Self::Ours { name: "unladen".into(), program: unladen::built()? });
        }
        if wanted("nginx") && peers::has("nginx") {
            servers.push(Self::Nginx);
        }
        if servers.is_empty() { Err("there are unladen, nginx, and paths of unladen".into()) } else { Ok(servers) }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Ours { name, .. } => name,
            Self::Nginx => "nginx",
        }
    }

    pub(super) fn command(&self, folder: &Path, root: &Path, port: u16, tls: Option<&Certificates>) -> Result<Command> {
        let root = root.display();
        match self {
            Self::Ours { program, .. } => {
                let path = folder.join("unladen.toml");
                let tls = tls.map_or_else(String::new, |Certificates { certificate, key, .. }| {
                    format!("tls = {{ cert = \"{}\", key = \"{}\" }}\n", certificate.display(), key.display())
                });
                let site = format!("[[site]]\nlisten = \"127.0.0.1:{port}\"\nroot = \"{root}\"\n{tls}");
                fs::write(&path, format!("threads = 1\n{site}"))?;
                let mut command = Command::new(program);
                command.args(["serve", "--config"]).arg(path);
                Ok(command)
            }
            // As Debian configures it; one that keeps files open is what its guides have besides.
            Self::Nginx => {
                let (ssl, tls) = tls.map_or_else(Default::default, |tls| (" ssl", nginx_tls(tls)));
                nginx::command(
                    folder,
                    &format!(
                        "    sendfile on;\n    tcp_nopush on;\n    server {{\n        \
                         listen 127.0.0.1:{port}{ssl} backlog=4096;\n{tls}        root {root};\n    }}\n"
                    ),
                )
            }
        }
    }
}

/// The cipher is what rustls and its own clients agree on.
fn nginx_tls(Certificates { certificate, key, .. }: &Certificates) -> String {
    format!(
        "        ssl_certificate {};\n        ssl_certificate_key {};\n        ssl_protocols TLSv1.3;\n        \
         ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;\n        ssl_session_cache shared:sessions:10m;\n",
        certificate.display(),
        key.display()
    )
}
