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

/// A user who is not root; root gives the files to this one.
const USER: u32 = 23_456;

/// The name of a container of a rootless engine whose user's home has this file.
fn of_user(file: &str, text: &str, owner: u32, cgroup: &str) -> Option<String> {
    let machine = Machine::with("other", &json!({}));
    let path = machine.0.path().join("home/joe/.local/share").join(file.replace("ID", ID));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let user = if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(owner), None).unwrap();
        USER
    } else {
        nix::unistd::geteuid().as_raw()
    };
    let path = format!("/user.slice/user-{user}.slice/user@{user}.service/user.slice/{}", cgroup.replace("ID", ID));
    let container = ContainerPath::of_component(path.rsplit('/').next().unwrap(), &path).unwrap();
    let mut state = ContainerState::new(machine.0.path());
    state.accounts.insert(user, Some(Account { name: "joe".into(), home: "/home/joe".into() }));
    assert_eq!(state.account_of(&container).as_deref(), Some("joe"));
    state.name_of(&container).map(|name| name.group())
}

#[test]
fn rootless_docker_and_podman_tell_names() {
    let labels = json!({ "com.docker.compose.project": "shop", "com.docker.compose.service": "php" });
    let kept = docker("/shop-php-1", labels).to_string();
    let docker = of_user("docker/containers/ID/config.v2.json", &kept, USER, "docker-ID.scope");
    assert_eq!(docker.unwrap(), "compose shop/php");
    let list = json!([{ "id": ID, "names": ["web"] }]).to_string();
    for kind in [
        "overlay-containers/containers.json",
        "overlay-containers/volatile-containers.json",
        "vfs-containers/containers.json",
    ] {
        let file = format!("containers/storage/{kind}");
        assert_eq!(of_user(&file, &list, USER, "libpod-ID.scope").unwrap(), "container web", "{kind}");
    }
}

/// A home is filled by its user, who is not to give names to what others run, nor to have others' files read.
#[test]
fn what_a_user_keeps_names_that_users_containers_alone() {
    let list = json!([{ "id": ID, "names": ["web"] }]).to_string();
    let file = "containers/storage/overlay-containers/containers.json";
    if nix::unistd::geteuid().is_root() {
        assert_eq!(of_user(file, &list, 0, "libpod-ID.scope"), None, "a file of root's");
    }
    let long = format!("{list}{}", " ".repeat(1 << 20));
    assert_eq!(of_user(file, &long, USER, "libpod-ID.scope"), None, "a file without an end");
    // A group in a user's slice that is called like a container of the machine's.
    let machine = Machine::with("var/lib/docker/containers/ID/config.v2.json", &docker("/web", json!({})));
    assert_eq!(machine.name("/user.slice/user-23456.slice/user@23456.service/docker-ID.scope"), None);
    assert_eq!(machine.name(DOCKER_SCOPE).unwrap(), "container web");
}

/// Groups cost no more to make than a folder, and each was looked up at each reading once many were known.
#[test]
fn groups_without_end_are_not_looked_up_without_end() {
    let machine = Machine::with("other", &json!({}));
    let mut state = ContainerState::new(machine.0.path());
    for number in 0..=MOST_OF_USERS {
        let path = format!("/user.slice/user-23456.slice/libpod-{number:064x}.scope");
        let container = ContainerPath::of_component(path.rsplit('/').next().unwrap(), &path).unwrap();
        assert_eq!(state.name_of(&container), None);
    }
    assert_eq!(state.known.len(), MOST_OF_USERS);
}
