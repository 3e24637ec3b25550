//! `unladen serve` without a file, and the configurations that `--init` writes.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use nix::sys::signal::Signal;
use unladen_tests::site::{app, page};
use unladen_tests::{Ability, Call, Wire, free_address, skip_without, wait};

/// All that `--init` knows.
const NAMES: [&str; 8] = ["wordpress", "mediawiki", "dokuwiki", "sympa", "drupal", "laravel", "proxy", "outbound"];

fn serve(args: &[&str]) -> Call {
    Call::new(["serve"]).args(args)
}

#[test]
fn each_written_configuration_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    for name in NAMES {
        let file = folder.path().join(format!("{name}.toml"));
        let path = file.to_str().unwrap();
        serve(&["--init", name, path]).run().succeeded();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# ") && text.contains(&format!("unladen serve {path} --check --connect")), "{text}");
        let printed = serve(&["--init", name]).run().succeeded();
        assert_eq!(printed.stdout.replace("FILE", path), text);
        // A file that is there stays as it is.
        serve(&["--init", name, path]).run().ended_with(2).says(["is not overwritten", "another file"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        // With a folder that is there; and with what stands behind `#`, as its comments say.
        if name == "sympa" && skip_without(Ability::Sympa, "the written configuration of Sympa, whose folders it names")
        {
            continue;
        }
        let own = with_folder(&text, &root);
        fs::write(&file, &own).unwrap();
        let checked = serve(&[path, "--check"]).run().succeeded();
        assert!(checked.stdout.contains(": OK: 1 listener"), "{checked}");
        let explained = serve(&[path, "--explain"]).run().succeeded();
        let is_preset = explained.stdout.contains(&format!("# preset {name}\n"));
        assert_eq!(is_preset, text.contains("\npreset = "), "{explained}");
        // What --explain prints is a configuration that comes to the same.
        let kept = folder.path().join("kept.toml");
        fs::write(&kept, &explained.stdout).unwrap();
        serve(&[kept.to_str().unwrap(), "--check"]).run().succeeded();
    }
    serve(&["--init", "wordpres"]).run().ended_with(2).says(["wordpress"]);
}

/// The folder of the site is one that this machine has.
fn with_folder(text: &str, root: &Path) -> String {
    let line = |line: &str| match line.starts_with("root = ") {
        true => format!("root = \"{}\"", root.display()),
        false => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_site_of_options_serves_and_prints_its_file() {
    let app = app(|request| page("Cache-Control: max-age=60\r\n", &format!("{} {}", request.method, request.target)));
    let address = free_address();
    let (site, to) = (address.to_string(), app.url());
    let args = ["--listen", &site, "--to", &to];
    serve(&args).args(["--check"]).run().succeeded().shows(["the command line: OK: 1 listener"]);
    let explained = serve(&args).args(["--explain"]).run().succeeded();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(explained.stdout.as_bytes()).unwrap();
    serve(&[file.path().to_str().unwrap(), "--check"]).run().succeeded();
    let url = format!("http://{site}/page");
    serve(&args).args(["--check", "--connect", "--url", &url]).run().succeeded().shows(["kept yes"]);

    let running = serve(&args).start();
    let answer = wait::until_ok("it serves", || {
        let connected = std::net::TcpStream::connect(address).map_err(|error| error.to_string());
        connected.map(|_| Wire::tcp(address).get("/page"))
    });
    assert_eq!(answer.is(200).text(), "GET /page");
    assert!(Wire::tcp(address).get("/page").cache().starts_with("hit"));
    // There is no file that could be read again: the options are.
    running.signal(Signal::SIGHUP);
    assert!(Wire::tcp(address).get("/page").cache().starts_with("hit"));
    running.signal(Signal::SIGTERM);
    running.wait().succeeded().says([
        "serving the command line",
        &format!("site `site`: sends requests to \"{to}\""),
        &format!("at {site}"),
        "what the application permits",
        "--explain prints this as a configuration file",
    ]);
}

#[test]
fn a_folder_of_files_is_served_and_scripts_without_a_runner_are_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hello.txt"), "hello").unwrap();
    let address = free_address();
    let (site, root) = (address.to_string(), folder.path().to_str().unwrap());
    let running = serve(&["--listen", &site, "--root", root]).start();
    let answer = wait::until_ok("it serves", || {
        let connected = std::net::TcpStream::connect(address).map_err(|error| error.to_string());
        connected.map(|_| Wire::tcp(address).get("/hello.txt"))
    });
    assert_eq!(
        (answer.status, answer.text().as_str(), answer.field("content-type").map(|kind| &kind[..10])),
        (200, "hello", Some("text/plain"))
    );
    running.signal(Signal::SIGTERM);
    running.wait().succeeded().says(["files of \""]);

    fs::write(folder.path().join("index.php"), "<?php echo 'hello';").unwrap();
    serve(&["--listen", &site, "--root", root]).run().ended_with(2).says(["has index.php", "--php"]);
}

/// It was at addresses of IPv6 alone.
#[test]
fn a_port_alone_is_served_by_ipv4_and_by_ipv6() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hello.txt"), "hello").unwrap();
    let port = free_address().port();
    let running = serve(&["--listen", &format!(":{port}"), "--root", folder.path().to_str().unwrap()]).start();
    let mut addresses = vec![std::net::SocketAddr::from(([127, 0, 0, 1], port))];
    if Path::new("/proc/net/if_inet6").exists() {
        addresses.push((std::net::Ipv6Addr::LOCALHOST, port).into());
    }
    for address in addresses {
        let answer = wait::until_ok("it serves", || {
            let connected = std::net::TcpStream::connect(address).map_err(|error| error.to_string());
            connected.map(|_| Wire::tcp(address).get("/hello.txt"))
        });
        assert_eq!(answer.is(200).text(), "hello", "{address}");
    }
    running.signal(Signal::SIGTERM);
    running.wait().succeeded();
}

#[test]
fn mistakes_name_the_option() {
    serve(&["--listen", ":8080"]).run().ended_with(2).says(["--to URL", "--root DIR"]);
    serve(&["--to", "http://127.0.0.1:1"]).run().ended_with(2).says(["--listen is missing"]);
    serve(&["--listen", ":8080", "--root", "/nowhere"]).run().ended_with(2).says(["--root /nowhere: no such folder"]);
    serve(&["--listen", "nowhere", "--to", "http://127.0.0.1:1"]).run().ended_with(2).says(["--listen: "]);
    serve(&["--listen", ":8080", "--to", "ftp://127.0.0.1"]).run().ended_with(2).says(["--to: "]);
    serve(&["--listen", ":8080", "--to", "http://127.0.0.1:1", "--root", "/"])
        .run()
        .ended_with(2)
        .says(["--to and --root"]);
    serve(&["--acme", "me@example.org", "--to", "http://127.0.0.1:1", "--listen", ":0"])
        .run()
        .ended_with(2)
        .says(["--hosts"]);
    serve(&["file.toml", "--to", "http://127.0.0.1:1"]).run().ended_with(2).says(["cannot be used with"]);
}
