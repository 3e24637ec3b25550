//! The principal type is [`Bed`]: several hosts on one machine, for what leads from host to host.
//!
//! ```text
//!   web                 hub (a network namespace)                    db
//!   eth0 ── web ────── br0 ────── db-b ── db-r ══ relay ══ db ────── eth0
//!   10.217.0.1                    behind a way that takes a while    10.217.0.2
//! ```

mod host;
mod shell;
mod started;

use std::fs;
use std::net::Ipv4Addr;
use std::time::Duration;

use nix::unistd::Pid;
use tempfile::TempDir;

pub use host::Host;
use shell::output;
pub(crate) use shell::run;
pub use started::Started;

/// Frames are delayed by a program: few kernels have netem.
const RELAY: &str = include_str!("bed/relay.py");
/// Debian's: another one may be slow to start.
const PYTHON: &str = "/usr/bin/python3";

/// Hosts in namespaces of their own (network, processes, mounts, name), each with Debian's sshd, which lets root in by a
/// key that is made for the bed. Beside that they share this machine's files, but for `/proc` and `/run`: no host sees
/// another's processes, nor do programs started [`inside`](Bed::inside) one see this machine's. Sessions of ssh have
/// `TMPDIR=/run/tmp`, which is the host's own.
///
/// All of it ends when this is dropped, and with the thread that made it, however that ends: nothing has a name outside
/// but a temporary folder. Addresses are of a private range that exists within the bed alone.
#[derive(Debug)]
pub struct Bed {
    // Before what they hang on.
    relays: Vec<Started>,
    hosts: Vec<Host>,
    hub: Started,
    folder: TempDir,
}

/// Whether such hosts can be made here.
pub(crate) fn is_permitted() -> bool {
    let script = "ip link add name a type veth peer name b && ip link add name c type bridge && test -x /usr/sbin/sshd";
    output(["unshare", "--net", "--uts", "--ipc", "--pid", "--fork", "--mount-proc", "sh", "-c", script]).is_ok()
}

impl Bed {
    /// Hosts of these names, each of which reaches all.
    ///
    /// # Panics
    /// With what was said, if one does not come up.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let at = |name: &str| folder.path().join(name).display().to_string();
        run(&["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "bed", "-f", &at("user")]);
        let hub = "ip link add name br0 type bridge && ip link set br0 up && echo ready && exec sleep infinity";
        let hub = Started::ready("the hub", ["unshare", "--net", "sh", "-c", hub]);
        let mut bed = Self { relays: Vec::new(), hosts: Vec::new(), hub, folder };
        for (name, number) in names.into_iter().zip(1..) {
            let host = Host::start(name, Ipv4Addr::new(10, 217, 0, number), bed.folder.path());
            bed.hosts.push(host);
        }
        bed.write_settings_of_ssh();
        for host in &mut bed.hosts {
            let (hub, first, address) = (bed.hub.id().to_string(), host.first().to_string(), host.address());
            let link = format!(
                "ip link add name {0} type veth peer name eth0 netns {first} && ip link set {0} master br0 up",
                host.name()
            );
            run(&["nsenter", "-t", &hub, "-n", "--", "sh", "-c", &link]);
            let up = format!("ip addr add {address}/24 dev eth0 && ip link set eth0 up");
            run(&["nsenter", "-t", &first, "-n", "--", "sh", "-c", &up]);
            host.listen();
        }
        bed.hosts.iter().for_each(Host::wait_until_it_answers);
        bed
    }

    fn write_settings_of_ssh(&self) {
        let at = |name: &str| self.folder.path().join(name);
        let mut settings = format!(
            "User root\nIdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\nGlobalKnownHostsFile /dev/null\n\
             StrictHostKeyChecking yes\nBatchMode yes\nLogLevel ERROR\n",
            at("user").display(),
            at("known").display()
        );
        let mut known = String::new();
        for host in &self.hosts {
            let key = fs::read_to_string(at(host.name()).join("key.pub")).expect("it was made");
            known += &format!("{} {key}", host.address());
            settings += &format!("Host {}\nHostName {}\n", host.name(), host.address());
        }
        fs::write(at("ssh_config"), settings).expect("a file");
        fs::write(at("known"), known).expect("a file");
    }

    /// One of them.
    #[track_caller]
    pub fn host(&self, name: &str) -> &Host {
        self.hosts.iter().find(|host| host.name() == name).unwrap_or_else(|| panic!("the bed has no {name}"))
    }

    /// Where one is.
    #[track_caller]
    pub fn address(&self, name: &str) -> Ipv4Addr {
        self.host(name).address()
    }

    /// The words that a program's words follow to run on this host; for [`Call::through`](crate::Call::through). It ends
    /// with whoever started these words; signals to them do not reach it (see [`Bed::pids`]).
    pub fn inside(&self, name: &str) -> Vec<String> {
        let ends_too = ["setpriv", "--pdeathsig", "KILL", "--"].map(str::to_owned);
        let words = self.host(name).words(&["-m", "-n", "-p", "-u", "-i"]);
        [ends_too.to_vec(), words, ends_too.to_vec()].concat()
    }

    /// Runs a command of the shell on a host, to its end, and returns what it writes.
    ///
    /// # Panics
    /// With what it says, if it fails.
    #[track_caller]
    pub fn run_in(&self, name: &str, command: &str) -> String {
        run(&[self.inside(name), vec!["sh".into(), "-ec".into(), command.into()]].concat())
    }

    /// Starts a command of the shell on a host. It should be one process (`exec`), or end with its standard input.
    pub fn start_in(&self, name: &str, command: &str) -> Started {
        Started::new([self.inside(name), vec!["sh".into(), "-c".into(), command.into()]].concat())
    }

    /// The processes of a host with their command lines, the first one (`sh`) and its sshd included, as this machine
    /// numbers them.
    pub fn processes(&self, name: &str) -> Vec<(Pid, String)> {
        let namespace = |pid: u32| fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
        let own = namespace(self.host(name).first());
        let pids = fs::read_dir("/proc").expect("/proc").flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| own.is_some() && namespace(*pid) == own)
            .map(|pid| {
                let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line).trim_end_matches('\0').replace('\0', " ");
                (Pid::from_raw(i32::try_from(pid).expect("a pid")), line)
            })
            .collect()
    }

    /// The processes of a host that have this name (of 15 characters at most), as this machine numbers them.
    pub fn pids(&self, name: &str, program: &str) -> Vec<Pid> {
        let has_name = |pid: &Pid| {
            fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim_end_matches('\n') == program)
        };
        self.processes(name).into_iter().map(|(pid, _)| pid).filter(has_name).collect()
    }

    /// From now on, whatever goes to this host or comes from it takes so long each way, more or less.
    pub fn delay(&mut self, name: &str, delay: Duration, jitter: Duration) {
        let hub = self.hub.id().to_string();
        let inside = |target: &str, words: &[&str]| -> Vec<String> {
            ["nsenter", "-t", target, "-n", "--"].iter().chain(words).map(|word| (*word).to_owned()).collect()
        };
        let (near, far) = (format!("{name}-r"), format!("{name}-b"));
        let link = format!(
            "ip link set {name} nomaster && ip link add name {near} type veth peer name {far} && ip link set {near} up && \
             ip link set {far} master br0 up"
        );
        run(&inside(&hub, &["sh", "-c", &link]));
        // What passes by the relay is whole frames, with their checksums.
        run(&inside(&self.host(name).first().to_string(), &[PYTHON, "-c", RELAY, "plain", "eth0"]));
        run(&inside(&hub, &[PYTHON, "-c", RELAY, "plain", &far]));
        let [delay, jitter] = [delay, jitter].map(|time| time.as_secs_f64().to_string());
        let words = inside(&hub, &[PYTHON, "-c", RELAY, "relay", name, &near, &delay, &jitter]);
        self.relays.push(Started::ready("the relay", words));
    }

    /// Pulls the cable of a host: nobody is told.
    pub fn cut(&self, name: &str) {
        self.set_link(name, "down");
    }

    /// Plugs it in again.
    pub fn mend(&self, name: &str) {
        self.set_link(name, "up");
    }

    fn set_link(&self, name: &str, to: &str) {
        let first = self.host(name).first().to_string();
        run(&["nsenter", "-t", &first, "-n", "--", "ip", "link", "set", "eth0", to]);
    }
}
