//! The principal type is [`ContainerName`].

use std::fmt;

use crate::container_path::is_word;

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
