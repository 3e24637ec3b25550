//! Where the programs are: [`binary`], [`agent`] and [`burn`].

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The `unladen` of these sources, built in the profile of the tests.
///
/// Whoever runs all tests has built it, and says where it is. Otherwise cargo is asked, once a test program: it tells
/// tests of the path only within the program's own package.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| std::env::var_os("UNLADEN_BINARY").map_or_else(|| build("unladen", "unladen"), PathBuf::from))
}

/// Copies [`binary`]. By cp(1): a test that starts a program meanwhile would inherit the copy open for writing, and it
/// could not be run until then (`ETXTBSY`).
pub fn copy_binary(to: &Path) {
    let done = Command::new("cp").arg(binary()).arg(to).status().expect("cp");
    assert!(done.success(), "cannot copy the program to {}", to.display());
}

/// The `unladen-agent` of these sources, as it is copied to other hosts: without names of functions, which are most of
/// it. It lies beside [`binary`] where all is built.
pub fn agent() -> &'static Path {
    static AGENT: OnceLock<PathBuf> = OnceLock::new();
    AGENT.get_or_init(|| {
        let beside =
            std::env::var_os("UNLADEN_BINARY").map(|binary| PathBuf::from(binary).with_file_name("unladen-agent"));
        let built = beside.filter(|path| path.is_file()).unwrap_or_else(|| build("unladen-agent", "unladen-agent"));
        let (stripped, made) = (built.with_extension("stripped"), built.with_extension(std::process::id().to_string()));
        let done = Command::new("strip").arg("-o").arg(&made).arg(built).status().expect("binutils, as of the linker");
        assert!(done.success(), "strip: {done}");
        // Whole, whoever else makes it.
        std::fs::rename(made, &stripped).expect("beside the other");
        stripped
    })
}

/// The `burn` of these sources, the server of known cost. It sets its CPU clock by looking at it, so that its profile is of
/// no consequence.
pub fn burn() -> &'static Path {
    static BURN: OnceLock<PathBuf> = OnceLock::new();
    BURN.get_or_init(|| {
        let beside = std::env::var_os("UNLADEN_BINARY").map(|binary| PathBuf::from(binary).with_file_name("burn"));
        beside.filter(|path| path.is_file()).unwrap_or_else(|| build("unladen-burn", "burn"))
    })
}

fn build(package: &str, name: &str) -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
    cargo.args(["build", "--locked", "--quiet", "--package", package, "--message-format", "json-render-diagnostics"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo starts");
    assert!(output.status.success(), "cargo cannot build {package}: {}", output.status);
    let messages = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == name && message["target"]["kind"][0] == "bin")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo names the executable that it has built")
}
