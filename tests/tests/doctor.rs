//! What `unladen doctor` says of a machine, and whether what it advises mends it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use unladen_tests::{Ability, Call, Done, Server, copy_binary, skip_without, wait};

const NOBODY: u32 = 65_534;
const AS_NOBODY: [&str; 5] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];

fn doctor(args: &[&str]) -> Call {
    Call::new(["doctor"]).args(args)
}

/// The document; the code says whether something is missing, and so does the document.
fn document(done: &Done) -> Value {
    let document: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    let code = if document["verdict"] == "missing" { 13 } else { 0 };
    assert_eq!(done.code, Some(code), "{done:?}");
    document
}

fn rows<'a>(document: &'a Value, check: &str) -> Vec<&'a Value> {
    document["checks"].as_array().unwrap().iter().filter(|row| row["check"] == check).collect()
}

/// The only row of a check.
fn row<'a>(document: &'a Value, check: &str) -> &'a Value {
    let rows = rows(document, check);
    assert_eq!(rows.len(), 1, "{check}: {document:#}");
    rows[0]
}

fn fixes(row: &Value) -> String {
    let lines: Vec<&str> = row["fix"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert!(!lines.is_empty(), "{row:#}");
    lines.join("\n")
}

/// A folder that anybody may enter, with a copy of the program: the sources may be in somebody's home.
fn open_to_all() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("unladen");
    copy_binary(&program);
    (folder, program)
}

/// What a shell of that user says to these commands.
fn shell(through: &[&str], script: &str) {
    let mut words = through.iter().copied().chain(["sh", "-ec", script]);
    let done = Command::new(words.next().unwrap()).args(words).output().unwrap();
    assert!(done.status.success(), "{script}: {done:?}");
}

#[test]
fn as_root_the_tracer_loads() {
    if skip_without(Ability::Tracing, "as_root_the_tracer_loads") {
        return;
    }
    let document = document(&doctor(&["--json"]).run());
    assert_eq!(document["schema"], "unladen.doctor/1");
    for check in ["kernel", "tracer", "counters"] {
        assert_eq!(rows(&document, check)[0]["verdict"], "ok", "{document:#}");
    }
    assert!(rows(&document, "url").is_empty(), "no page was named: {document:#}");
}

#[test]
fn without_privilege_it_says_what_root_adds() {
    if skip_without(Ability::Root, "without_privilege_it_says_what_root_adds") {
        return;
    }
    let (_folder, program) = open_to_all();
    let document = document(&doctor(&["--json"]).program(&program).through(AS_NOBODY).run());
    let privileges = rows(&document, "privileges")[0];
    let what = privileges["what"].as_str().unwrap();
    assert!(what.starts_with("user 65534, without CAP_BPF"), "{privileges:#}");
    assert!(privileges["why"].as_str().unwrap().starts_with("as root, you would also get findings"), "{privileges:#}");
    assert_eq!((privileges["verdict"].as_str(), fixes(privileges).as_str()), (Some("limited"), "sudo unladen doctor"));
    assert_eq!(row(&document, "tracer")["verdict"], "missing", "{document:#}");
    assert_eq!(document["verdict"], "missing");
}

#[test]
fn a_root_without_capabilities_is_no_root() {
    if skip_without(Ability::Root, "a_root_without_capabilities_is_no_root") {
        return;
    }
    let bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"];
    let document = document(&doctor(&["--json"]).through(bare).run());
    let privileges = rows(&document, "privileges")[0];
    assert!(privileges["what"].as_str().unwrap().starts_with("root, without CAP_BPF"), "{privileges:#}");
    assert!(privileges["advice"].as_str().unwrap().contains("--cap-add BPF"), "{privileges:#}");
    assert_eq!(row(&document, "tracer")["verdict"], "missing", "{document:#}");
}

#[test]
fn where_nobody_gets_more_sudo_is_not_advised() {
    if skip_without(Ability::Root, "where_nobody_gets_more_sudo_is_not_advised") {
        return;
    }
    let (_folder, program) = open_to_all();
    let locked = ["setpriv", "--no-new-privs", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    let document = document(&doctor(&["--json"]).program(&program).through(locked).run());
    let privileges = rows(&document, "privileges")[0];
    assert_eq!(privileges["fix"], serde_json::json!([]), "{privileges:#}");
    assert!(privileges["advice"].as_str().unwrap().contains("no_new_privs"), "{privileges:#}");
}

#[test]
fn a_store_that_cannot_be_read_is_opened_as_printed() {
    if skip_without(Ability::Root, "a_store_that_cannot_be_read_is_opened_as_printed") {
        return;
    }
    let (folder, program) = open_to_all();
    let home = folder.path().join("a home");
    fs::create_dir(&home).unwrap();
    chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
    let store = home.join("runs.sqlite");
    let look = || {
        let call = doctor(&["--json"]).program(&program).through(AS_NOBODY);
        document(&call.env("UNLADEN_STORE", &store).run())
    };
    let before = look();
    assert!(row(&before, "store")["what"].as_str().unwrap().contains("the first measurement creates it"), "{before:#}");
    assert!(!store.exists(), "looking makes nothing");

    // A file of no bytes is a store that nobody has kept anything in.
    fs::write(&store, "").unwrap();
    chown(&store, Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(&store, Permissions::from_mode(0o000)).unwrap();
    let locked = look();
    let told = row(&locked, "store");
    assert_eq!(told["verdict"], "missing", "{told:#}");
    shell(&AS_NOBODY, &fixes(told));
    let mended = look();
    assert_eq!(row(&mended, "store")["verdict"], "ok", "{mended:#}");
}

/// A folder of root was once to be given to whoever asked.
#[test]
fn what_is_anothers_stays_anothers() {
    if skip_without(Ability::Root, "what_is_anothers_stays_anothers") {
        return;
    }
    let (folder, program) = open_to_all();
    let call = doctor(&["--json"]).program(&program).through(AS_NOBODY);
    let document = document(&call.env("UNLADEN_STORE", folder.path().join("runs.sqlite")).run());
    let store = row(&document, "store");
    assert_eq!((&store["verdict"], &store["fix"]), (&"missing".into(), &serde_json::json!([])), "{store:#}");
}

/// CAP_SYS_RESOURCE, which some containers' root has not.
fn may_raise_limits() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap().trim();
    u64::from_str_radix(mask, 16).unwrap() >> 24 & 1 == 1
}

#[test]
fn few_open_files_are_raised_as_printed() {
    if skip_without(Ability::Root, "few_open_files_are_raised_as_printed") {
        return;
    }
    let few = document(&doctor(&["--json"]).through_shell("ulimit -n 256; \"$@\"").run());
    let told = row(&few, "files");
    assert_eq!((told["verdict"].as_str(), told["what"].as_str().unwrap().contains("256")), (Some("limited"), true));
    if !may_raise_limits() {
        // This root may not: no command is printed that would fail.
        assert_eq!(told["fix"], serde_json::json!([]), "{told:#}");
        assert!(told["advice"].as_str().unwrap().contains("LimitNOFILE"), "{told:#}");
        return;
    }
    let script = format!("ulimit -n 256; {} >/dev/null; \"$@\"", fixes(told));
    let raised = document(&doctor(&["--json"]).through_shell(&script).run());
    assert_eq!(row(&raised, "files")["what"], "65536 files may be open at once", "{raised:#}");
}

/// PHP-FPM with settings of its own; it ends with this.
struct Fpm(Child);

impl Fpm {
    fn start(folder: &Path, program: &str) -> Self {
        let at = folder.display();
        let pool = format!(
            "[global]\nerror_log = {at}/fpm.log\ndaemonize = no\n[test]\nlisten = {at}/fpm.sock\nuser = www-data\n\
             group = www-data\npm = static\npm.max_children = 1\n"
        );
        fs::write(folder.join("fpm.conf"), pool).unwrap();
        let mut command = Command::new(program);
        command.args(["-F", "-y"]).arg(folder.join("fpm.conf")).env("PHP_INI_SCAN_DIR", folder.join("conf.d"));
        let fpm = Self(command.spawn().unwrap());
        wait::until_ok("PHP-FPM listens", || std::os::unix::net::UnixStream::connect(folder.join("fpm.sock")));
        fpm
    }
}

impl Drop for Fpm {
    fn drop(&mut self) {
        let _ = kill(Pid::from_raw(self.0.id().cast_signed()), Signal::SIGTERM);
        let _ = self.0.wait();
    }
}

#[test]
fn an_opcode_cache_is_switched_on_as_printed() {
    if skip_without(Ability::Root, "an_opcode_cache_is_switched_on_as_printed") {
        return;
    }
    let program = fs::read_dir("/usr/sbin")
        .unwrap()
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .find(|path| path.starts_with("/usr/sbin/php-fpm"))
        .expect("php-fpm is installed");
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(folder.path().join("conf.d")).unwrap();
    fs::write(folder.path().join("conf.d/10-opcache.ini"), "zend_extension=opcache\nopcache.enable=0\n").unwrap();
    let fpm = Fpm::start(folder.path(), &program);
    let who = format!("(process {})", fpm.0.id());
    let said = || -> Result<Value, String> {
        let document = document(&doctor(&["--json"]).run());
        let of_it = |row: &&Value| {
            let what = row["what"].as_str().unwrap();
            what.contains(&who) && what.contains("opcode cache")
        };
        rows(&document, "php").into_iter().find(of_it).cloned().ok_or_else(|| format!("{document:#}"))
    };
    // It listens before its worker is there, by which doctor finds it.
    let said = || wait::until_ok("doctor sees its opcode cache", said);
    let off = said();
    assert_eq!(off["verdict"], "limited", "{off:#}");
    assert!(fixes(&off).contains(&folder.path().join("conf.d/zz-unladen.ini").display().to_string()), "{off:#}");
    shell(&[], &fixes(&off));
    let on = said();
    assert_eq!(on["verdict"], "ok", "{on:#}");
}

#[test]
fn a_page_tells_who_serves_it() {
    if skip_without(Ability::Tracing, "a_page_tells_who_serves_it") {
        return;
    }
    let server = Server::good();
    let document = document(&doctor(&["--json", &server.url("/")]).run());
    let rows = rows(&document, "url");
    assert!(rows[0]["what"].as_str().unwrap().ends_with("is answered (200 OK)"), "{document:#}");
    let through = rows[1]["what"].as_str().unwrap();
    assert!(through.contains(&format!("(process {})", std::process::id())), "{document:#}");

    let closed = unladen_tests::free_address();
    let done = doctor(&[&format!("http://{closed}/")]).run();
    done.ended_with(13).shows(["missing", "url", "refused"]).says(["something is missing"]);
}

#[test]
fn a_wrong_url_is_refused_before_anything_is_looked_at() {
    doctor(&["ftp://h/"]).run().ended_with(2).says(["ftp"]).shows_nothing();
}

#[test]
fn its_help_fits_and_its_text_has_no_colours_in_a_pipe() {
    let help = doctor(&["--help"]).run().succeeded().stdout;
    for line in help.lines() {
        assert!(line.chars().count() <= 98, "{line}");
    }
    let shown = doctor(&[]).run().stdout;
    assert!(shown.contains("privileges") && !shown.contains('\u{1b}'), "{shown}");
    // Only commands that are to be copied are not broken.
    for line in shown.lines().filter(|line| !line.trim_start().starts_with("$ ")) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}
