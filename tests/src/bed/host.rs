//! The principal type is [`Host`]: one of a [`Bed`](super::Bed).

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use super::shell::run;
use super::started::Started;
use crate::wait;

/// The first process there: it reaps what others leave, and once it is told where to listen, sshd listens.
const FIRST: &str = r#"set -e
mount -t tmpfs -o mode=755 none /run
mkdir /run/sshd /run/tmp
ip link set lo up
echo "$1" > /proc/sys/kernel/hostname
echo ready
read -r go
/usr/sbin/sshd -D -e -f "$2/sshd_config" 2> "$2/log" > /dev/null < /dev/null &
exec > /dev/null
wait
"#;

/// A host of a test's own: it has its own network, processes, mounts and name, and shares the rest of this machine's
/// files. It ends when this is dropped, with all that runs there.
#[derive(Debug)]
pub struct Host {
    name: String,
    address: Ipv4Addr,
    config: PathBuf,
    /// Dropped, it takes the first process along, and that the others.
    unshare: Started,
    first: u32,
}

impl Host {
    /// Starts one, which has no network yet. `folder` is the bed's, in which it makes one of its own.
    pub(super) fn start(name: &str, address: Ipv4Addr, folder: &Path) -> Self {
        let own = folder.join(name);
        fs::create_dir(&own).expect("a folder");
        let at = |name: &str| own.join(name).display().to_string();
        run(&["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", &at("key")]);
        let config = format!(
            "ListenAddress {address}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nUsePAM no\nStrictModes no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n\
             SetEnv TMPDIR=/run/tmp\nAcceptEnv UNLADEN_*\n",
            at("key"),
            folder.join("user.pub").display(),
        );
        fs::write(at("sshd_config"), config).expect("a file");
        let unshare = ["unshare", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"];
        let own = own.display().to_string();
        let unshare = Started::ready(name, unshare.into_iter().chain(["sh", "-c", FIRST, "sh", name, &own]));
        let first = fs::read_to_string(format!("/proc/{0}/task/{0}/children", unshare.id())).expect("it runs");
        let first = first.trim().parse().expect("one child");
        Self { name: name.to_owned(), address, config: folder.join("ssh_config"), unshare, first }
    }

    /// It has a network: sshd may listen.
    pub(super) fn listen(&mut self) {
        self.unshare.go();
    }

    /// Waits until the key that the bed has opens its door.
    pub(super) fn wait_until_it_answers(&self) {
        wait::until_ok(&format!("sshd of {} answers", self.name), || {
            let words = self.words(&["-n"]).into_iter().chain(["sh".into(), "-c".into()]);
            let done = super::shell::output(words.chain([format!("{} true", self.ssh_command())]));
            let log = self.config.with_file_name(&self.name).join("log");
            let log = || fs::read_to_string(log).unwrap_or_default();
            done.map(|_| ()).map_err(|said| format!("{said}{}", log()))
        });
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is in the bed's network.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// The words by which any host of the bed reaches it, for `--host` and `--from`.
    pub fn ssh_command(&self) -> String {
        format!("ssh -F {} {}", self.config.display(), self.name)
    }

    /// Its first process, as this machine numbers it.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// The words that lead into these namespaces of it.
    pub(super) fn words(&self, namespaces: &[&str]) -> Vec<String> {
        let words = ["nsenter".to_owned(), "-t".to_owned(), self.first.to_string()];
        words.into_iter().chain(namespaces.iter().map(|name| (*name).to_owned())).chain(["--".to_owned()]).collect()
    }
}
