//! nginx, whatever it is to be: a proxy, a cache, or the service behind them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Result;

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
