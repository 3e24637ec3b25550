//! What is published of a version: the scripts that make it, as far as that takes seconds. No program is built for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// A script of a tree, its target folder being one of its own. Releases know their commit by themselves; images are told one,
/// as somebody may commit to this tree meanwhile.
fn script(tree: &Path, name: &str, args: &[&str], target: &Path) -> Output {
    Command::new(tree.join("scripts").join(name))
        .args(args)
        .env("CARGO_TARGET_DIR", target)
        .env("UNLADEN_COMMIT", "829dfe0c")
        .env("SOURCE_DATE_EPOCH", "1795000000")
        .output()
        .unwrap()
}

fn succeeded(output: Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn run(program: &str, args: &[&str]) -> String {
    succeeded(Command::new(program).args(args).output().unwrap())
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}"))
}

/// Names and versions of the packages of Cargo.lock, each with its sum if it comes from the registry.
fn locked() -> BTreeMap<(String, String), Option<String>> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    lock.split("[[package]]\n")
        .skip(1)
        .map(|package| {
            let value = |key: &str| {
                let start = format!("{key} = \"");
                package.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix('"').map(str::to_owned))
            };
            ((value("name").unwrap(), value("version").unwrap()), value("checksum"))
        })
        .collect()
}

/// Every version in its place, the notes cut, and what is in the programs listed.
#[test]
fn a_dry_run_finds_the_versions_in_step() {
    let lab = TempDir::new().unwrap();
    let made = lab.path().join("made");
    let said = succeeded(script(&root(), "release", &["--dry-run", "--output", made.to_str().unwrap()], lab.path()));
    assert!(said.contains("versions are in step") && said.contains("would make"), "{said}");
    let notes = fs::read_to_string(made.join("NOTES.md")).unwrap();
    assert!(!notes.contains("\n## "), "notes of one section alone");
    let links = notes.match_indices("](").filter(|(at, _)| !notes[at + 2..].starts_with("http"));
    assert_eq!(links.count(), 0, "the pages that a link leads to are not beside them");

    let version = env!("CARGO_PKG_VERSION");
    let whole = json(&made.join(format!("unladen-{version}.cdx.json")));
    let agent = json(&made.join(format!("unladen-agent-{version}.cdx.json")));
    let parts = |document: &Value| -> BTreeSet<String> {
        document["components"].as_array().unwrap().iter().map(|part| text(part, "bom-ref").to_owned()).collect()
    };
    assert!(parts(&agent).len() < parts(&whole).len());
    let locked = locked();
    for document in [&whole, &agent] {
        assert_eq!((text(document, "bomFormat"), text(document, "specVersion")), ("CycloneDX", "1.5"));
        let mut known = parts(document);
        for part in document["components"].as_array().unwrap() {
            let key = (text(part, "name").to_owned(), text(part, "version").to_owned());
            if text(part, "bom-ref").starts_with("pkg:cargo/") {
                let sum = part["hashes"][0]["content"].as_str().map(str::to_owned);
                assert_eq!(locked.get(&key), Some(&sum), "{part}");
                assert!(part["licenses"][0]["expression"].is_string(), "{part}");
            }
        }
        known.insert(text(&document["metadata"]["component"], "bom-ref").to_owned());
        for dependency in document["dependencies"].as_array().unwrap() {
            for part in dependency["dependsOn"].as_array().unwrap() {
                assert!(known.contains(part.as_str().unwrap()), "{part} is used by {dependency}, and not listed");
            }
        }
    }
    let names: BTreeSet<&str> = whole["components"].as_array().unwrap().iter().map(|part| text(part, "name")).collect();
    for within in ["rustls", "unladen-serve", "libbpf-sys", "libelf-dev", "rust-std"] {
        assert!(names.contains(within), "{within}");
    }
    // Of tests, of macros, of build scripts.
    for without in ["proptest", "serde_derive", "cc"] {
        assert!(!names.contains(without), "{without}");
    }
}

#[test]
fn a_version_out_of_step_ends_a_release() {
    let lab = TempDir::new().unwrap();
    let tree = lab.path().join("tree");
    fs::create_dir_all(tree.join("scripts")).unwrap();
    fs::copy(root().join("scripts/release"), tree.join("scripts/release")).unwrap();
    fs::write(
        tree.join("Cargo.toml"),
        "[workspace.package]\nversion = \"1.2.0\"\n\n[workspace.dependencies]\n\
         unladen-load = { path = \"crates/unladen-load\", version = \"1.1.0\" }\n",
    )
    .unwrap();
    fs::write(tree.join("Cargo.lock"), "[[package]]\nname = \"unladen\"\nversion = \"1.1.9\"\n").unwrap();
    fs::write(tree.join("CHANGELOG.md"), "# Changelog\n\n## 1.1.0\n- Old.\n").unwrap();
    let git = |words: &[&str]| {
        let who = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@localhost",
            "-c",
            "commit.gpgsign=false",
            "-c",
            "tag.gpgsign=false",
        ];
        succeeded(Command::new("git").args(who).args(words).current_dir(&tree).output().unwrap());
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "all"]);
    git(&["tag", "--annotate", "--message", "a release", "v1.3.0"]);

    let output = script(&tree, "release", &["--dry-run", "v1.3.0"], &lab.path().join("target"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    for wrong in [
        "the tag says '1.3.0', and Cargo.toml '1.2.0'",
        "the dependency unladen-load of Cargo.toml says '1.1.0'",
        "Cargo.lock says '1.1.9'",
        "CHANGELOG.md has no section \"## 1.2.0\"",
    ] {
        assert!(said.contains(wrong), "{wrong} is not in\n{said}");
    }
    let output = script(&tree, "release", &["--dry-run", "v2"], &lab.path().join("target"));
    assert_eq!(output.status.code(), Some(2), "there is no such tag");
}

/// A folder of some of this machine's programs: all of PATH.
fn programs(lab: &Path, names: &[&str]) -> PathBuf {
    let folder = lab.join("programs");
    fs::create_dir(&folder).unwrap();
    for name in names {
        let found = run("sh", &["-c", "command -v \"$1\"", "-", name]);
        std::os::unix::fs::symlink(found.trim_end(), folder.join(name)).unwrap();
    }
    folder
}

/// Published programs have eBPF. One of its tools is enough for it to be missing.
#[test]
fn a_program_that_has_to_have_ebpf_is_not_built_without() {
    let lab = TempDir::new().unwrap();
    let found = programs(
        lab.path(),
        &["bash", "cc", "dirname", "env", "false", "nm", "pkg-config", "realpath", "uname", "grep"],
    );
    // Nothing is built here, if the script finds nothing wrong.
    std::os::unix::fs::symlink(found.join("false"), found.join("cargo")).unwrap();
    for program in ["unladen", "agent"] {
        let done = Command::new(root().join("scripts/static"))
            .args([program, "--ebpf"])
            .env("PATH", &found)
            .env("CARGO_TARGET_DIR", lab.path().join("target"))
            .env_remove("CLANG")
            .output()
            .unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains("--ebpf: clang, pkg-config, or an archive"), "{said}");
    }
}

/// What a release needs in the end is missed before it builds. A machine without apt-get is told what it is.
#[test]
fn a_release_misses_its_tools_at_once() {
    let lab = TempDir::new().unwrap();
    let names = [
        "awk", "basename", "bash", "dirname", "flock", "git", "id", "mkdir", "mktemp", "python3", "realpath", "rm",
        "sed", "tar", "uname",
    ];
    let done = Command::new(root().join("scripts/release"))
        .env("PATH", programs(lab.path(), &names))
        .env("CARGO_TARGET_DIR", lab.path().join("target"))
        .output()
        .unwrap();
    let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    assert!(!done.status.success() && said.contains("the packages binutils dpkg rpm"), "{said}");
}

/// By a shell script that stands for what was built: it is of another commit, or lacks something.
#[test]
fn a_release_ends_if_a_program_is_not_what_it_is_published_as() {
    let lab = TempDir::new().unwrap();
    let target = lab.path().join("target");
    let executable = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let flags = fs::read_to_string(root().join("scripts/flags.sh")).unwrap();
    let version = flags.lines().find_map(|line| line.strip_prefix("CARGO_AUDITABLE=")).unwrap();
    let tools = target.join(format!("tools/cargo-auditable-{version}/bin"));
    // In place of building: it writes a program with these words.
    executable(
        &tools.join("cargo-auditable"),
        "#!/bin/bash\nset -e\nfolder=$CARGO_TARGET_DIR/static/$(uname -m)-unknown-linux-gnu/dist\nmkdir -p \"$folder\"\n\
         printf '#!/bin/sh\\necho \"%s\"\\n' \"$WORDS\" >\"$folder/unladen\"\nchmod +x \"$folder/unladen\"\n",
    );
    let first = lab.path().join("first");
    executable(&first.join("rpmbuild"), "#!/bin/false\n");
    let path = format!("{}:{}", first.display(), std::env::var("PATH").unwrap());
    let commit = run("git", &["-C", root().to_str().unwrap(), "rev-parse", "HEAD"]);
    let (commit, version) = (commit.trim_end(), env!("CARGO_PKG_VERSION"));
    let [name, of, linked, ebpf] = [
        format!("unladen {version}"),
        format!("commit   {commit} of today"),
        "linked statically".to_owned(),
        "eBPF     included".to_owned(),
    ];
    for (words, missed) in [
        (format!("{name} {linked} {ebpf}"), format!("commit   {commit} of ")),
        (format!("{name} {of} {ebpf}"), linked.clone()),
        (format!("{name} {of} {linked}"), ebpf.clone()),
    ] {
        let done = Command::new(root().join("scripts/release"))
            .env("PATH", &path)
            .env("CARGO_TARGET_DIR", &target)
            .env("WORDS", &words)
            .output()
            .unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("static does not say \"{missed}\"")), "{said}");
    }
}

/// A misspelt name of a package is no more than a warning of cargo's, and the package would be built for its size.
#[test]
fn what_is_built_for_speed_is_there() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, profile) = manifest.split_once("[profile.dist.package]\n").expect("a list of packages");
    let names: BTreeSet<String> = locked().into_keys().map(|(name, _)| name).collect();
    let fast: Vec<&str> = profile.lines().map_while(|line| line.strip_suffix(".opt-level = 3")).collect();
    assert!(fast.len() > 50, "{fast:?}");
    for name in &fast {
        assert!(names.contains(*name), "{name}");
    }
    for needed in
        ["unladen-serve", "unladen-http1", "unladen-pool", "unladen-cache", "unladen-fastcgi", "hyper", "h2", "rustls"]
    {
        assert!(fast.contains(&needed), "{needed}");
    }
}

/// By a file that stands for the program: nothing is run in it.
#[test]
fn an_image_is_what_its_sums_say_and_the_same_each_time() {
    let lab = TempDir::new().unwrap();
    let at = |name: &str| lab.path().join(name).to_str().unwrap().to_owned();
    let (program, authorities) = (at("program"), at("authorities.pem"));
    fs::write(&program, b"\x7fELF stands for the program").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(&authorities, "stands for certificates\n").unwrap();
    let image = |program: &str, output: &str| {
        let args = ["--binary", program, "--authorities", &authorities, "--output", output, "--version", "1.2.3"];
        script(&root(), "image", &args, lab.path())
    };
    let (first, again) = (at("first.tar"), at("again.tar"));
    assert_eq!(succeeded(image(&program, &first)), format!("{first}\n"));
    // Another time of the same bytes.
    fs::copy(&program, at("copy")).unwrap();
    succeeded(image(&at("copy"), &again));
    assert!(fs::read(&first).unwrap() == fs::read(&again).unwrap(), "two images of the same program differ");

    let layout = lab.path().join("layout");
    fs::create_dir(&layout).unwrap();
    run("tar", &["--extract", "--file", &first, "--directory", layout.to_str().unwrap()]);
    assert_eq!(json(&layout.join("oci-layout"))["imageLayoutVersion"], "1.0.0");
    // The file of a descriptor, whose sum and size are as it says.
    let blob = |descriptor: &Value| {
        let sum = text(descriptor, "digest").strip_prefix("sha256:").unwrap().to_owned();
        let path = layout.join("blobs/sha256").join(&sum);
        assert!(run("sha256sum", &[path.to_str().unwrap()]).starts_with(&sum), "{descriptor}");
        assert_eq!(fs::metadata(&path).unwrap().len(), descriptor["size"].as_u64().unwrap(), "{descriptor}");
        path
    };
    let listed = &json(&layout.join("index.json"))["manifests"][0];
    // `podman load` makes a name of it, and called it `0.1.0:latest` by the version alone.
    assert_eq!(text(&listed["annotations"], "org.opencontainers.image.ref.name"), "unladen:1.2.3");
    assert_eq!(text(&listed["annotations"], "io.containerd.image.name"), "docker.io/library/unladen:1.2.3");
    let manifest = json(&blob(listed));
    let config = json(&blob(&manifest["config"]));
    assert_eq!(text(&config["config"], "User"), "65532:65532");
    assert_eq!(config["config"]["Entrypoint"][0], "/usr/bin/unladen");
    assert_eq!(config["config"]["Labels"]["org.opencontainers.image.version"], "1.2.3");
    assert_eq!(config["config"]["Labels"]["org.opencontainers.image.revision"], "829dfe0c");
    assert_eq!(text(&config, "created"), "2026-11-18T11:06:40Z");
    assert_eq!(config["config"]["Healthcheck"]["Test"][3], "--health");
    let layer = blob(&manifest["layers"][0]);
    let tar = at("layer.tar");
    fs::write(&tar, Command::new("gzip").args(["-dc", layer.to_str().unwrap()]).output().unwrap().stdout).unwrap();
    let sum = format!("sha256:{}", run("sha256sum", &[&tar]).split(' ').next().unwrap());
    assert_eq!(config["rootfs"]["diff_ids"][0], sum.as_str());

    let listed = run("tar", &["--list", "--verbose", "--numeric-owner", "--file", &tar]);
    let entry = |path: &str| {
        let line = listed.lines().find(|line| line.ends_with(&format!(" {path}")));
        line.unwrap_or_else(|| panic!("no {path} in\n{listed}")).split(' ').take(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(entry("./usr/bin/unladen"), "-rwxr-xr-x 0/0");
    assert_eq!(entry("./etc/ssl/certs/ca-certificates.crt"), "-rw-r--r-- 0/0");
    assert_eq!(entry("./etc/passwd"), "-rw-r--r-- 0/0");
    assert_eq!(entry("./var/lib/unladen/"), "drwxr-xr-x 65532/65532");
    assert_eq!(entry("./tmp/"), "drwxrwxrwt 0/0");
}

#[test]
fn an_image_takes_no_program_that_needs_libraries() {
    let lab = TempDir::new().unwrap();
    let output = lab.path().join("image.tar");
    let args = ["--binary", "/bin/ls", "--output", output.to_str().unwrap()];
    let done = script(&root(), "image", &args, lab.path());
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("/bin/ls is linked to libraries") && said.contains("scripts/static"), "{said}");
    assert!(!output.exists());
}
