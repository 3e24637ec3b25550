//! The principal type is [`Sshd`]: a server of SSH in a network namespace of its own.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use nix::unistd::Pid;
use tempfile::TempDir;

use crate::wait;

/// Debian's server of SSH in a network namespace of its own, with keys of its own. It knows the user root alone, by a
/// key alone, and ends with this; so does the namespace.
#[derive(Debug)]
pub struct Sshd {
    server: Child,
    namespace: Namespace,
    folder: TempDir,
}

/// A network namespace with a name, for `ip netns exec`.
#[derive(Debug)]
pub struct Namespace {
    name: String,
}

// === impl Namespace ===

impl Namespace {
    /// A new one, with a loopback that is up.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let namespace = Self { name: format!("unladen-test-{}-{count}", std::process::id()) };
        run("ip", &["netns", "add", &namespace.name]);
        run("ip", &["-n", &namespace.name, "link", "set", "lo", "up"]);
        namespace
    }

    /// The words that lead there: `ip netns exec NAME`.
    pub fn way(&self) -> String {
        format!("ip netns exec {}", self.name)
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.name]).status();
    }
}

// === impl Sshd ===

impl Sshd {
    /// Starts it, and waits until it answers.
    pub fn start() -> Self {
        let namespace = Namespace::new();
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        for key in ["host", "user"] {
            run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-C", "unladen", "-f", &at(key)]);
        }
        fs::copy(at("user.pub"), at("authorized")).expect("a key");
        let host_key = fs::read_to_string(at("host.pub")).expect("a key");
        write(at("known"), &format!("127.0.0.1 {host_key}"));
        write(at("banner"), "Authorised use only.\n");
        let server = format!(
            "ListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nUsePAM no\nStrictModes no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n\
             Banner {}\nAcceptEnv UNLADEN_*\n",
            at("host"),
            at("authorized"),
            at("banner"),
        );
        write(at("sshd_config"), &server);
        let client = format!(
            "Host there bastion behind\nHostName 127.0.0.1\nUser root\nIdentityFile {}\nIdentitiesOnly yes\n\
             UserKnownHostsFile {}\nStrictHostKeyChecking yes\nBatchMode yes\nHost behind\nProxyJump bastion\n",
            at("user"),
            at("known"),
        );
        write(at("ssh_config"), &client);
        // What Debian's unit makes for the server.
        fs::create_dir_all("/run/sshd").expect("root may");
        let words = ["netns", "exec", &namespace.name, "/usr/sbin/sshd", "-D", "-e", "-f", &at("sshd_config")];
        let server = Command::new("ip")
            .args(words)
            .stdin(Stdio::null())
            .stderr(fs::File::create(at("log")).expect("a file"))
            .spawn()
            .expect("sshd starts");
        let sshd = Self { server, namespace, folder };
        wait::until_ok("sshd answers", || {
            let done = Command::new("sh").args(["-c", &format!("{} true", sshd.way("there"))]).output();
            let done = done.map_err(|error| error.to_string())?;
            let log = || fs::read_to_string(sshd.folder.path().join("log")).unwrap_or_default();
            if done.status.success() {
                Ok(())
            } else {
                Err(format!("{}{}", log(), String::from_utf8_lossy(&done.stderr)))
            }
        });
        sshd
    }

    /// The words that lead there: `ssh` as `there`, or as `behind` through `bastion`.
    pub fn way(&self, host: &str) -> String {
        format!("{} ssh -F {} {host}", self.namespace.way(), self.folder.path().join("ssh_config").display())
    }

    /// The processes of sessions that are open.
    pub fn sessions(&self) -> Vec<Pid> {
        let children = format!("/proc/{0}/task/{0}/children", self.server.id());
        let children = fs::read_to_string(children).unwrap_or_default();
        children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn write(path: String, text: &str) {
    let path = PathBuf::from(path);
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn run(program: &str, words: &[&str]) {
    let done = Command::new(program).args(words).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(done.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}
