//! The manifests of docs/guides/kubernetes, strictly against the schemas of Kubernetes' API. No cluster runs here: this says
//! what an API server would take, and nothing of how it runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use unladen_tests::{Lab, pypi};

/// The schemas of all versions of the API since 1.16 or so.
const VALIDATOR: &[&str] = &["kubernetes-validate==1.37.0"];

/// Each document of each file, by the API of an older cluster and of the latest that is known.
const VALIDATE: &str = r#"
import sys, yaml, kubernetes_validate
for path in sys.argv[1:]:
    parts = [part for part in yaml.safe_load_all(open(path)) if part]
    assert parts, path + " holds nothing"
    for part in parts:
        for version in "1.30", kubernetes_validate.latest_version():
            kubernetes_validate.validate(part, version, strict=True)
            print(path.rsplit("/", 1)[-1], part["kind"], version)
"#;

fn manifests() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides/kubernetes");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn validate(packages: &Path, files: &[PathBuf]) -> Output {
    let mut python = Command::new("python3");
    python.args(["-c", VALIDATE]).args(files).env("PYTHONPATH", packages).output().unwrap()
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
