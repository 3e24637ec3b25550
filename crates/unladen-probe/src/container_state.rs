//! The principal type is [`ContainerState`]: what engines keep of their containers, as far as it can be read.
//!
//! None of it is required: without it a container is called by the beginning of its id. All is bounded, and what is
//! read of it are words (see [`ContainerName`]). A rootless engine keeps its files in its user's home. What is read there
//! is that user's own file, and tells of that user's containers alone: nobody gives a name to another's.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use nix::unistd::{Uid, User};
use serde_json::Value;

use crate::container_name::{ContainerName, Labels};
use crate::container_path::{ContainerPath, Engine, is_word};
use crate::docker_socket;
use crate::regular_file::reopened;

/// The longest file that is read: `containers.json` has a few KiB for each container of the machine.
const MOST_BYTES: u64 = 8 << 20;
/// The same of a user's file, which is made of anything, in many times its length of memory.
const MOST_BYTES_OF_USERS: u64 = 1 << 20;
/// Containers that are looked up; further ones are called by their ids.
const MOST_KNOWN: usize = 10_000;
/// The same of users' containers, which cost no more to make than a folder.
const MOST_OF_USERS: usize = 1_000;

/// Where engines keep what they know, as of their packages.
const DOCKER: &str = "var/lib/docker/containers";
const DOCKER_SOCKET: &str = "run/docker.sock";
/// Namespaces of containerd: of Kubernetes, of nerdctl.
const CONTAINERD: &str = "run/containerd/io.containerd.runtime.v2.task";
const CONTAINERD_NAMESPACES: [&str; 2] = ["k8s.io", "default"];
/// The state of CRI-O.
const STORAGE_RUN: &str = "run/containers/storage/overlay-containers";
/// The storage of Podman, its lists of containers by driver, and those of containers with `--rm`.
const STORAGE: &str = "var/lib/containers/storage";
const STORAGE_LISTS: [&str; 4] = [
    "overlay-containers/containers.json",
    "overlay-containers/volatile-containers.json",
    "vfs-containers/containers.json",
    "vfs-containers/volatile-containers.json",
];
/// The same in a user's home, of rootless engines (`XDG_DATA_HOME` unless it is set).
const DATA_HOME: &str = ".local/share";
const DOCKER_OF_USER: &str = "docker/containers";
const STORAGE_OF_USER: &str = "containers/storage";

/// What engines keep of their containers.
#[derive(Debug)]
pub(crate) struct ContainerState {
    /// `/`, but for tests.
    root: PathBuf,
    /// By the user of a rootless engine, and the id.
    known: HashMap<(Option<u32>, String), Option<ContainerName>>,
    known_of_users: usize,
    accounts: HashMap<u32, Option<Account>>,
}

/// A user of this machine.
#[derive(Debug, Clone)]
struct Account {
    /// A word.
    name: String,
    home: PathBuf,
}

// === impl ContainerState ===

impl ContainerState {
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), known: HashMap::new(), known_of_users: 0, accounts: HashMap::new() }
    }

    /// What people call it; looked up once.
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

    /// The name of the user whose engine it is, of a rootless one.
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
            // Their cgroups have the name itself.
            Engine::Nspawn | Engine::Lxc => None,
            Engine::Unknown => self.of_containerd(id).or_else(|| self.of_crio(id)).or_else(|| self.of_docker(id)),
        }
    }

    /// The same of a user's engine. Its socket is not asked: who is behind it may let us wait.
    fn look_up_of(&mut self, user: u32, container: &ContainerPath) -> Option<ContainerName> {
        let home = self.account(user)?.home;
        let data = self.root.join(home.strip_prefix("/").ok()?).join(DATA_HOME);
        let json =
            |file: String| read(&data.join(file), Some(user)).and_then(|text| serde_json::from_slice(&text).ok());
        let id = &container.id;
        match container.engine {
            Engine::Docker => name_in_docker(&json(format!("{DOCKER_OF_USER}/{id}/config.v2.json"))?),
            Engine::Podman => of_podman(|list| json(format!("{STORAGE_OF_USER}/{list}")), id),
            // Their state is in the mounts of their own processes.
            Engine::Containerd | Engine::CriO | Engine::Nspawn | Engine::Lxc | Engine::Unknown => None,
        }
    }

    /// `config.v2.json`, which only root may read; else whoever may use the socket asks the engine.
    fn of_docker(&self, id: &str) -> Option<ContainerName> {
        let kept = self.json(&format!("{DOCKER}/{id}/config.v2.json"));
        name_in_docker(&kept.or_else(|| docker_socket::inspect(&self.root.join(DOCKER_SOCKET), id))?)
    }

    /// The bundle's `config.json` (OCI runtime specification), which CRI's plugin annotates.
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

    /// The same of CRI-O, which annotates otherwise.
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

/// What Docker keeps and tells of a container.
pub(crate) fn name_in_docker(told: &Value) -> Option<ContainerName> {
    let name = told.get("Name").and_then(Value::as_str).map(|name| name.trim_start_matches('/'));
    ContainerName::of_labels(&Annotations(told.pointer("/Config/Labels")), name)
}

/// Names are in the lists of the storage, by the paths of the lists below it; labels only in Podman's database, which is
/// not read.
fn of_podman(json: impl Fn(&str) -> Option<Value>, id: &str) -> Option<ContainerName> {
    STORAGE_LISTS.iter().find_map(|list| {
        let list = json(list)?;
        let entry = list.as_array()?.iter().find(|entry| entry.get("id").and_then(Value::as_str) == Some(id))?;
        let name = entry.pointer("/names/0").and_then(Value::as_str);
        ContainerName::of_labels(&Annotations(None), name)
    })
}

/// A file whole; none if it is none, or longer than is read, or not this user's where one is given: links in a home lead
/// anywhere, and what its user could not have written tells nothing of that user's containers.
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

/// Labels or annotations of a JSON document.
struct Annotations<'a>(Option<&'a Value>);

impl Labels for Annotations<'_> {
    fn label(&self, name: &str) -> Option<&str> {
        self.0?.get(name)?.as_str()
    }
}

#[cfg(test)]
mod tests;
