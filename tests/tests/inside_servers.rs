//! Fixes for a server that was started with settings of its own, beside another of its kind: what is printed, run as it is
//! printed, changes that one. No systemd is asked.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;
use unladen_tests::{Ability, Call, PhpFpm, copy_binary, free_address, skip_without, wait};

/// nginx with a master and a worker: `-c` and `-p` lead to its folder, whose name has a blank.
struct Server {
    child: Child,
    address: SocketAddr,
    home: PathBuf,
    _folder: TempDir,
}

impl Server {
    /// With these lines in its block `http`.
    fn start(http: &str, page: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder that all may enter");
        let home = folder.path().join("a shop");
        fs::create_dir_all(home.join("conf.d")).expect("a folder of our own");
        let address = free_address();
        let config = format!(
            "daemon off; pid nginx.pid; error_log errors.log; worker_processes 1;
             events {{ worker_connections 100; }}
             http {{
                 access_log off;
                 client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                 uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                 {http}
                 server {{ listen {address}; location / {{ {page} }} }}
             }}"
        );
        fs::write(home.join("nginx.conf"), config).expect("a file of our own");
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "TERM", "--", "/usr/sbin/nginx", "-e", "errors.log", "-c", "nginx.conf", "-p"]);
        let child = command.arg(&home).spawn().expect("setpriv");
        let server = Self { child, address, home, _folder: folder };
        wait::until_ok("nginx comes up", || std::net::TcpStream::connect(address));
        server
    }

    fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Whether it compresses the page for who asks for that.
    fn compresses(&self) -> bool {
        let asked = Command::new("curl").args(["-s", "-i", "-H", "Accept-Encoding: gzip", &self.url()]).output();
        String::from_utf8_lossy(&asked.expect("curl").stdout).contains("Content-Encoding: gzip")
    }

    /// What its folder holds, its logs aside.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        files(&self.home)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A master that is killed leaves its workers behind.
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM);
        let _ = self.child.wait();
    }
}

fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false if path.extension().is_some_and(|end| end == "log") => {}
            false => drop(all.insert(path.clone(), fs::read_to_string(path).unwrap_or_default())),
        }
    }
    all
}

/// Those that are of unladen or name it: other tests install packages, which have files there too.
fn of_unladen(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = files(folder);
    all.retain(|path, text| path.to_string_lossy().contains("unladen") || text.contains("unladen"));
    all
}

/// PHP that was started with `-y` elsewhere, and the nginx in front of it.
fn shop(http: &str) -> (Server, PhpFpm) {
    shop_of(http, "<?php echo str_repeat('some text ', 1000);")
}

fn shop_of(http: &str, code: &str) -> (Server, PhpFpm) {
    let fpm = PhpFpm::start(1, "");
    let script = fpm.page("index.php", code);
    let page = format!(
        "fastcgi_pass unix:{}; fastcgi_param SCRIPT_FILENAME {}; fastcgi_param REQUEST_METHOD $request_method;",
        fpm.socket().display(),
        script.display()
    );
    (Server::start(http, &page), fpm)
}

const BRIEF: [&str; 6] = ["--time", "4s", "--phase", "150ms", "--settle", "20ms"];

fn uncompressed(url: &str) -> Value {
    found(Call::weigh(BRIEF).args([url]))
}

fn found(call: Call) -> Value {
    let document = call.document();
    let found = document.list("findings").iter().find(|found| found["rule"] == "uncompressed");
    found.unwrap_or_else(|| panic!("not found: {document}")).clone()
}

fn commands(found: &Value) -> Vec<&str> {
    found["fix"]["commands"].as_array().expect("commands").iter().filter_map(Value::as_str).collect()
}

fn run(command: &str) -> Output {
    Command::new("bash").args(["-c", command]).current_dir("/").output().expect("bash")
}

fn done(command: &str) {
    let done = run(command);
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Its lines went to `/etc/nginx/conf.d`, and `nginx -s reload` to whoever has the usual settings.
#[test]
fn an_nginx_with_settings_elsewhere_was_taken_for_another() {
    if skip_without(Ability::Tracing, "an_nginx_with_settings_elsewhere_was_taken_for_another") {
        return;
    }
    let (ours, _fpm) = shop("include conf.d/*.conf;");
    let (other, _other_fpm) = shop("include conf.d/*.conf;");
    let usual = Path::new("/etc/nginx");
    let before = (ours.files(), other.files(), of_unladen(usual));
    let found = uncompressed(&ours.url());
    let [write, reload] = commands(&found)[..] else { panic!("{found}") };

    // nginx refuses the settings for another reason: the new file does not stay for its next start.
    let broken = ours.home.join("conf.d/broken.conf");
    fs::write(&broken, "nonsense;").expect("a file");
    done(write);
    assert!(!run(reload).status.success(), "{reload}");
    fs::remove_file(&broken).expect("a file");
    assert_eq!(ours.files(), before.0, "nothing stays behind");

    done(write);
    done(reload);
    wait::until("the server compresses", || ours.compresses());
    let file = ours.home.join("conf.d/unladen-gzip.conf");
    assert!(fs::read_to_string(&file).is_ok_and(|text| text.contains("gzip on;")), "{found}");
    assert!(!other.compresses());
    assert_eq!((other.files(), of_unladen(usual)), (before.1.clone(), before.2.clone()));

    // The printed experiment, which switches it there and back.
    fs::remove_file(&file).expect("a file");
    let printed = found["check_again"].as_str().expect("text");
    let (_, text) = printed.split_once("where try.toml is:\n").unwrap_or_else(|| panic!("{printed}"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let experiment = folder.path().join("try.toml");
    fs::write(&experiment, text).expect("a file");
    let proved = Call::prove([experiment.as_os_str(), "-n".as_ref(), "40".as_ref()]).run();
    assert!(proved.stdout.contains("\nbody bytes "), "{proved}");
    assert_eq!((ours.files(), other.files(), of_unladen(usual)), before, "{proved}");
    assert!(!other.compresses());
}

/// A folder that nothing reads was given the file, and the check of the settings was content.
#[test]
fn an_nginx_that_reads_no_folder_was_given_a_file() {
    if skip_without(Ability::Tracing, "an_nginx_that_reads_no_folder_was_given_a_file") {
        return;
    }
    let (ours, _fpm) = shop("");
    let found = uncompressed(&ours.url());
    let file = ours.home.join("unladen-gzip.conf");
    let line = format!("include \"{}\";", file.display());
    let advice = found["fix"]["advice"].as_str().expect("text");
    assert!(advice.contains(&line), "{advice}");
    let config = ours.home.join("nginx.conf");
    let text = fs::read_to_string(&config).expect("a file");
    let [write, reload] = commands(&found)[..] else { panic!("{found}") };
    done(write);
    fs::write(&config, text.replace("access_log off;", &format!("access_log off; {line}"))).expect("a file");
    done(reload);
    wait::until("the server compresses", || ours.compresses());
}

/// The fix named the package's nginx, and `unladen fix`, as root, changed that one.
#[test]
fn without_root_the_packages_nginx_was_named() {
    if skip_without(Ability::Tracing, "without_root_the_packages_nginx_was_named") {
        return;
    }
    let (ours, _fpm) = shop("include conf.d/*.conf;");
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder that all may enter");
    let program = folder.path().join("unladen");
    copy_binary(&program);
    let as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    let found = found(Call::weigh(BRIEF).program(&program).through(as_nobody).args([&ours.url()]));
    assert!(found["fix"]["advice"].as_str().is_some_and(|advice| advice.contains("only root sees which")), "{found}");
    assert!(commands(&found).is_empty() && !found.to_string().contains("/etc/nginx"), "{found}");
}

/// Other PHP-FPMs of the same user are of the same group: what their visitors asked for was counted, too, and where nobody
/// could tell, a proof said *unclear* of its counts.
#[test]
fn the_work_of_another_php_fpm_of_the_same_user_was_counted() {
    if skip_without(Ability::Tracing, "the_work_of_another_php_fpm_of_the_same_user_was_counted") {
        return;
    }
    let checks = |count: usize| {
        format!("<?php for ($i = 0; $i < {count}; $i++) {{ file_exists(__DIR__ . \"/none/$i\"); }} echo 'some text';")
    };
    let ((ours, _fpm), (other, _other_fpm)) = (shop_of("", &checks(20)), shop_of("", &checks(2000)));
    let is_over = AtomicBool::new(false);
    let document = std::thread::scope(|scope| {
        scope.spawn(|| {
            // As visitors do: now and then.
            for pause in (0..7).cycle() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let _ = Command::new("curl").args(["-s", "-o", "/dev/null", &other.url()]).status();
                std::thread::sleep(Duration::from_millis(10 * pause));
            }
        });
        let document = Call::weigh(BRIEF).args(["--json", &ours.url()]).run();
        is_over.store(true, Ordering::Relaxed);
        document.succeeded().document()
    });
    let row = document.list("counts").iter().find(|row| row["counter"] == "files.checked");
    let row = row.unwrap_or_else(|| panic!("no file checks: {document}"));
    let (low, high) = (row["low"].as_f64().expect("a number"), row["high"].as_f64().expect("a number"));
    assert!(low > 19.0 && high < 22.0, "{row}");
}
