//! The principal type is [`ContainerState`]: what engines store about their containers, as far as it is readable.
//!
//! None of it is required: without it a container is named by the first digits of its id. All reads are bounded, and
//! only words are taken (see [`ContainerName`]). A rootless engine's files lie in its user's home, are controlled by
//! that user, and name that user's containers only.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use nix::unistd::{Uid, User};
use serde_json::Value;

use crate::container_path::{ContainerName, ContainerPath, Engine, Labels, is_word};
use crate::procfs::reopened;

/// Longest file read: `containers.json` has a few KiB for each container of the machine.
const MOST_BYTES: u64 = 8 << 20;
/// Longest file of a user, who controls its contents; parsing may take many times its length in memory.
const MOST_BYTES_OF_USERS: u64 = 1 << 20;
/// Containers looked up; further ones are named by id.
const MOST_KNOWN: usize = 10_000;
/// The same for users' containers, which cost their user only a folder each.
const MOST_OF_USERS: usize = 1_000;

/// Where engines store their state, by their packages' defaults.
const DOCKER: &str = "var/lib/docker/containers";
const DOCKER_SOCKET: &str = "run/docker.sock";
/// Namespaces of Kubernetes and of nerdctl.
const CONTAINERD: &str = "run/containerd/io.containerd.runtime.v2.task";
const CONTAINERD_NAMESPACES: [&str; 2] = ["k8s.io", "default"];
/// CRI-O.
const STORAGE_RUN: &str = "run/containers/storage/overlay-containers";
/// Podman: its lists of containers by driver, and those of containers with `--rm`.
const STORAGE: &str = "var/lib/containers/storage";
const STORAGE_LISTS: [&str; 4] = [
    "overlay-containers/containers.json",
    "overlay-containers/volatile-containers.json",
    "vfs-containers/containers.json",
    "vfs-containers/volatile-containers.json",
];
/// The same below a user's home, for rootless engines (default of `XDG_DATA_HOME`).
const DATA_HOME: &str = ".local/share";
const DOCKER_OF_USER: &str = "docker/containers";
const STORAGE_OF_USER: &str = "containers/storage";

#[derive(Debug)]
pub(crate) struct ContainerState {
    /// `/`, except in tests.
    root: PathBuf,
    /// By the user of a rootless engine, and the id.
    known: HashMap<(Option<u32>, String), Option<ContainerName>>,
    known_of_users: usize,
    accounts: HashMap<u32, Option<Account>>,
}

#[derive(Debug, Clone)]
struct Account {
    /// Safe to show: a word.
    name: String,
    home: PathBuf,
}

// === impl ContainerState ===

impl ContainerState {
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), known: HashMap::new(), known_of_users: 0, accounts: HashMap::new() }
    }

    pub(crate) fn name_of(&mut self, container: &ContainerPath) -> Option<ContainerName> {
        let key = (container.user, container.id.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let is_of_user = container.user.is_some();
        if self.known.len() >= MOST_KNOWN || (is_of_user && self.known_of_users >= MOST_OF_USERS) {
            return None;
        }
        self.known_of_users += usize::from(is_of_user);
        let name = match container.user {
            None => self.look_up(container),
            Some(user) => self.look_up_of(user, container),
        };
        self.known.insert(key, name.clone());
        name
    }

    pub(crate) fn account_of(&mut self, container: &ContainerPath) -> Option<String> {
        self.account(container.user?).map(|account| account.name)
    }

    fn account(&mut self, user: u32) -> Option<Account> {
        if let Some(known) = self.accounts.get(&user) {
            return known.clone();
        }
        if self.accounts.len() >= MOST_OF_USERS {
            return None;
        }
        let found = User::from_uid(Uid::from_raw(user)).ok().flatten();
        let account =
            found.filter(|found| is_word(&found.name)).map(|found| Account { name: found.name, home: found.dir });
        self.accounts.insert(user, account.clone());
        account
    }

    fn look_up(&self, container: &ContainerPath) -> Option<ContainerName> {
        let id = &container.id;
        match container.engine {
            Engine::Docker => self.of_docker(id),
            Engine::Podman => of_podman(|list| self.json(&format!("{STORAGE}/{list}")), id),
            Engine::Containerd => self.of_containerd(id),
            Engine::CriO => self.of_crio(id),
            // Their cgroups contain the name itself.
            Engine::Nspawn | Engine::Lxc => None,
            Engine::Unknown => self.of_containerd(id).or_else(|| self.of_crio(id)).or_else(|| self.of_docker(id)),
        }
    }

    /// The same for a user's engine. Its socket is not asked, since its owner could make us wait.
    fn look_up_of(&mut self, user: u32, container: &ContainerPath) -> Option<ContainerName> {
        let home = self.account(user)?.home;
        let data = self.root.join(home.strip_prefix("/").ok()?).join(DATA_HOME);
        let json =
            |file: String| read(&data.join(file), Some(user)).and_then(|text| serde_json::from_slice(&text).ok());
        let id = &container.id;
        match container.engine {
            Engine::Docker => name_in_docker(&json(format!("{DOCKER_OF_USER}/{id}/config.v2.json"))?),
            Engine::Podman => of_podman(|list| json(format!("{STORAGE_OF_USER}/{list}")), id),
            // Their state lies in mounts of their own processes.
            Engine::Containerd | Engine::CriO | Engine::Nspawn | Engine::Lxc | Engine::Unknown => None,
        }
    }

    /// Reads `config.v2.json`, which takes root; otherwise asks the engine, which takes access to the socket.
    fn of_docker(&self, id: &str) -> Option<ContainerName> {
        let kept = self.json(&format!("{DOCKER}/{id}/config.v2.json"));
        name_in_docker(&kept.or_else(|| inspect(&self.root.join(DOCKER_SOCKET), id))?)
    }

    /// Reads the bundle's `config.json` (OCI runtime specification), annotated by the CRI plugin.
    fn of_containerd(&self, id: &str) -> Option<ContainerName> {
        CONTAINERD_NAMESPACES.iter().find_map(|namespace| {
            let bundle = self.json(&format!("{CONTAINERD}/{namespace}/{id}/config.json"))?;
            let annotations = Annotations(bundle.get("annotations"));
            let pod = ContainerName::of_pod(
                &annotations,
                [
                    "io.kubernetes.cri.sandbox-namespace",
                    "io.kubernetes.cri.sandbox-name",
                    "io.kubernetes.cri.container-name",
                ],
            );
            pod.or_else(|| ContainerName::of_labels(&annotations, annotations.label("nerdctl/name")))
        })
    }

    /// The same for CRI-O, which uses other annotations.
    fn of_crio(&self, id: &str) -> Option<ContainerName> {
        let bundle = self.json(&format!("{STORAGE_RUN}/{id}/userdata/config.json"))?;
        ContainerName::of_pod(
            &Annotations(bundle.get("annotations")),
            ["io.kubernetes.pod.namespace", "io.kubernetes.pod.name", "io.kubernetes.container.name"],
        )
    }

    fn json(&self, file: &str) -> Option<Value> {
        read(&self.root.join(file), None).and_then(|text| serde_json::from_slice(&text).ok())
    }
}

pub(crate) fn name_in_docker(told: &Value) -> Option<ContainerName> {
    let name = told.get("Name").and_then(Value::as_str).map(|name| name.trim_start_matches('/'));
    ContainerName::of_labels(&Annotations(told.pointer("/Config/Labels")), name)
}

/// Names are in the storage's lists, whose paths are given below it; labels are only in Podman's database, which is not
/// read.
fn of_podman(json: impl Fn(&str) -> Option<Value>, id: &str) -> Option<ContainerName> {
    STORAGE_LISTS.iter().find_map(|list| {
        let list = json(list)?;
        let entry = list.as_array()?.iter().find(|entry| entry.get("id").and_then(Value::as_str) == Some(id))?;
        let name = entry.pointer("/names/0").and_then(Value::as_str);
        ContainerName::of_labels(&Annotations(None), name)
    })
}

/// A whole regular file; `None` if it is too long, or does not belong to the given user: links in a home lead anywhere,
/// and files that its user could not have written say nothing about that user's containers.
fn read(path: &Path, user: Option<u32>) -> Option<Vec<u8>> {
    let found = open(path, OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC, Mode::empty()).ok()?;
    let file = reopened(found).ok()?;
    let kept = file.metadata().ok()?;
    let most = if user.is_some() { MOST_BYTES_OF_USERS } else { MOST_BYTES };
    if kept.len() > most || user.is_some_and(|user| kept.uid() != user) {
        return None;
    }
    let mut text = Vec::new();
    file.take(most).read_to_end(&mut text).ok()?;
    Some(text)
}

struct Annotations<'a>(Option<&'a Value>);

impl Labels for Annotations<'_> {
    fn label(&self, name: &str) -> Option<&str> {
        self.0?.get(name)?.as_str()
    }
}

/// Slower engines are done without, since a measurement waits.
const PATIENCE: Duration = Duration::from_millis(500);
const MOST_BYTES_OF_AN_ANSWER: u64 = 1 << 20;

/// The engine's answer to `GET /containers/ID/json`; `None` if there is none.
pub(crate) fn inspect(socket: &Path, id: &str) -> Option<Value> {
    // The id becomes part of a path.
    if !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    // HTTP/1.0: the answer is not chunked, and nothing follows it.
    write!(stream, "GET /containers/{id}/json HTTP/1.0\r\nHost: docker\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    stream.take(MOST_BYTES_OF_AN_ANSWER).read_to_end(&mut answer).ok()?;
    read_answer(&answer)
}

/// The JSON of an answer; `None` unless its status is 200.
pub(crate) fn read_answer(answer: &[u8]) -> Option<Value> {
    let status = answer.get(..12).filter(|line| line.starts_with(b"HTTP/1."))?;
    let body = answer.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    (&status[9..] == b"200").then(|| serde_json::from_slice(&answer[body..]).ok()).flatten()
}

#[cfg(test)]
mod tests;
