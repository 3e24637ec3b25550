//! php-fpm with one worker, and as much of FastCGI as asking it for a page takes. The principal type is [`Fpm`].

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::site::{SETTINGS, Site};

/// A php-fpm of a site's own.
pub(crate) struct Fpm {
    root: PathBuf,
    process: Child,
}

impl Fpm {
    /// With these settings on top of those of all tests.
    pub(crate) fn start(site: &Site, settings: &[&str]) -> Self {
        let root = site.root.clone();
        let path = root.display();
        let mut found: Vec<_> = fs::read_dir("/usr/sbin").unwrap().flatten().map(|entry| entry.path()).collect();
        found.retain(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"php-fpm")));
        let exe = found.into_iter().max().expect("php-fpm is needed for this test, in /usr/sbin");
        let user = if nix::unistd::Uid::effective().is_root() { "user = nobody\n" } else { "" };
        let config = format!(
            "[global]\ndaemonize = no\nerror_log = {path}/fpm.log\n\
             [www]\n{user}listen = {path}/fpm.sock\npm = static\npm.max_children = 1\nchdir = {path}\n"
        );
        fs::write(root.join("fpm.conf"), config).unwrap();
        let mut fpm = Command::new(exe);
        fpm.arg("-y").arg(root.join("fpm.conf")).stdin(Stdio::null()).stderr(Stdio::null());
        for setting in SETTINGS.iter().chain(settings) {
            fpm.args(["-d", setting]);
        }
        for setting in ["display_errors=1", &format!("sys_temp_dir={path}/tmp"), &format!("error_log={path}/tmp/log")] {
            fpm.args(["-d", setting]);
        }
        let fpm = Self { root, process: fpm.spawn().unwrap() };
        let until = Instant::now() + Duration::from_secs(20);
        while UnixStream::connect(fpm.root.join("fpm.sock")).is_err() {
            assert!(Instant::now() < until, "{:?}", fs::read_to_string(fpm.root.join("fpm.log")));
            thread::sleep(Duration::from_millis(10));
        }
        fpm
    }

    /// What the page of this name prints.
    pub(crate) fn get(&self, page: &str) -> String {
        let script = self.root.join(page).display().to_string();
        let mut parameters = Vec::new();
        for (name, value) in [("REQUEST_METHOD", "GET"), ("SCRIPT_FILENAME", script.as_str())] {
            parameters.extend([u8::try_from(name.len()).unwrap(), u8::try_from(value.len()).unwrap()]);
            parameters.extend([name.as_bytes(), value.as_bytes()].concat());
        }
        let mut socket = UnixStream::connect(self.root.join("fpm.sock")).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // To begin, as a responder; the parameters and their end; no body.
        for (kind, content) in [(1, &[0, 1, 0, 0, 0, 0, 0, 0][..]), (4, &parameters), (4, &[]), (5, &[])] {
            let length = u16::try_from(content.len()).unwrap().to_be_bytes();
            socket.write_all(&[&[1, kind, 0, 1, length[0], length[1], 0, 0], content].concat()).unwrap();
        }
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        let (mut page, mut rest) = (Vec::new(), &answer[..]);
        while let [_, kind, _, _, high, low, padding, _, content @ ..] = rest {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            // Its output; the others are its errors and the end.
            if *kind == 6 {
                page.extend(&content[..length]);
            }
            rest = &content[length + usize::from(*padding)..];
        }
        let page = String::from_utf8_lossy(&page).into_owned();
        page.split_once("\r\n\r\n").expect(&page).1.to_owned()
    }

    /// Has opcache forget all.
    pub(crate) fn reset(&self) {
        fs::write(self.root.join("reset.php"), "<?php opcache_reset();").unwrap();
        self.get("reset.php");
    }
}

impl Drop for Fpm {
    /// By its master, which takes its worker with it.
    fn drop(&mut self) {
        let master = nix::unistd::Pid::from_raw(i32::try_from(self.process.id()).unwrap());
        let _ = nix::sys::signal::kill(master, nix::sys::signal::Signal::SIGTERM);
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
