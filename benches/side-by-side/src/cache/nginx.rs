//! nginx with its `proxy_cache`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::contestant::{Contestant, Place};
use crate::rig::nginx::command;
use crate::{Result, peers};

/// As Debian packages it.
pub(super) struct Nginx;

/// Of memory, where Linux has it.
const SHARED: &str = "/dev/shm";

impl Nginx {
    pub(super) fn find() -> Option<Self> {
        peers::has("nginx").then_some(Self)
    }

    fn with(place: &Place<'_>, folder: &Path) -> Result<Command> {
        let store = Path::new(SHARED).join(format!("unladen-bench-{}-nginx", std::process::id()));
        let _ = fs::remove_dir_all(&store);
        command(folder, &config(place, &store))
    }
}

impl Contestant for Nginx {
    fn name(&self) -> String {
        "nginx".into()
    }

    fn command(&self, place: &Place<'_>, folder: &Path) -> Result<Command> {
        Self::with(place, folder)
    }

    fn single(&self, place: &Place<'_>, folder: &Path) -> Result<Option<Command>> {
        let mut command = Self::with(place, folder)?;
        command.args(["-g", "master_process off;"]);
        Ok(Some(command))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It lies in memory.
        let _ = fs::remove_dir_all(Path::new(SHARED).join(format!("unladen-bench-{}-nginx", std::process::id())));
    }
}

/// Files in memory, kept open: what nginx's own guides have for speed.
fn config(place: &Place<'_>, store: &Path) -> String {
    let Place { listen, origin, memory, .. } = place;
    let (ssl, tls) = place.tls.map_or_else(Default::default, |certificates| {
        let lines = format!(
            "        ssl_certificate {};
        ssl_certificate_key {};
        ssl_protocols TLSv1.3;
        # What rustls and its own clients agree on.
        ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;
        ssl_session_cache shared:sessions:10m;
",
            certificates.certificate.display(),
            certificates.key.display()
        );
        (" ssl", lines)
    });
    format!(
        "    sendfile on;
    tcp_nopush on;
    proxy_cache_path {} levels=1:2 keys_zone=pages:64m max_size={memory} inactive=1d use_temp_path=off;
    open_file_cache max=100000 inactive=1d;
    open_file_cache_valid 1d;
    open_file_cache_min_uses 1;
    proxy_http_version 1.1;
    proxy_set_header Connection '';
    proxy_set_header Host $http_host;
    upstream application {{
        server 127.0.0.1:{origin};
        keepalive 64;
    }}
    server {{
        listen 127.0.0.1:{listen}{ssl} backlog=4096;
{tls}        location / {{
            proxy_cache pages;
            proxy_pass http://application;
        }}
    }}
",
        store.display()
    )
}
