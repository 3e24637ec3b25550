//! What the tests share. The principal type is [`Site`]: PHP-FPM and nginx of the test's own, with pages that it
//! writes.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "tests fail by them, and each uses some"
)]

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use unladen_load::{DriverConfig, Request};

#[path = "../../../../tests/src/port.rs"]
mod port;

pub use port::free_port;

/// Whether the test has to be left out; it says so. With `UNLADEN_TESTS=all` nothing may be left out.
pub fn skip(test: &str) -> bool {
    let why = if !nix::unistd::Uid::effective().is_root() {
        "it takes root"
    } else if matches!(
        unladen_probe::Tracer::open(&unladen_probe::TracerConfig { ring_bytes: 1 << 20, most_events: 10 }),
        Err(unladen_probe::TraceError::NotAllowed
            | unladen_probe::TraceError::NoBtf
            | unladen_probe::TraceError::LockedDown
            | unladen_probe::TraceError::PidNamespace
            | unladen_probe::TraceError::NotBuilt)
    ) {
        "it takes a kernel that permits eBPF and has BTF"
    } else {
        return false;
    };
    assert!(std::env::var_os("UNLADEN_TESTS").is_none_or(|value| value != "all"), "{test} may not be left out: {why}");
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}");
    true
}

/// How the web server and PHP-FPM are set.
pub struct Settings {
    /// FPM listens at a port instead of a Unix socket.
    pub tcp: bool,
    /// nginx keeps connections to FPM.
    pub keep: bool,
    /// PHP has Excimer.
    pub excimer: bool,
    pub workers: u32,
    /// Further lines of php.ini.
    pub ini: &'static str,
    /// Further lines of the pool.
    pub pool: &'static str,
    /// nginx takes the rest of the path from the script's name; otherwise PHP does.
    pub split: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tcp: false, keep: false, excimer: true, workers: 2, ini: "", pool: "", split: true }
    }
}

/// A web server with PHP-FPM; both end with it.
pub struct Site {
    pub folder: tempfile::TempDir,
    pub port: u16,
    pub fpm: Child,
    nginx: Child,
    /// Where FPM listens.
    pub listen: String,
}

impl Site {
    pub fn start(settings: &Settings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::set_permissions(root, fs::Permissions::from_mode(0o755)).expect("a folder that all may enter");
        for name in ["www", "php.d", "tmp"] {
            fs::create_dir(root.join(name)).expect("a folder");
        }
        fs::set_permissions(root.join("tmp"), fs::Permissions::from_mode(0o1777)).expect("a folder for all");
        // All extensions that there are: what is enabled on the machine is its own business.
        let extension = if settings.excimer { "extension=excimer.so\n" } else { "" };
        let ini = format!("zend_extension=opcache.so\n{extension}opcache.enable=1\n{}", settings.ini);
        fs::write(root.join("php.d/test.ini"), ini).expect("a file");
        let listen = match settings.tcp {
            true => format!("127.0.0.1:{}", free_port()),
            false => root.join("fpm.sock").display().to_string(),
        };
        let (at, port) = (root.display(), free_port());
        fs::write(
            root.join("fpm.conf"),
            format!(
                "[global]\nerror_log = {at}/fpm.log\ndaemonize = no\n[test]\nlisten = {listen}\nlisten.owner = www-data\n\
                 user = www-data\ngroup = www-data\npm = static\npm.max_children = {}\ncatch_workers_output = yes\n\
                 php_admin_value[error_log] = {at}/tmp/php.log\nphp_admin_flag[log_errors] = on\n{}\n",
                settings.workers, settings.pool
            ),
        )
        .expect("a file");
        let (keep, connections) = if settings.keep { ("fastcgi_keep_conn on;", "keepalive 4;") } else { ("", "") };
        let upstream = if settings.tcp { listen.clone() } else { format!("unix:{listen}") };
        let split = if settings.split { "fastcgi_split_path_info ^(.+?\\.php)(/.*)$;" } else { "" };
        fs::write(
            root.join("nginx.conf"),
            format!(
                "user www-data; daemon off; worker_processes 1; pid {at}/nginx.pid; error_log {at}/nginx.log;\n\
                 events {{}}\nhttp {{ access_log off; client_body_temp_path {at}/tmp/body; fastcgi_temp_path {at}/tmp/fastcgi;\n\
                 proxy_temp_path {at}/tmp/proxy; uwsgi_temp_path {at}/tmp/uwsgi; scgi_temp_path {at}/tmp/scgi;\n\
                 upstream app {{ server {upstream}; {connections} }}\n\
                 server {{ listen 127.0.0.1:{port}; root {at}/www;\n\
                 location /plain {{ return 200 plain; }}\n\
                 location ^~ /hop/ {{ proxy_pass http://127.0.0.1:{port}/; }}\n\
                 location ~ \\.php(/|$) {{ include /etc/nginx/fastcgi_params; {split} {keep}\n\
                 fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name; fastcgi_param PATH_INFO $fastcgi_path_info;\n\
                 fastcgi_read_timeout 120s; fastcgi_pass app; }} }} }}\n"
            ),
        )
        .expect("a file");
        let fpm = Command::new(fpm_program())
            .args(["-F", "-y"])
            .arg(root.join("fpm.conf"))
            .env("PHP_INI_SCAN_DIR", format!("{at}/php.d"))
            .stderr(fs::File::create(root.join("fpm.start.log")).expect("a file"))
            .spawn()
            .expect("php-fpm is installed");
        let nginx = Command::new("/usr/sbin/nginx")
            .arg("-c")
            .arg(root.join("nginx.conf"))
            .stderr(fs::File::create(root.join("nginx.start.log")).expect("a file"))
            .spawn()
            .expect("nginx is installed");
        let site = Self { port, fpm, nginx, listen, folder };
        site.page("up.php", "<?php echo 'up';");
        let begun = Instant::now();
        while site.get_text("/up.php") != "up" {
            assert!(begun.elapsed() < Duration::from_secs(30), "the site does not come up:\n{}", site.logs());
            std::thread::sleep(Duration::from_millis(50));
        }
        site
    }

    /// Writes a page.
    pub fn page(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join("www").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    /// A folder that the workers may write to.
    pub fn tmp(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn driver(&self, path: &str) -> DriverConfig {
        DriverConfig::new(vec![Request::get(&self.url(path)).expect("a URL").build().expect("a request")])
    }

    /// The body of a page; empty if it is not there.
    pub fn get_text(&self, path: &str) -> String {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return String::new() };
        let _ = write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port);
        let mut answer = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
    }

    pub fn logs(&self) -> String {
        let read = |name| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        ["fpm.start.log", "fpm.log", "nginx.start.log", "nginx.log", "tmp/php.log"].map(read).concat()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "{}", self.logs());
        }
        for child in [&mut self.nginx, &mut self.fpm] {
            let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM);
            let _ = child.wait();
        }
    }
}

/// PHP-FPM, of whatever version.
pub fn fpm_program() -> PathBuf {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/sbin")
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("php-fpm")))
        .collect();
    found.sort();
    found.pop().expect("php-fpm is installed")
}

/// A program that the test starts, and what it says.
pub fn run(command: &mut Command) -> String {
    let output = command.stderr(Stdio::inherit()).output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// Whether a path is there.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
