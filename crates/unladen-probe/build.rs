//! Compiles bpf/*.bpf.c with clang, where the feature `ebpf` asks for it.
//!
//! The headers of libelf and zlib are libbpf-sys' need. Its own script fails without them, with a C compiler's errors;
//! cargo may run that one first, as it may not be told otherwise. Here is at least the chance of one clear line.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// One object each.
const OBJECTS: &[&str] = &["calls", "functions", "stacks"];

/// What to do when something is missing.
const ADVICE: &str =
    "install clang, libelf-dev, pkg-config and zlib1g-dev (Debian's names), or build with --no-default-features";

fn main() {
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CLANG");
    if std::env::var_os("CARGO_FEATURE_EBPF").is_none() {
        return;
    }
    if let Err(why) = build() {
        println!("cargo::error=the eBPF tracer cannot be built: {why}");
        std::process::exit(1);
    }
}

fn build() -> Result<(), String> {
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang".into());
    look_for(&clang)?;
    let arch = match std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => "-D__TARGET_ARCH_x86",
        Ok("aarch64") => "-D__TARGET_ARCH_arm64",
        other => return Err(format!("{other:?} is not known to it: build with --no-default-features")),
    };
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let folder = std::env::var("CARGO_MANIFEST_DIR").map_err(|error| format!("CARGO_MANIFEST_DIR: {error}"))?;
    for name in OBJECTS {
        let compiled = Command::new(&clang)
            // -g: types of maps and of what CO-RE reads are in the BTF that comes with it.
            .args(["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-Wall", "-Werror", arch, "-c"])
            // The places of sources are in the BTF too: the same bytes, in whatever folder they lie.
            .arg(format!("-ffile-prefix-map={folder}=/unladen/crates/unladen-probe"))
            .arg(format!("bpf/{name}.bpf.c"))
            .arg("-o")
            .arg(out.join(format!("{name}.bpf.o")))
            .output()
            .map_err(|error| format!("{clang}: {error}"))?;
        if !compiled.status.success() {
            return Err(format!("{clang} refused bpf/{name}.bpf.c: {}", String::from_utf8_lossy(&compiled.stderr)));
        }
    }
    Ok(())
}

/// clang, and the headers that libbpf needs.
fn look_for(clang: &str) -> Result<(), String> {
    // pkg-config is libbpf-sys' own need.
    for tool in [clang, "pkg-config"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return Err(format!("there is no {tool}: {ADVICE}"));
        }
    }
    for header in ["libelf.h", "zlib.h"] {
        let found = Command::new(clang)
            .args(["-fsyntax-only", "-include", header, "-x", "c", "/dev/null"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !found {
            return Err(format!("there is no {header}: {ADVICE}"));
        }
    }
    Ok(())
}
