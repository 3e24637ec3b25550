//! The principal type is [`ContainerPath`]: the container to which a control group's path belongs. [`ContainerName`] is
//! its name for people, [`is_restart`] knows the commands made of either.
//!
//! Engines name control groups by their own rules, with systemd's driver and without (cgroups(7), and each engine's
//! documentation): `docker-ID.scope` and `/docker/ID`; `libpod-ID.scope`, `libpod_parent/libpod-ID`, and
//! `web.service/libpod-payload-ID` of Quadlet; the same below `/user.slice/user-UID.slice/user@UID.service` for
//! rootless engines; `kubepods-…-podUID.slice/cri-containerd-ID.scope`, `crio-ID.scope` and `/kubepods/…/podUID/ID` of
//! Kubernetes; `nerdctl-ID.scope`; `machine-NAME.scope` and `systemd-nspawn@NAME.service` of systemd-nspawn;
//! `lxc.payload.NAME` of LXC and its relatives.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Engine {
    Docker,
    Podman,
    /// Used by Kubernetes or nerdctl.
    Containerd,
    CriO,
    Nspawn,
    Lxc,
    /// The path has only an id.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ContainerPath {
    pub(crate) engine: Engine,
    /// 64 hexadecimal digits; a name for systemd-nspawn and LXC.
    pub(crate) id: String,
    /// Whether this is the process that watches the container from beside it.
    pub(crate) is_monitor: bool,
    /// Whether a kubelet made its pod.
    pub(crate) is_of_pod: bool,
    /// Owner of a rootless engine; `None` for the machine's.
    pub(crate) user: Option<u32>,
    /// The service around it, with Quadlet.
    pub(crate) unit: Option<String>,
}

/// Digits of a container's id shown in listings.
const SHORT_ID: usize = 12;
const LONGEST_NAME: usize = 128;

/// Prefixes of path components before the id, longer ones first.
const PREFIXES: &[(&str, Engine, bool)] = &[
    ("docker-", Engine::Docker, false),
    ("libpod-conmon-", Engine::Podman, true),
    ("libpod-payload-", Engine::Podman, false),
    ("libpod-", Engine::Podman, false),
    ("cri-containerd-", Engine::Containerd, false),
    ("nerdctl-", Engine::Containerd, false),
    ("crio-conmon-", Engine::CriO, true),
    ("crio-", Engine::CriO, false),
];

impl ContainerPath {
    pub(crate) fn of_component(component: &str, path: &str) -> Option<Self> {
        let of = |engine, id: &str, is_monitor| {
            let is_of_pod = path.contains("kubepods");
            let unit = unit_around(component, path);
            Some(Self { engine, id: id.to_owned(), is_monitor, is_of_pod, user: user_of(path), unit })
        };
        for (prefix, is_monitor) in [("lxc.payload.", false), ("lxc.monitor.", true)] {
            if let Some(name) = component.strip_prefix(prefix) {
                return is_shown(name).then(|| of(Engine::Lxc, name, is_monitor)).flatten();
            }
        }
        let stem = component.strip_suffix(".scope").unwrap_or(component);
        let nspawn = component.strip_prefix("systemd-nspawn@").and_then(|name| name.strip_suffix(".service"));
        let machine = component.strip_suffix(".scope").and_then(|stem| stem.strip_prefix("machine-"));
        if let Some(name) = nspawn.or(machine) {
            let name = unescaped(name);
            // libvirt registers virtual machines there too, which are no containers.
            return (is_shown(&name) && !name.starts_with("qemu-")).then(|| of(Engine::Nspawn, &name, false)).flatten();
        }
        let known = PREFIXES.iter().find_map(|(prefix, engine, is_monitor)| {
            let id = stem.strip_prefix(prefix).filter(|id| is_id(id))?;
            Some((*engine, id, *is_monitor))
        });
        if let Some((engine, id, is_monitor)) = known {
            return of(engine, id, is_monitor);
        }
        // Others put a word of their own before the id.
        let id = stem.rsplit(['-', ':']).next().filter(|id| is_id(id))?;
        let is_docker = id == stem && path.contains("/docker/");
        of(if is_docker { Engine::Docker } else { Engine::Unknown }, id, false)
    }

    /// As in listings: a name, or the first digits of an id.
    pub(crate) fn short(&self) -> &str {
        if is_id(&self.id) { &self.id[..SHORT_ID] } else { &self.id }
    }

    /// Command that restarts it, if known. `name` is the engine's, `account` the user of a rootless engine.
    pub(crate) fn restart(&self, name: &str, account: Option<&str>) -> Option<String> {
        if let (Some(unit), false) = (&self.unit, self.is_monitor) {
            // Otherwise systemd would see its service end.
            return match self.user {
                None => Some(format!("systemctl restart {unit}")),
                Some(_) => account.map(|account| format!("systemctl --user -M {account}@ restart {unit}")),
            };
        }
        let verb = match self.engine {
            // Pods are replaced, not restarted.
            _ if self.is_of_pod || self.is_monitor => return None,
            Engine::Docker => "docker restart",
            Engine::Podman => "podman restart",
            Engine::Nspawn => "machinectl reboot",
            Engine::Containerd | Engine::CriO | Engine::Lxc | Engine::Unknown => return None,
        };
        is_word(name).then(|| self.as_owner(&format!("{verb} {name}"), account)).flatten()
    }

    /// A command to the engine, as root has to type it to reach the engine's owner.
    pub(crate) fn as_owner(&self, command: &str, account: Option<&str>) -> Option<String> {
        match (self.user, self.engine) {
            (None, _) => Some(command.to_owned()),
            (Some(user), Engine::Docker) => Some(format!("DOCKER_HOST=unix:///run/user/{user}/docker.sock {command}")),
            (Some(_), _) => account.map(|account| format!("sudo -iu {account} {command}")),
        }
    }
}

/// The user of the slice that a path begins with (systemd.special(7)). The rest of the path is named by that user.
fn user_of(path: &str) -> Option<u32> {
    let slice = path.strip_prefix("/user.slice/user-")?.split('/').next()?;
    slice.strip_suffix(".slice")?.parse().ok().filter(|user| *user != 0)
}

/// The service whose group is split between Podman's processes and the container's (`--cgroups=split`).
fn unit_around(component: &str, path: &str) -> Option<String> {
    component.strip_prefix("libpod-payload-")?;
    let before = path.split_once(&format!("/{component}"))?.0;
    let unit = before.rsplit('/').next()?;
    (unit.ends_with(".service") && is_word(unit)).then(|| unit.to_owned())
}

fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// systemd escapes other characters than letters in unit names as `\x2d` (systemd.unit(5)).
fn unescaped(name: &str) -> String {
    name.replace("\\x2d", "-").replace("\\x5f", "_")
}

fn is_shown(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.chars().any(char::is_control)
}

/// Whether a shell takes it literally, and a program does not take it for an option.
pub(crate) fn is_word(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// A container's name for people. All parts are words that a shell takes literally: labels are chosen by whoever starts
/// the container, and are shown and copied into commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ContainerName {
    /// A service of a Compose project; its further containers are numbered from 2.
    Service {
        project: String,
        service: String,
        number: u32,
        name: Option<String>,
    },
    /// A container of a pod; `None` for the one that holds the pod's namespaces.
    Pod {
        namespace: String,
        pod: String,
        container: Option<String>,
    },
    Named(String),
}

pub(crate) trait Labels {
    fn label(&self, name: &str) -> Option<&str>;

    /// The value if it can be shown safely.
    fn word(&self, name: &str) -> Option<String> {
        self.label(name).filter(|value| is_word(value)).map(str::to_owned)
    }
}

// === impl ContainerName ===

impl ContainerName {
    /// By labels of Docker and Podman; `name` is the engine's.
    pub(crate) fn of_labels(labels: &impl Labels, name: Option<&str>) -> Option<Self> {
        let name = name.filter(|name| is_word(name)).map(str::to_owned);
        // Docker under a kubelet (dockershim, cri-dockerd).
        if let Some(pod) = Self::of_pod(
            labels,
            ["io.kubernetes.pod.namespace", "io.kubernetes.pod.name", "io.kubernetes.container.name"],
        ) {
            return Some(pod);
        }
        let project = labels.word("com.docker.compose.project").or_else(|| labels.word("io.podman.compose.project"));
        match (project, labels.word("com.docker.compose.service")) {
            (Some(project), Some(service)) => {
                let number = labels.label("com.docker.compose.container-number").and_then(|number| number.parse().ok());
                Some(Self::Service { project, service, number: number.unwrap_or(1), name })
            }
            _ => name.map(Self::Named),
        }
    }

    /// By the keys of the labels or annotations for namespace, pod and container.
    pub(crate) fn of_pod(labels: &impl Labels, [namespace, pod, container]: [&str; 3]) -> Option<Self> {
        // Kubelets called the holder of the namespaces `POD`.
        let container = labels.word(container).filter(|container| container != "POD");
        Some(Self::Pod { namespace: labels.word(namespace)?, pod: labels.word(pod)?, container })
    }

    pub(crate) fn group(&self) -> String {
        match self {
            Self::Service { project, service, number, .. } if *number > 1 => {
                format!("compose {project}/{service} {number}")
            }
            Self::Service { project, service, .. } => format!("compose {project}/{service}"),
            Self::Pod { namespace, pod, container: Some(container) } => format!("pod {namespace}/{pod}/{container}"),
            Self::Pod { namespace, pod, container: None } => format!("pod {namespace}/{pod}"),
            Self::Named(name) => format!("container {name}"),
        }
    }

    pub(crate) fn of_engine(&self) -> Option<&str> {
        match self {
            Self::Service { name, .. } => name.as_deref(),
            Self::Pod { .. } => None,
            Self::Named(name) => Some(name),
        }
    }
}

/// With an article, for sentences.
impl fmt::Display for ContainerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service { project, service, .. } => {
                write!(f, "the service {service} of the Compose project {project}")
            }
            Self::Pod { namespace, pod, container: Some(container) } => {
                write!(f, "the container {container} of the pod {namespace}/{pod}")
            }
            Self::Pod { namespace, pod, container: None } => write!(f, "the pod {namespace}/{pod}"),
            Self::Named(name) => write!(f, "the container {name}"),
        }
    }
}

/// The socket of a user's Docker, in a command's environment.
const DOCKER_HOST: &str = "DOCKER_HOST=unix:///run/user/";

/// Whether this is a command that restarts a container, exactly as this crate makes them: program, verb, and one name
/// that is neither an option nor more than a shell word. Agents on other hosts may send anything, and it is copied into
/// a root shell.
pub fn is_restart(command: &str) -> bool {
    let words: Vec<&str> = command.split(' ').collect();
    let (docker, words) = match words.split_first() {
        Some((first, rest)) => match first.strip_prefix(DOCKER_HOST) {
            Some(of_user) => (Some(of_user), rest),
            None => (None, words.as_slice()),
        },
        None => return false,
    };
    if let Some(of_user) = docker {
        let user = of_user.strip_suffix("/docker.sock").unwrap_or_default();
        return is_number(user) && is_of_docker(words);
    }
    match words {
        ["podman", "restart", name] | ["machinectl", "reboot", name] => is_word(name),
        ["sudo", "-iu", account, "podman", "restart", name] => is_word(account) && is_word(name),
        ["systemctl", "restart", unit] => is_service(unit),
        ["systemctl", "--user", "-M", account, "restart", unit] => {
            account.strip_suffix('@').is_some_and(is_word) && is_service(unit)
        }
        words => is_of_docker(words),
    }
}

fn is_of_docker(words: &[&str]) -> bool {
    match words {
        ["docker", "restart", name] => is_word(name),
        ["docker", "compose", "-p", project, "restart", service] => is_word(project) && is_word(service),
        _ => false,
    }
}

fn is_service(unit: &str) -> bool {
    is_word(unit) && unit.ends_with(".service")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 10 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
