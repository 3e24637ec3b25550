//! The principal type is [`ContainerName`]: what people call a container.

use std::fmt;

use crate::container_path::is_word;

/// What people call a container. All parts are words that a shell takes as they are: whoever starts a container chooses
/// its labels, and they are shown, and copied into commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ContainerName {
    /// A service of a Compose project; further containers of it have numbers from 2 on.
    Service { project: String, service: String, number: u32, name: Option<String> },
    /// A container of a pod; `None` is what holds the pod's namespaces.
    Pod { namespace: String, pod: String, container: Option<String> },
    /// By the engine's own name.
    Named(String),
}

/// What a container's labels or annotations say.
pub(crate) trait Labels {
    /// The value of a label.
    fn label(&self, name: &str) -> Option<&str>;

    /// One that can be shown.
    fn word(&self, name: &str) -> Option<String> {
        self.label(name).filter(|value| is_word(value)).map(str::to_owned)
    }
}

// === impl ContainerName ===

impl ContainerName {
    /// As labels of Docker and Podman say; `name` is the engine's.
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

    /// By the names of the labels or annotations for namespace, pod and container.
    pub(crate) fn of_pod(labels: &impl Labels, [namespace, pod, container]: [&str; 3]) -> Option<Self> {
        // `POD` is what kubelets called what holds the namespaces.
        let container = labels.word(container).filter(|container| container != "POD");
        Some(Self::Pod { namespace: labels.word(namespace)?, pod: labels.word(pod)?, container })
    }

    /// As a group is called.
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

    /// The engine's own name.
    pub(crate) fn of_engine(&self) -> Option<&str> {
        match self {
            Self::Service { name, .. } => name.as_deref(),
            Self::Pod { .. } => None,
            Self::Named(name) => Some(name),
        }
    }
}

/// With an article, as sentences have it.
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
