//! The manifests of docs/guides/kubernetes, and what the chart of packaging/helm comes to, strictly against the schemas of
//! Kubernetes' API; the files of the guides to Compose and Nomad, by what reads such files. No cluster runs here: this says
//! what an API server would take, and nothing of how it runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use unladen_tests::{Authority, Call, Lab, pypi};

/// The schemas of all versions of the API since 1.16 or so.
const VALIDATOR: &[&str] = &["kubernetes-validate==1.37.0"];

/// Each document of each file, by the API of an older cluster and of the latest that is known.
const VALIDATE: &str = r#"
import sys, yaml, kubernetes_validate
for path in sys.argv[1:]:
    parts = [part for part in yaml.safe_load_all(open(path)) if part]
    assert parts, path + " holds nothing"
    for part in parts:
        if part["kind"] == "ServiceMonitor":
            continue  # of the Prometheus operator, and not of this API
        for version in "1.30", kubernetes_validate.latest_version():
            kubernetes_validate.validate(part, version, strict=True)
            print(path.rsplit("/", 1)[-1], part["kind"], version)
"#;

/// That what the chart comes to agrees with itself, and what its configurations say: `{name of the file: text}`.
const AGREE: &str = r#"
import json, sys, tomllib, yaml
configs = {}
for path in sys.argv[1:]:
    name, parts = path.rsplit("/", 1)[-1], [part for part in yaml.safe_load_all(open(path)) if part]
    of = lambda kind: [part for part in parts if part["kind"] == kind]
    maps = {part["metadata"]["name"]: part["data"] for part in of("ConfigMap")}
    [deployment] = of("Deployment")
    pod = deployment["spec"]["template"]
    labels, spec = pod["metadata"]["labels"], pod["spec"]
    containers = {one["name"]: one for one in spec["containers"] + spec.get("initContainers", [])}
    unladen = containers["unladen"]
    volumes = {one["name"]: one for one in spec["volumes"]}
    text = maps[volumes["config"]["configMap"]["name"]]["unladen.toml"]
    configs[name] = text
    config = tomllib.loads(text)
    seconds = lambda text: int(text.removesuffix("s"))
    assert spec["terminationGracePeriodSeconds"] > seconds(config["drain"]) + seconds(config["drain_delay"]), name
    # Whoever is needed longer is a native sidecar.
    sidecars = [one["name"] for one in spec.get("initContainers", [])]
    assert all(one["restartPolicy"] == "Always" for one in spec.get("initContainers", [])), name
    expected = {"site-php-fpm.yaml": ["application"], "outbound.yaml": ["unladen"]}.get(name, [])
    assert sidecars == expected, (name, sidecars)
    ports = {port["name"]: port["containerPort"] for port in unladen["ports"]}
    assert config["admin"]["probes"].endswith(f":{ports['probes']}"), name
    for probe, path in ("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz"):
        assert unladen[probe]["httpGet"] == {"path": path, "port": "probes"}, (name, probe)
    for container in containers.values():
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] and context["runAsNonRoot"] and context["runAsUser"] > 0, name
        assert not context["allowPrivilegeEscalation"] and context["capabilities"] == {"drop": ["ALL"]}, name
        assert {mount["name"] for mount in container["volumeMounts"]} <= set(volumes), name
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"} and not spec["automountServiceAccountToken"]
    mounts = {mount["mountPath"]: mount for mount in unladen["volumeMounts"]}
    # A Unix socket is in a folder that is written to; one between containers is in one that both see.
    assert config["admin"]["listen"].removeprefix("unix:").rsplit("/", 1)[0] in mounts, name
    places = [at.removeprefix("unix:") for at in [*(one["listen"] for one in config.get("outbound", [])),
              *(one["php"] for one in config.get("site", []) if "php" in one)] if "/" in at]
    for place in places:
        folder = place.rsplit("/", 1)[0]
        for container in containers.values():
            assert folder in [mount["mountPath"] for mount in container["volumeMounts"]], (name, place)
    for site in config.get("site", []):
        assert int(site["listen"].rsplit(":", 1)[1]) in ports.values(), name
    # A change makes new pods, or the folder is mounted, which Kubernetes changes.
    is_rolled = "checksum/config" in pod["metadata"]["annotations"]
    assert is_rolled == ("/etc/unladen/unladen.toml" in mounts) != ("/etc/unladen" in mounts), name
    for part in of("Service") + of("PodDisruptionBudget") + of("NetworkPolicy"):
        selector = part["spec"].get("selector") or part["spec"]["podSelector"]
        assert selector.get("matchLabels", selector).items() <= labels.items(), (name, part["kind"])
    named = {port["name"] for one in containers.values() for port in one.get("ports", [])}
    assert all(port["targetPort"] in named for part in of("Service") for port in part["spec"]["ports"]), name
print(json.dumps(configs))
"#;

/// The files of the guides: Compose by the rules of its specification, Nomad's as HCL. Their configurations as above.
const GUIDES: &str = r#"
import json, sys, textwrap, tomllib, yaml
import compose_spec, hcl2
folder = sys.argv[1]
text = open(folder + "/compose/compose.yaml").read()
compose = compose_spec.PyCompose.from_yaml(text)
compose.validate()
for right, wrong in ("services:", "service:"), ("read_only: true", "read_only: [yes]"):
    try:
        compose_spec.PyCompose.from_yaml(text.replace(right, wrong))
    except Exception:
        continue
    raise SystemExit(wrong + " was taken")
services = yaml.safe_load(text)["services"]
unladen, application = services["unladen"], services["application"]
config = tomllib.loads(open(folder + "/compose/unladen.toml").read())
seconds = lambda text: int(text.strip('"').removesuffix("s"))
assert seconds(unladen["stop_grace_period"]) > seconds(config["drain"])
assert unladen["ports"] == ["80:" + config["site"][0]["listen"].rsplit(":", 1)[1]]
pool = open(folder + "/compose/zz-unladen.conf").read()
assert f"listen = {config['site'][0]['php']}\n" in pool and "listen.mode = 0660" in pool
for service in unladen, application:
    assert service["read_only"] and service["cap_drop"] == ["ALL"] and "sockets:/run/application" in service["volumes"]
    assert service["user"] == "65532:65532"
[job] = hcl2.load(open(folder + "/nomad/shop.nomad.hcl"))["job"]
[group] = job['"shop"']["group"]
tasks = {name.strip('"'): task for one in group['"shop"']["task"] for name, task in one.items()}
[template] = tasks["unladen"]["template"]
nomad = textwrap.dedent(template["data"].strip('"').removeprefix("<<-EOF\n").removesuffix("EOF").rstrip(" "))
assert seconds(tasks["unladen"]["kill_timeout"]) > seconds(tomllib.loads(nomad)["drain"])
assert seconds(tasks["application"]["kill_timeout"]) > seconds(tasks["unladen"]["kill_timeout"])
print(json.dumps({"compose": open(folder + "/compose/unladen.toml").read(), "nomad": nomad}))
"#;

/// What reads files of Compose and of Nomad.
const READERS: &[&str] = &["compose-spec==0.2.1", "python-hcl2==8.1.4"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect()
}

fn manifests() -> Vec<PathBuf> {
    yaml_files(&folder("docs/guides/kubernetes"))
}

/// What the chart comes to.
fn rendered() -> Vec<PathBuf> {
    yaml_files(&folder("packaging/helm/rendered"))
}

fn python(packages: &Path, script: &str, args: &[PathBuf]) -> Output {
    let mut python = Command::new("python3");
    python.args(["-c", script]).args(args).env("PYTHONPATH", packages).output().unwrap()
}

/// That `serve` takes each of these, by their names.
fn are_taken(configs: &[u8]) {
    let configs: std::collections::BTreeMap<String, String> = serde_json::from_slice(configs).unwrap();
    let lab = Lab::new();
    // What is mounted there.
    let certificate = Authority::new().certificate("site.example");
    lab.write("tls.crt", &certificate.chain);
    lab.write("tls.key", &certificate.key);
    let mounted = lab.folder().to_str().unwrap();
    for (name, text) in configs {
        let there = ["/srv/shop/public", "/alloc/data/public", "/etc/unladen-tls"];
        let text = there.iter().fold(text, |text, folder| text.replace(folder, mounted));
        lab.write("unladen.toml", &text);
        let done =
            Call::new(["serve".as_ref(), lab.path("unladen.toml").as_os_str(), "--check".as_ref()]).run().succeeded();
        done.shows([": OK: "]);
        println!("{name} is taken");
    }
}

fn validate(packages: &Path, files: &[PathBuf]) -> Output {
    python(packages, VALIDATE, files)
}

#[test]
fn what_the_chart_comes_to_is_taken_by_the_api_and_its_configurations_by_serve() {
    let Some(packages) = pypi("the chart for Kubernetes", VALIDATOR) else { return };
    let rendered = rendered();
    assert!(rendered.len() >= 4, "{rendered:?}");
    let done = validate(&packages, &rendered);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let done = python(&packages, AGREE, &rendered);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    are_taken(&done.stdout);
    // A pod that is killed while it drains.
    let lab = Lab::new();
    let text = fs::read_to_string(folder("packaging/helm/rendered/default.yaml")).unwrap();
    lab.write("default.yaml", &text.replace("terminationGracePeriodSeconds: 50", "terminationGracePeriodSeconds: 30"));
    assert!(!python(&packages, AGREE, &[lab.path("default.yaml")]).status.success());
}

/// Helm itself takes Go and a minute to build: `make lint` renders the chart anew, by `scripts/chart`.
#[test]
fn the_chart_has_been_rendered_since_it_changed() {
    let helm = folder("packaging/helm");
    let done = Command::new("sh")
        .args(["-c", "find unladen examples -type f | LC_ALL=C sort | xargs sha256sum"])
        .current_dir(&helm)
        .output()
        .unwrap();
    let sums = fs::read_to_string(helm.join("rendered/SHA256SUMS")).unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), sums, "run scripts/chart --write, and look at what it changes");
}

#[test]
fn the_files_for_compose_and_nomad_can_be_read_and_their_configurations_are_taken() {
    let Some(packages) = pypi("the files for Compose and Nomad", READERS) else { return };
    let done = python(&packages, GUIDES, &[folder("docs/guides")]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    are_taken(&done.stdout);
}

#[test]
fn the_api_takes_each_manifest_and_no_other() {
    let Some(packages) = pypi("the manifests for Kubernetes", VALIDATOR) else { return };
    let manifests = manifests();
    assert!(manifests.len() >= 2, "{manifests:?}");
    let done = validate(&packages, &manifests);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    print!("{}", String::from_utf8_lossy(&done.stdout));

    // A word that the API does not know, and a number where it wants text.
    let lab = Lab::new();
    for manifest in &manifests {
        let text = fs::read_to_string(manifest).unwrap();
        for (right, wrong) in [("securityContext:", "securityContexts:"), ("    app: ", "    app: 7 #")] {
            assert!(text.contains(right), "{}", manifest.display());
            lab.write("wrong.yaml", &text.replace(right, wrong));
            let done = validate(&packages, &[lab.path("wrong.yaml")]);
            assert!(!done.status.success(), "{wrong} was taken in {}", manifest.display());
        }
    }
}

/// What the guide types is in the manifests.
#[test]
fn the_guide_and_its_manifests_use_the_same_names() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides/kubernetes.md");
    let guide = fs::read_to_string(guide).unwrap();
    for manifest in manifests() {
        let text = fs::read_to_string(&manifest).unwrap();
        let file = manifest.file_name().unwrap().to_str().unwrap();
        assert!(guide.contains(&format!("kubectl apply -f docs/guides/kubernetes/{file}")), "{file}");
        let app = text.lines().find_map(|line| line.trim().strip_prefix("app: ")).unwrap();
        assert!(guide.contains(&format!("-l app={app}")), "{app} of {file}");
        let namespaces = text.lines().filter_map(|line| line.trim().strip_prefix("namespace: "));
        for namespace in namespaces {
            assert!(guide.contains(&format!("kubectl -n {namespace} ")), "{namespace} of {file}");
        }
    }
}
