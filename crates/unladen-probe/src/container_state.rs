//! The principal type is [`ContainerState`]: what engines keep of their containers, as far as it can be read.
//!
//! None of it is required: without it a container is called by the beginning of its id. All is bounded, and what is
//! read of it are words (see [`ContainerName`]).

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use serde_json::Value;

use crate::container_name::{ContainerName, Labels};
use crate::container_path::{ContainerPath, Engine};
use crate::docker_socket;
use crate::regular_file::reopened;

/// The longest file that is read: `containers.json` has a few KiB for each container of the machine.
const MOST_BYTES: u64 = 8 << 20;
/// Containers whose names are remembered.
const MOST_KNOWN: usize = 10_000;

/// Where engines keep what they know, as of their packages.
const DOCKER: &str = "var/lib/docker/containers";
const DOCKER_SOCKET: &str = "run/docker.sock";
/// Namespaces of containerd: of Kubernetes, of nerdctl.
const CONTAINERD: &str = "run/containerd/io.containerd.runtime.v2.task";
const CONTAINERD_NAMESPACES: [&str; 2] = ["k8s.io", "default"];
/// The state of Podman and CRI-O, and their list of containers.
const STORAGE_RUN: &str = "run/containers/storage/overlay-containers";
const STORAGE_LIST: &str = "var/lib/containers/storage/overlay-containers/containers.json";

/// What engines keep of their containers.
#[derive(Debug)]
pub(crate) struct ContainerState {
    /// `/`, but for tests.
    root: PathBuf,
    known: HashMap<String, Option<ContainerName>>,
}

// === impl ContainerState ===

impl ContainerState {
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), known: HashMap::new() }
    }

    /// What people call it; looked up once.
    pub(crate) fn name_of(&mut self, container: &ContainerPath) -> Option<ContainerName> {
        if let Some(known) = self.known.get(&container.id) {
            return known.clone();
        }
        let name = self.look_up(container);
        if self.known.len() < MOST_KNOWN {
            self.known.insert(container.id.clone(), name.clone());
        }
        name
    }

    fn look_up(&self, container: &ContainerPath) -> Option<ContainerName> {
        let id = &container.id;
        match container.engine {
            Engine::Docker => self.of_docker(id),
            Engine::Podman => self.of_podman(id),
            Engine::Containerd => self.of_containerd(id),
            Engine::CriO => self.of_crio(id),
            // Their cgroups have the name itself.
            Engine::Nspawn | Engine::Lxc => None,
            Engine::Unknown => self.of_containerd(id).or_else(|| self.of_crio(id)).or_else(|| self.of_docker(id)),
        }
    }

    /// `config.v2.json`, which only root may read; else whoever may use the socket asks the engine.
    fn of_docker(&self, id: &str) -> Option<ContainerName> {
        let kept = self.json(&format!("{DOCKER}/{id}/config.v2.json"));
        let told = kept.or_else(|| docker_socket::inspect(&self.root.join(DOCKER_SOCKET), id))?;
        let name = told.get("Name").and_then(Value::as_str).map(|name| name.trim_start_matches('/'));
        ContainerName::of_labels(&Annotations(told.pointer("/Config/Labels")), name)
    }

    /// Names are in the list of the storage; labels only in Podman's database, which is not read.
    fn of_podman(&self, id: &str) -> Option<ContainerName> {
        let list = self.json(STORAGE_LIST)?;
        let entry = list.as_array()?.iter().find(|entry| entry.get("id").and_then(Value::as_str) == Some(id))?;
        let name = entry.pointer("/names/0").and_then(Value::as_str);
        ContainerName::of_labels(&Annotations(None), name)
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
        read(&self.root.join(file)).and_then(|text| serde_json::from_slice(&text).ok())
    }
}

/// A file whole; none if it is none, or longer than is read.
fn read(path: &Path) -> Option<Vec<u8>> {
    let found = open(path, OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC, Mode::empty()).ok()?;
    let file = reopened(found).ok()?;
    if file.metadata().ok()?.len() > MOST_BYTES {
        return None;
    }
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
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
