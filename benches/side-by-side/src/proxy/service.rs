//! The principal type is [`Service`]: an nginx with files of several sizes, by HTTP and by HTTPS, for proxies to stand
//! before.

use std::fs::File;

use super::route::Upstream;
use crate::Result;
use crate::rig::certificates::Certificates;
use crate::rig::listen::Listen;
use crate::rig::nginx;
use crate::rig::ports::Ports;
use crate::rig::running::Running;
use crate::scratch::ScratchFolder;

/// What it serves: paths, and lengths in bytes.
pub(super) const SMALL: (&str, u64) = ("/small", 476);
pub(super) const MEGABYTE: (&str, u64) = ("/megabyte", 1_000_000);
pub(super) const LARGE: (&str, u64) = ("/large", 100_000_000);

pub(super) struct Service {
    pub(super) plain: Upstream,
    pub(super) tls: Upstream,
    pub(super) certificates: Certificates,
    _running: Running,
}

impl Service {
    pub(super) fn start(scratch: &ScratchFolder, ports: &mut Ports) -> Result<Self> {
        let certificates = Certificates::new(scratch)?;
        let root = scratch.path("service");
        std::fs::create_dir(&root)?;
        for (path, length) in [SMALL, MEGABYTE, LARGE] {
            // Sparse, and in the page cache once it is read.
            File::create(root.join(&path[1..]))?.set_len(length)?;
        }
        let plain = Upstream { port: ports.free()?, tls: false };
        let tls = Upstream { port: ports.free()?, tls: true };
        let http = format!(
            "    sendfile on;
    tcp_nopush on;
    server {{
        listen 127.0.0.1:{} backlog=4096;
        listen 127.0.0.1:{} ssl backlog=4096;
        ssl_certificate {};
        ssl_certificate_key {};
        ssl_protocols TLSv1.3;
        ssl_session_cache shared:sessions:10m;
        root {};
    }}
",
            plain.port,
            tls.port,
            certificates.certificate.display(),
            certificates.key.display(),
            root.display(),
        );
        let listens = [Listen::Tcp(plain.port), Listen::Tcp(tls.port)];
        let running = Running::start("service", scratch, |folder| nginx::command(folder, &http), &listens)?;
        Ok(Self { plain, tls, certificates, _running: running })
    }
}
