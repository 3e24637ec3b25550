//! The files are made as the engines' documents and sources describe them: no engine runs on the machines of these
//! tests.

use std::fs;
use std::io::BufRead;
use std::os::unix::net::UnixListener;

use serde_json::json;

use super::*;

const ID: &str = "3f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c2a81b7d03f9c";

struct Machine(tempfile::TempDir);

impl Machine {
    fn with(file: &str, content: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file.replace("ID", ID));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content.to_string()).unwrap();
        Self(folder)
    }

    fn name(&self, cgroup: &str) -> Option<String> {
        let path = cgroup.replace("ID", ID);
        let container = ContainerPath::of_component(path.rsplit('/').next().unwrap(), &path).unwrap();
        ContainerState::new(self.0.path()).name_of(&container).map(|name| name.group())
    }
}

const DOCKER_SCOPE: &str = "/system.slice/docker-ID.scope";

fn docker(name: &str, labels: Value) -> Value {
    json!({ "ID": ID, "Name": name, "Config": { "Image": "php:8.2-fpm", "Labels": labels } })
}

#[test]
fn docker_tells_names_compose_services_and_pods() {
    let file = "var/lib/docker/containers/ID/config.v2.json";
    let name = |content: &Value| Machine::with(file, content).name(DOCKER_SCOPE);
    assert_eq!(name(&docker("/web", json!({}))).unwrap(), "container web");
    let compose = |number: &str| {
        json!({
            "com.docker.compose.project": "shop", "com.docker.compose.service": "php",
            "com.docker.compose.container-number": number,
        })
    };
    assert_eq!(name(&docker("/shop-php-1", compose("1"))).unwrap(), "compose shop/php");
    assert_eq!(name(&docker("/shop-php-2", compose("2"))).unwrap(), "compose shop/php 2");
    let kubelet = |container: &str| {
        json!({
            "io.kubernetes.pod.namespace": "shop", "io.kubernetes.pod.name": "web-5d4f",
            "io.kubernetes.container.name": container,
        })
    };
    assert_eq!(name(&docker("/k8s_php_web", kubelet("php"))).unwrap(), "pod shop/web-5d4f/php");
    assert_eq!(name(&docker("/k8s_POD_web", kubelet("POD"))).unwrap(), "pod shop/web-5d4f");
}

#[test]
fn podman_containerd_and_crio_tell_names() {
    let list = json!([
        { "id": "0".repeat(64), "names": ["other"] },
        { "id": ID, "names": ["web"], "metadata": "{\"image-name\":\"docker.io/library/nginx\",\"name\":\"web\"}" },
    ]);
    let podman = Machine::with("var/lib/containers/storage/overlay-containers/containers.json", &list);
    assert_eq!(podman.name("/machine.slice/libpod-ID.scope").unwrap(), "container web");

    let bundle = json!({ "ociVersion": "1.1.0", "annotations": {
        "io.kubernetes.cri.container-type": "container", "io.kubernetes.cri.container-name": "php",
        "io.kubernetes.cri.sandbox-name": "web-5d4f", "io.kubernetes.cri.sandbox-namespace": "shop",
    }});
    let containerd = Machine::with("run/containerd/io.containerd.runtime.v2.task/k8s.io/ID/config.json", &bundle);
    let scope = "/kubepods.slice/kubepods-pod1f.slice/cri-containerd-ID.scope";
    assert_eq!(containerd.name(scope).unwrap(), "pod shop/web-5d4f/php");
    assert_eq!(containerd.name("/kubepods/burstable/pod1f/ID").unwrap(), "pod shop/web-5d4f/php");

    let bundle = json!({ "annotations": {
        "io.kubernetes.container.name": "php", "io.kubernetes.pod.name": "web-5d4f", "io.kubernetes.pod.namespace": "shop",
    }});
    let crio = Machine::with("run/containers/storage/overlay-containers/ID/userdata/config.json", &bundle);
    assert_eq!(crio.name("/kubepods.slice/kubepods-pod1f.slice/crio-ID.scope").unwrap(), "pod shop/web-5d4f/php");
}

/// Whoever starts a container chooses its labels.
#[test]
fn labels_that_are_no_words_are_not_taken() {
    let file = "var/lib/docker/containers/ID/config.v2.json";
    for bad in ["a;reboot", "--all", "a b", "\u{1b}[2J", "", &"x".repeat(200)] {
        let labels = json!({ "com.docker.compose.project": bad, "com.docker.compose.service": "php" });
        assert_eq!(
            Machine::with(file, &docker("/web", labels)).name(DOCKER_SCOPE).unwrap(),
            "container web",
            "{bad:?}"
        );
        assert_eq!(Machine::with(file, &docker(bad, json!({}))).name(DOCKER_SCOPE), None, "{bad:?}");
    }
    for odd in [json!([]), json!({ "Name": 7, "Config": [] }), json!("text")] {
        assert_eq!(Machine::with(file, &odd).name(DOCKER_SCOPE), None);
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_not_waited_for() {
    let machine = Machine::with("var/lib/docker/containers/other", &json!({}));
    let folder = machine.0.path().join("var/lib/docker/containers").join(ID);
    fs::create_dir_all(&folder).unwrap();
    nix::unistd::mkfifo(&folder.join("config.v2.json"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(machine.name(DOCKER_SCOPE), None);
}

/// An engine whose files lie elsewhere, or may not be read.
#[test]
fn the_engine_is_asked_over_its_socket_where_its_files_are_not_there() {
    let machine = Machine::with("run/other", &json!({}));
    let listener = UnixListener::bind(machine.0.path().join("run/docker.sock")).unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        std::io::BufReader::new(&stream).read_line(&mut line).unwrap();
        let body = docker("/web", json!({})).to_string();
        std::io::Write::write_all(&mut stream, format!("HTTP/1.0 200 OK\r\n\r\n{body}").as_bytes()).unwrap();
        line
    });
    assert_eq!(machine.name(DOCKER_SCOPE).unwrap(), "container web");
    assert_eq!(served.join().unwrap(), format!("GET /containers/{ID}/json HTTP/1.0\r\n"));
}
