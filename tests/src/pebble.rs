//! The principal type is [`Pebble`]: an authority of ACME that is made for tests.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::json;
use tempfile::TempDir;

use crate::authority::Authority;
use crate::names::Names;
use crate::port::free_address;
use crate::wait;

const MODULE: &str = "github.com/letsencrypt/pebble/v2";
const VERSION: &str = "v2.10.1";

/// Pebble, Let's Encrypt's authority for tests. It is killed when this is dropped.
#[derive(Debug)]
pub struct Pebble {
    child: Child,
    folder: TempDir,
    settings: Settings,
    authority: Authority,
}

/// How it is to be.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where tests tell it what to do.
    pub management: SocketAddr,
    /// Where it looks for answers by HTTP.
    pub http: u16,
    /// Where it looks for answers by TLS.
    pub tls: u16,
    /// How long its certificates are valid, in seconds.
    pub valid: u64,
    /// Of a hundred nonces, so many are refused though they are good.
    pub bad_nonces: u32,
    /// An account elsewhere without which nobody may have one here: its identifier, and its key in base64url.
    pub eab: Option<(String, String)>,
}

/// The program, and which it is.
#[derive(Debug)]
struct Program {
    path: PathBuf,
    /// Whether it suggests when to renew (RFC 9773): Debian's is too old.
    suggests: bool,
}

impl Settings {
    /// With what is usual, looking for answers at these ports.
    pub fn new(http: u16, tls: u16) -> Self {
        let (address, management) = (free_address(), free_address());
        Self { address, management, http, tls, valid: 90 * 24 * 3600, bad_nonces: 0, eab: None }
    }
}

// === impl Pebble ===

impl Pebble {
    /// Whether it can be had here; if not, that is told, in a line that is counted. `test`: who asks.
    pub fn is_here(test: &str) -> bool {
        is_told(test, program().is_some(), "it takes Pebble: Go 1.22 or newer, or Debian's package `pebble`")
    }

    /// Whether it can be had here in a version that suggests when to renew.
    pub fn suggests(test: &str) -> bool {
        is_told(test, program().is_some_and(|program| program.suggests), "it takes Pebble 2.10: Go 1.22 or newer")
    }

    /// Starts it.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn start(settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let authority = Authority::new();
        Self::start_in(folder, authority, settings)
    }

    /// Ends it and starts it again at the same address: it has forgotten all.
    pub fn again(mut self, settings: impl FnOnce(&mut Settings)) -> Self {
        self.end();
        let mut new = self.settings.clone();
        settings(&mut new);
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a temporary folder"));
        let authority = std::mem::take(&mut self.authority);
        Self::start_in(folder, authority, new)
    }

    fn start_in(folder: TempDir, authority: Authority, settings: Settings) -> Self {
        let program = &program().expect("a test asks first whether it is here").path;
        let own = authority.certificate("localhost");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write("ca.pem", &authority.pem());
        write("cert.pem", &own.chain);
        write("key.pem", &own.key);
        let keys = settings.eab.iter().map(|(kid, key)| (kid.clone(), json!(key))).collect();
        let config = json!({"pebble": {
            "listenAddress": settings.address.to_string(),
            "managementListenAddress": settings.management.to_string(),
            "certificate": folder.path().join("cert.pem"),
            "privateKey": folder.path().join("key.pem"),
            "httpPort": settings.http,
            "tlsPort": settings.tls,
            "externalAccountBindingRequired": settings.eab.is_some(),
            "externalAccountMACKeys": serde_json::Value::Object(keys),
            "retryAfter": {"authz": 1, "order": 1},
            "keyAlgorithm": "ecdsa",
            "certificateValidityPeriod": settings.valid,
            "profiles": {"default": {"description": "usual", "validityPeriod": settings.valid}},
        }});
        write("config.json", &config.to_string());
        let log = File::create(folder.path().join("log")).expect("a file");
        let child = Command::new(program)
            .arg("-config")
            .arg(folder.path().join("config.json"))
            .args(["-dnsserver", &Names::start().address().to_string()])
            // It waits before it looks, refuses nonces and forgets authorizations by chance, if it is not told not to.
            .env("PEBBLE_VA_NOSLEEP", "1")
            .env("PEBBLE_AUTHZREUSE", "0")
            .env("PEBBLE_WFE_NONCEREJECT", settings.bad_nonces.to_string())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a descriptor"))
            .stderr(log)
            .spawn()
            .expect("Pebble starts");
        let pebble = Self { child, folder, settings, authority };
        for address in [pebble.settings.address, pebble.settings.management] {
            wait::until_ok("Pebble comes up", || std::net::TcpStream::connect(address).map(drop));
        }
        pebble
    }

    /// Its directory.
    pub fn directory(&self) -> String {
        format!("https://localhost:{}/dir", self.settings.address.port())
    }

    /// The authority of its own certificate, a file.
    pub fn ca(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// The authority of the certificates that it issues, PEM.
    pub fn root(&self) -> String {
        self.manage(&["/roots/0"])
    }

    /// Has it say that a certificate (PEM) be renewed between these times (RFC 3339).
    pub fn suggest(&self, certificate: &str, start: &str, end: &str) {
        let response = json!({"suggestedWindow": {"start": start, "end": end}}).to_string();
        let told = json!({"certificate": certificate, "ariResponse": response}).to_string();
        self.manage(&["/set-renewal-info/", "--data-binary", &told]);
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn manage(&self, asked: &[&str]) -> String {
        let url = format!("https://localhost:{}{}", self.settings.management.port(), asked[0]);
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--fail", "--noproxy", "*", "--cacert"]).arg(self.ca()).arg(&url);
        let output = curl.args(&asked[1..]).stdin(Stdio::null()).output().expect("curl starts");
        assert!(output.status.success(), "{url}: {}\n{}", String::from_utf8_lossy(&output.stderr), self.log());
        String::from_utf8(output.stdout).expect("text")
    }

    /// Ends it.
    pub fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        self.end();
    }
}

fn is_told(test: &str, is_here: bool, what: &str) -> bool {
    if !is_here {
        assert!(std::env::var_os("UNLADEN_TESTS").is_none_or(|value| value != "all"), "{what}");
        // Not eprintln!, which is shown of failing tests only.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("SKIPPED: {test}: {what}\n").as_bytes());
    }
    is_here
}

/// Built by Go, once for all test programs, or Debian's.
fn program() -> Option<&'static Program> {
    static PROGRAM: OnceLock<Option<Program>> = OnceLock::new();
    let find = || match build() {
        Some(path) => Some(Program { path, suggests: true }),
        None => {
            let path = PathBuf::from("/usr/bin/pebble");
            path.exists().then_some(Program { path, suggests: false })
        }
    };
    PROGRAM.get_or_init(find).as_ref()
}

fn build() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    let folder = std::path::absolute(target.join("tools").join(format!("pebble-{VERSION}"))).ok()?;
    let program = folder.join("bin/pebble");
    if program.exists() {
        return Some(program);
    }
    let part = tempfile::tempdir().ok()?;
    // A module that requires this version: `go install NAME@VERSION` would ask for the list of all versions besides.
    let module = format!("module tools\n\ngo 1.22\n\nrequire {MODULE} {VERSION}\n");
    std::fs::write(part.path().join("go.mod"), module).ok()?;
    let go = ["go", "/usr/local/go/bin/go"].into_iter().find(|go| {
        let asked = Command::new(go).arg("version").stdin(Stdio::null()).stderr(Stdio::null()).output();
        asked.is_ok_and(|output| output.status.success())
    })?;
    let mut command = Command::new(go);
    command.args(["install", "-mod=mod", &format!("{MODULE}/cmd/pebble")]).current_dir(part.path());
    // The Go at hand, or none: another toolchain is not for a test to fetch.
    command.env("GOBIN", part.path().join("bin")).env("GOTOOLCHAIN", "local").stdin(Stdio::null());
    let output = command.output().ok()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("Pebble cannot be built: {said}").as_bytes());
        return None;
    }
    std::fs::create_dir_all(folder.join("bin")).ok()?;
    // Another program may have built it meanwhile: it is the same.
    let new = folder.join(format!("bin/pebble.{}", std::process::id()));
    std::fs::copy(part.path().join("bin/pebble"), &new).ok()?;
    std::fs::rename(new, &program).ok()?;
    Some(program)
}
