//! An application with a root folder of its own: a fix names its files, and no command of the host.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use unladen_tests::{Ability, Call, Nginx, free_port, skip_without, wait};

/// Reads its parts, which are compiled for each request where there is no opcode cache.
const PAGE: &str = r#"<?php
foreach (range(1, 30) as $number) {
    include __DIR__ . "/part$number.php";
}
echo str_repeat('text ', 20);
"#;

/// Mounts that only the program sees, and a root folder of these.
const START: &str = r#"set -e
mount -t tmpfs none "$1"
cd "$1"
mkdir usr etc proc dev tmp srv run
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
for name in usr etc dev; do mount --bind "/$name" "$name"; done
mount -t proc none proc
cp "$2"/* srv
cp "$3" "srv/$4"
exec chroot . "/srv/$4" -F -y /srv/fpm.conf
"#;

/// PHP-FPM in a root folder of its own, under a name that nobody else has. It ends with the test.
struct Contained {
    child: Child,
    name: String,
    port: u16,
    _folders: [TempDir; 2],
}

impl Contained {
    fn start() -> Self {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let port = free_port();
        let name = format!("php-fpm-test{port}x");
        fs::write(folders[1].path().join("index.php"), PAGE).expect("a file of our own");
        for part in 1..=30 {
            let functions: String =
                (0..100).map(|n| format!("function f{part}_{n}($a) {{ return [$a, {n}]; }}\n")).collect();
            let text = format!("<?php\n{functions}");
            fs::write(folders[1].path().join(format!("part{part}.php")), text).expect("a file of our own");
        }
        let config = format!(
            "[global]\nerror_log = /dev/null\ndaemonize = no\n[www]\nuser = www-data\ngroup = www-data\n\
             listen = 127.0.0.1:{port}\npm = static\npm.max_children = 1\n\
             php_admin_value[opcache.enable] = 0\n"
        );
        fs::write(folders[1].path().join("fpm.conf"), config).expect("a file of our own");
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", "unshare", "--mount", "sh", "-c", START, "sh"]);
        command.args([folders[0].path(), folders[1].path()]).arg(php_fpm()).arg(&name);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("setpriv");
        let mut contained = Self { child, name, port, _folders: folders };
        wait::until_ok("php-fpm comes up", || {
            let ended = contained.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "php-fpm ends: {ended:?}");
            TcpStream::connect(("127.0.0.1", port))
        });
        contained
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn php_fpm() -> PathBuf {
    let all = fs::read_dir("/usr/sbin").expect("/usr/sbin").flatten().map(|entry| entry.path());
    let is_one = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("php-fpm"));
    let found = all.filter(is_one).max().expect("php-fpm is installed: see scripts/test");
    fs::canonicalize(found).expect("it is there")
}

#[test]
fn a_fix_in_a_container_names_its_files_and_no_command_of_the_host() {
    let test = "a_fix_in_a_container_names_its_files_and_no_command_of_the_host";
    if skip_without(Ability::PrivateMounts, test) || skip_without(Ability::Tracing, test) {
        return;
    }
    let php = Contained::start();
    let nginx = Nginx::plain(&format!(
        "location / {{ fastcgi_pass 127.0.0.1:{}; fastcgi_param SCRIPT_FILENAME /srv/index.php; \
         fastcgi_param REQUEST_METHOD $request_method; fastcgi_param QUERY_STRING ''; }}",
        php.port
    ));
    let url = format!("http://{}/", nginx.address());
    let call = Call::weigh(["--time", "4s", "--phase", "60ms", "--settle", "10ms", &url]);
    let document = call.document();
    let findings = document.list("findings");
    let recompile = findings.iter().find(|found| found["rule"] == "recompile").unwrap_or_else(|| panic!("{document}"));
    assert!(recompile["group"].as_str().unwrap().ends_with(&php.name), "{recompile}");
    let file = recompile["fix"]["file"].as_str().unwrap_or_else(|| panic!("{recompile}"));
    assert!(file.contains(", inside the "), "{recompile}");
    for found in findings.iter().filter(|found| found["group"] == recompile["group"]) {
        assert!(!found["fix"].to_string().contains("systemctl"), "{found}");
        assert!(!found["check_again"].to_string().contains("restart ="), "{found}");
    }
}
