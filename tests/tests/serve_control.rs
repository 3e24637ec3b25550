//! `unladen serve` while it is told to do something else: another configuration, another process, an end.

mod serve_control {
    pub mod client;
    pub mod proxy;
}

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::Signal;
use unladen_tests::{Call, Reply, Server, free_address, wait};

use serve_control::client::{Client, Load};
use serve_control::proxy::Proxy;

/// A listener of TCP and one of a Unix socket, before this upstream.
fn config(server: &Server, listen: SocketAddr, more: &str) -> String {
    format!(
        "threads = 2\ndrain = \"5s\"\n[[outbound]]\nname = \"search\"\nlisten = [\"{listen}\", \"unix:search.sock\"]\n\
         upstream = \"{}\"\n{more}\n",
        server.url("")
    )
}

/// An upstream that takes its time, for `/slow`.
fn slow_server(time: Duration) -> Server {
    Server::replying(move |asked| {
        if asked.request.line.contains("/slow") {
            std::thread::sleep(time);
        }
        Reply::good()
    })
}

#[test]
fn a_hundred_reloads_under_load_lose_no_request() {
    let server = Server::good();
    let (listen, other) = (free_address(), free_address());
    let outbound = format!("[[outbound]]\nname = \"other\"\nlisten = \"{other}\"\nupstream = \"{}\"", server.url(""));
    let configs = [
        config(&server, listen, ""),
        config(&server, listen, &outbound),
        config(&server, listen, "pool.max_idle = 3"),
        config(&server, listen, "via = false"),
    ];
    let proxy = Proxy::start(&configs[0]);
    let load = Load::start(listen, &proxy.path("search.sock"));
    for turn in 1..=100 {
        let said = proxy.said().matches("is in force").count();
        proxy.write(&configs[turn % configs.len()]);
        // The change may have been noticed by then, and is in force twice.
        proxy.signal(Signal::SIGHUP);
        proxy.wait_until_said("is in force", said + 1);
        proxy.wait_until(|| TcpStream::connect(other).is_ok() == (turn % configs.len() == 1));
    }
    let answered = load.stop();
    assert!(answered.iter().all(|count| *count > 100), "there was load all the time: {answered:?}");
    proxy.stop();
}

#[test]
fn five_handovers_under_load_lose_no_request() {
    let server = Server::good();
    let listen = free_address();
    let proxy = Proxy::start(&config(&server, listen, ""));
    let load = Load::start(listen, &proxy.path("search.sock"));
    for turn in 1..=5 {
        // Fewer threads and more: each socket goes on being served.
        let threads = [1, 3, 2, 4, 2][turn - 1];
        proxy.write(&config(&server, listen, "").replace("threads = 2", &format!("threads = {threads}")));
        proxy.signal(Signal::SIGUSR2);
        proxy.follow(turn);
        std::thread::sleep(Duration::from_millis(200));
    }
    let answered = load.stop();
    assert!(answered.iter().all(|count| *count > 100), "there was load all the time: {answered:?}");
    proxy.stop();
    assert!(!proxy.path("search.sock").exists(), "the last one takes its socket away");
}

#[test]
fn a_change_of_the_file_is_noticed_and_a_wrong_one_refused() {
    let server = Server::good();
    let (listen, other) = (free_address(), free_address());
    let proxy = Proxy::start(&config(&server, listen, ""));
    let mut kept = Client::tcp(listen);
    kept.get("/").expect("served");
    // As an editor does: another file in its place.
    let written = proxy.path("new.toml");
    fs::write(&written, config(&server, other, "")).unwrap();
    fs::rename(&written, proxy.file()).unwrap();
    proxy.wait_until_said("1 addresses kept, 1 new, 1 removed", 1);
    assert_eq!(Client::tcp(other).get("/").expect("served").status, 200);
    wait::until("it listens no more where it did", || TcpStream::connect(listen).is_err());
    assert_eq!(kept.get("/").expect("a connection outlives its listener").status, 200);
    let wrong = config(&server, listen, "pool.idel = \"4s\"\n[frontend]");
    proxy.write(&wrong);
    proxy.wait_until_said("unknown key `idel` in [outbound.pool]; did you mean `idle`?", 1);
    proxy.wait_until_said("unknown key `frontend` in the file", 1);
    proxy.wait_until_said("the old configuration stays in force", 1);
    assert_eq!(Client::tcp(other).get("/").expect("served").status, 200);
    // One that is right, and cannot be: the address is another's.
    let taken = TcpListener::bind(listen).unwrap();
    proxy.write(&config(&server, listen, ""));
    proxy.wait_until_said("because the new one cannot be applied: cannot listen at", 1);
    assert_eq!(Client::tcp(other).get("/").expect("served").status, 200);
    drop(taken);
    proxy.signal(Signal::SIGHUP);
    proxy.wait_until_said("1 addresses kept, 1 new, 1 removed", 2);
    assert_eq!(Client::tcp(listen).get("/").expect("served").status, 200);
    proxy.stop();
}

/// Where a link above its folder led elsewhere, or its folder was made anew, a page, a certificate or the configuration
/// itself was not read again until SIGHUP.
#[test]
fn a_folder_that_becomes_another_is_noticed() {
    let server = Server::good();
    let proxy = Proxy::start(&config(&server, free_address(), ""));
    let page = |release: &str, text: &str| {
        fs::create_dir_all(proxy.path(release)).unwrap();
        fs::write(proxy.path(release).join("page.html"), text).unwrap();
    };
    page("pages/releases/1", "one");
    page("pages/releases/2", "two");
    symlink("releases/1", proxy.path("pages/current")).unwrap();
    let (listen, upstream) = (free_address(), server.url(""));
    let site = format!(
        "[[site]]\nname = \"shop\"\nlisten = [\"{listen}\"]\nupstream = \"{upstream}\"\nerror_page = \"pages/current/page.html\"\n"
    );
    proxy.write(&config(&server, free_address(), &site));
    // Each change is read for itself, and not with what is still told of the one before.
    let quiet = || std::thread::sleep(Duration::from_millis(500));
    proxy.wait_until_said("is in force: ", 1);
    quiet();
    symlink("releases/2", proxy.path("pages/next")).unwrap();
    fs::rename(proxy.path("pages/next"), proxy.path("pages/current")).unwrap();
    proxy.wait_until_said("is in force: ", 2);
    quiet();
    fs::remove_dir_all(proxy.path("pages/releases")).unwrap();
    proxy.wait_until_said("the old configuration stays in force", 1);
    quiet();
    page("pages/releases/2", "three");
    proxy.wait_until_said("is in force: ", 3);
    proxy.stop();
}

#[test]
fn what_is_under_way_is_answered_at_the_end() {
    let server = slow_server(Duration::from_millis(700));
    let listen = free_address();
    let proxy = Proxy::start(&config(&server, listen, ""));
    let slow = std::thread::spawn(move || Client::tcp(listen).get("/slow").expect("answered"));
    let mut idle = Client::tcp(listen);
    idle.get("/").expect("served");
    server.wait_for_request();
    wait::until("the slow request is there", || server.asked_for("/slow") > 0);
    proxy.signal(Signal::SIGTERM);
    let answer = slow.join().unwrap();
    assert_eq!((answer.status, answer.is_last), (200, true));
    assert!(TcpStream::connect(listen).is_err(), "nobody listens");
    assert!(UnixStream::connect(proxy.path("search.sock")).is_err(), "nobody listens");
    assert!(!proxy.path("search.sock").exists());
    assert!(idle.get("/").is_err(), "a client without a request is not waited for");
    proxy.ended(0);
}

#[test]
fn an_end_has_its_bound_and_a_second_signal_none() {
    let server = Server::hanging();
    let listen = free_address();
    let text = config(&server, listen, "").replace("drain = \"5s\"", "drain = \"300ms\"");
    let proxy = Proxy::start(&text);
    let asking = std::thread::spawn(move || Client::tcp(listen).get("/"));
    server.wait_for_request();
    proxy.signal(Signal::SIGTERM);
    proxy.ended(0);
    assert!(!asking.join().unwrap().is_ok_and(|answer| answer.status == 200), "nothing was there to be answered with");

    let server = Server::hanging();
    let proxy = Proxy::start(&config(&server, listen, "").replace("drain = \"5s\"", "drain = \"1h\""));
    let asking = std::thread::spawn(move || Client::tcp(listen).get("/"));
    server.wait_for_request();
    proxy.signal(Signal::SIGINT);
    // Once nobody listens, the first has been seen: two of a kind may be one.
    wait::until("nobody listens", || TcpStream::connect(listen).is_err());
    proxy.signal(Signal::SIGINT);
    proxy.wait_until_said("stopped at once", 1);
    proxy.ended(130);
    assert!(!asking.join().unwrap().is_ok_and(|answer| answer.status == 200));
}

#[test]
fn an_address_is_one_servers() {
    let server = Server::good();
    let listen = free_address();
    let first = Proxy::start(&config(&server, listen, ""));
    // Of the same user, who could share the port with SO_REUSEPORT.
    let second = Proxy::start_as_it_is(&config(&server, listen, ""), |command| command);
    second.wait_until_said(&format!("cannot listen at {listen}: Address already in use"), 1);
    second.ended(11);
    assert_eq!(Client::tcp(listen).get("/").expect("served").status, 200);

    // A Unix socket of a process that lives; then one of a process that was killed.
    let path = first.path("search.sock");
    let text = config(&server, free_address(), "").replace("unix:search.sock", &format!("unix:{}", path.display()));
    let third = Proxy::start_as_it_is(&text, |command| command);
    third.wait_until_said(&format!("cannot listen at unix:{}", path.display()), 1);
    third.ended(11);
    first.signal(Signal::SIGKILL);
    wait::until("nobody listens", || UnixStream::connect(&path).is_err());
    assert!(path.exists(), "it had no time to take it away");
    let fourth = Proxy::start_as_it_is(&text, |command| command);
    assert_eq!(Client::unix_when_it_listens(&path).get("/").expect("served").status, 200);
    fourth.stop();

    // What is no socket is nobody's to take away.
    fs::write(&path, "precious").unwrap();
    let fifth = Proxy::start_as_it_is(&text, |command| command);
    fifth.wait_until_said("is not a socket", 1);
    fifth.ended(11);
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn a_unix_socket_has_its_mode_and_keeps_its_clients_when_that_changes() {
    let server = Server::good();
    let listen = free_address();
    let mode = |proxy: &Proxy| fs::metadata(proxy.path("search.sock")).unwrap().permissions().mode() & 0o777;
    // A umask that would take away what the file asks for.
    let proxy = Proxy::start_as_it_is(&config(&server, listen, "socket_mode = \"0666\""), |command| {
        command.through_shell("umask 077; exec \"$@\"")
    });
    let mut kept = Client::unix_when_it_listens(&proxy.path("search.sock"));
    kept.get("/").expect("served");
    assert_eq!(mode(&proxy), 0o666);
    proxy.write(&config(&server, listen, ""));
    proxy.wait_until_said("2 addresses kept, 0 new, 0 removed", 1);
    assert_eq!(mode(&proxy), 0o660, "the default");
    kept.get("/").expect("served");
    proxy.stop();
}

#[test]
fn a_new_process_that_does_not_serve_takes_nothing_over() {
    let server = Server::good();
    let listen = free_address();
    let proxy = Proxy::start_copy(&config(&server, listen, ""));
    proxy.write("threads = 0\n");
    proxy.wait_until_said("the old configuration stays in force", 1);
    proxy.signal(Signal::SIGUSR2);
    proxy.wait_until_said("this process continues, because the new one does not serve: it ended (exit status: 2)", 1);
    assert_eq!(Client::tcp(listen).get("/").expect("served").status, 200);
    // Something else in the place of the program.
    fs::remove_file(proxy.program()).unwrap();
    proxy.signal(Signal::SIGUSR2);
    proxy.wait_until_said("No such file or directory", 1);
    fs::write(proxy.program(), "#!/bin/sh\necho serving; exec sleep 3600\n").unwrap();
    fs::set_permissions(proxy.program(), fs::Permissions::from_mode(0o755)).unwrap();
    proxy.signal(Signal::SIGUSR2);
    proxy.wait_until_said("it did not serve within 10s", 1);
    assert_eq!(Client::tcp(listen).get("/").expect("served").status, 200);
    proxy.write(&config(&server, listen, ""));
    proxy.stop();
}

#[test]
fn a_correction_while_a_new_process_starts_is_read_if_that_one_does_not_serve() {
    let server = Server::good();
    let addresses = [free_address(), free_address(), free_address()];
    let proxy = Proxy::start_copy(&config(&server, addresses[0], ""));
    let (began, goes) = (proxy.path("began"), proxy.path("goes"));
    let script =
        format!("#!/bin/sh\n: >{}\nuntil test -e {}; do sleep 0.02; done\nexit 7\n", began.display(), goes.display());
    fs::remove_file(proxy.program()).unwrap();
    fs::write(proxy.program(), script).unwrap();
    fs::set_permissions(proxy.program(), fs::Permissions::from_mode(0o755)).unwrap();
    for (address, is_asked_for) in [(addresses[1], false), (addresses[2], true)] {
        let _ = fs::remove_file(&began);
        let _ = fs::remove_file(&goes);
        let before = proxy.said().matches("it ended (exit status: 7)").count();
        proxy.signal(Signal::SIGUSR2);
        proxy.wait_until(|| began.exists());
        proxy.write(&config(&server, address, ""));
        if is_asked_for {
            proxy.signal(Signal::SIGHUP);
        }
        // Until it has been told of that; if it were not, this would prove nothing.
        std::thread::sleep(Duration::from_millis(500));
        fs::write(&goes, "").unwrap();
        proxy.wait_until_said("it ended (exit status: 7)", before + 1);
        proxy.wait_until_said("1 addresses kept, 1 new, 1 removed", before + 1);
        assert_eq!(Client::tcp(address).get("/").expect("served").status, 200);
    }
    proxy.stop();
}

/// systemd's part of it, as sd_listen_fds(3) has it: descriptors from 3 on, and whose they are.
const AS_SYSTEMD: &str = "exec 3<&0 4<&1 0</dev/null 1>/dev/null
LISTEN_FDS=2 LISTEN_PID=$$ LISTEN_FDNAMES=$NAMES exec \"$@\"";

#[test]
fn sockets_of_systemd_are_served_by_address_and_by_name() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("systemd.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    // What waits there is served, and so is what comes when both threads share one socket.
    let mut early = Client::of(UnixStream::connect(&path).unwrap());
    let text = format!(
        "threads = 2\ndrain = \"1s\"\n[[outbound]]\nname = \"one\"\nlisten = \"unix:{}\"\nupstream = \"{url}\"\n\
         [[outbound]]\nname = \"two\"\nlisten = \"127.0.0.2:{}\"\nupstream = \"{url}\"\n",
        path.display(),
        address.port(),
        url = server.url(""),
    );
    let proxy =
        Proxy::start_with(&text, Stdio::from(std::os::fd::OwnedFd::from(unix)), tcp.into(), AS_SYSTEMD, "x:two");
    assert_eq!(early.get("/").expect("served").status, 200);
    for _ in 0..20 {
        assert_eq!(Client::tcp(address).get("/").expect("served").status, 200);
    }
    // Handed over, they still are systemd's: their files are left alone.
    proxy.signal(Signal::SIGUSR2);
    proxy.follow(1);
    assert_eq!(Client::tcp(address).get("/").expect("served").status, 200);
    assert_eq!(Client::of(UnixStream::connect(&path).unwrap()).get("/").expect("served").status, 200);
    proxy.stop();
    assert!(path.exists());
}

/// It named an [[outbound]], which a site or the admin address is not.
#[test]
fn a_socket_of_systemd_that_nothing_listens_at_is_named_and_closed() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("systemd.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    let text = format!(
        "[[outbound]]\nname = \"one\"\nlisten = \"unix:{}\"\nupstream = \"{}\"\n",
        path.display(),
        server.url(""),
    );
    let proxy = Proxy::start_with(&text, Stdio::from(std::os::fd::OwnedFd::from(unix)), tcp.into(), AS_SYSTEMD, "x:y");
    let said = format!("{address} was handed over, but this configuration does not use it: it is closed");
    proxy.wait_until_said(&said, 1);
    proxy.stop();
}

#[test]
fn systemd_is_told_what_is_going_on() {
    let server = Server::good();
    let listen = free_address();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let told = || {
        let mut buffer = [0; 200];
        let length = socket.recv(&mut buffer).expect("something is told");
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    let proxy =
        Proxy::start_as_it_is(&config(&server, listen, ""), |command| command.env("NOTIFY_SOCKET", path.as_os_str()));
    assert_eq!(told(), "READY=1");
    assert_eq!(Client::tcp(listen).get("/").expect("it is ready").status, 200);
    proxy.signal(Signal::SIGHUP);
    assert!(told().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(told(), "READY=1");
    proxy.signal(Signal::SIGUSR2);
    assert!(told().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    let main = told();
    assert_eq!(told(), "READY=1");
    proxy.follow(1);
    assert_eq!(main, format!("MAINPID={}", proxy.process()));
    proxy.signal(Signal::SIGTERM);
    assert_eq!(told(), "STOPPING=1");
}

/// A process in whose environment the variables are another's serves as if they were not there.
#[test]
fn what_is_meant_for_another_process_is_left_alone() {
    let server = Server::good();
    let listen = free_address();
    let proxy = Proxy::start_as_it_is(&config(&server, listen, ""), |command| {
        command.env("LISTEN_FDS", "5").env("LISTEN_PID", "1").env("UNLADEN_HANDOVER", "1")
    });
    assert_eq!(Client::tcp_when_it_listens(listen).get("/").expect("served").status, 200);
    proxy.stop();
}

#[test]
fn a_connection_of_another_protocol_is_ended_with_the_process() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let upstream = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 1024];
        let _ = stream.read(&mut head);
        stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n").unwrap();
        let mut byte = [0];
        while stream.read(&mut byte).is_ok_and(|length| length == 1) {
            stream.write_all(&byte).unwrap();
        }
    });
    let listen = free_address();
    let text = format!(
        "drain = \"500ms\"\n[[outbound]]\nname = \"ws\"\nlisten = \"{listen}\"\nupstream = \"http://{upstream}\"\n"
    );
    let proxy = Proxy::start_as_it_is(&text, |command| command);
    let mut stream = Client::tcp_when_it_listens(listen).into_stream();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n").unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&head));
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    stream.write_all(b"a").unwrap();
    stream.read_exact(&mut byte).unwrap();
    assert_eq!(byte, *b"a");
    proxy.signal(Signal::SIGTERM);
    proxy.ended(0);
    assert!(!stream.read(&mut byte).is_ok_and(|length| length > 0));
}

#[test]
fn a_configuration_is_checked_and_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unladen.toml");
    let call = |text: &str, option: &str| {
        fs::write(&file, text).unwrap();
        Call::new(["serve", "--config", file.to_str().unwrap(), option])
    };
    let good = "[[outbound]]\nname = \"search\"\nlisten = \"127.0.0.1:6102\"\nupstream = \"https://search.example\"\n";
    call(good, "--check").run().succeeded().says_nothing().shows(["unladen.toml: OK: 1 listener"]);
    let doubtful = format!("{good}insecure = true\n");
    call(&doubtful, "--check")
        .run()
        .succeeded()
        .shows(["unladen.toml:5:12: `insecure = true`", "1 listener, one warning"]);
    let wrong = format!("{good}colour = 1\npool.idle = 4\n");
    let said =
        ["unladen.toml:5:1: unknown key `colour`", "unladen.toml:6:13: `idle` is a number", "did you mean \"4s\"?"];
    call(&wrong, "--check").run().ended_with(2).shows_nothing().says(said);
    call(&wrong, "--explain").run().ended_with(2).shows_nothing().says(said);
    let document = call(&wrong, "--check").args(["--json"]).run().ended_with(2).says(said).document();
    assert_eq!((document["schema"].as_str(), document["valid"].as_bool()), (Some("unladen.serve/1"), Some(false)));
    assert_eq!(document["errors"][1]["line"], 6);
    // What is explained is a configuration, and comes to the same.
    let told = call(good, "--explain").run().succeeded().says_nothing().stdout;
    assert!(told.contains("pool.idle = \"4s\"") && told.contains("# default: below the 5 s of Node.js"), "{told}");
    let again = call(&told, "--explain").run().succeeded().stdout;
    let values = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(" # ").next().unwrap_or_default().trim().to_owned()).collect()
    };
    assert_eq!(values(&again), values(&told));
    let document = call(good, "--explain").document();
    let idle = document.list("values").iter().find(|value| value["key"] == "pool.idle").expect("it is told");
    assert_eq!((idle["value"].as_u64(), idle["unit"].as_str()), (Some(4_000_000_000), Some("ns")));
    // A certificate that is none is found out before it is needed.
    fs::write(folder.path().join("ca.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    call(&format!("{good}ca = \"ca.pem\"\n"), "--check").run().ended_with(2).says(["the upstream `search`", "ca.pem"]);
    call(good, "--json").run().ended_with(2).says(["--json needs --check or --explain"]);
    Call::new(["serve", "--config", "/nowhere.toml"]).run().ended_with(2).says(["/nowhere.toml"]);
}
