//! What supervisors of containers ask `unladen serve`, and how they have it end and change: probes, a drain that waits
//! until everybody has heard of it, and files that are switched as Kubernetes switches those of a ConfigMap.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nix::sys::signal::Signal;
use unladen_tests::{Call, Server, Succession, binary, free_address, wait};

/// The answer to a request of a connection of its own: its status and its body. None: nobody answers.
fn ask(address: SocketAddr, path: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 10.1.2.3:9902\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

fn status(address: SocketAddr, path: &str) -> Option<u16> {
    ask(address, path).map(|(status, _)| status)
}

/// `unladen serve`, and where it is asked how it does.
struct Pod {
    serve: Succession,
    site: SocketAddr,
    admin: SocketAddr,
    probes: SocketAddr,
}

impl Pod {
    /// In front of this, with more at the top of the file. It serves.
    fn start(upstream: &str, more: &str) -> Self {
        let [site, admin, probes] = std::array::from_fn(|_| free_address());
        let pod = Self { serve: Succession::new(), site, admin, probes };
        pod.serve.write(&pod.config(upstream, more));
        pod.run();
        pod
    }

    fn config(&self, upstream: &str, more: &str) -> String {
        let Self { site, admin, probes, .. } = self;
        format!(
            "threads = 2\n{more}\n[admin]\nlisten = \"{admin}\"\nprobes = \"{probes}\"\n\
             [[site]]\nname = \"shop\"\nlisten = \"{site}\"\n{upstream}\n"
        )
    }

    fn run(&self) {
        self.serve.start(self.serve.command(binary(), None));
        self.serve.wait_until_it_serves();
    }
}

#[test]
fn readiness_says_what_is_lacking_and_a_health_check_ends_with_0_or_1() {
    let pod = Pod::start("root = \"DIR\"\nphp = \"DIR/fpm.sock\"", "");
    let file = pod.serve.file();
    let file = file.to_str().unwrap();
    // The pool of the other container has not begun.
    let (status, body) = ask(pod.probes, "/readyz").unwrap();
    assert_eq!(status, 503, "{body}");
    assert!(body.starts_with("not ready\n") && body.contains("FAILED  upstreams: shop: its endpoint cannot be used"));
    Call::new(["serve", "--health", file]).run().ended_with(1).says(["not ready", "shop: its endpoint"]);
    Call::new(["serve", file, "--health", "--live"]).run().succeeded().shows(["live: 2 of 2 threads answer"]);
    let _pool = UnixListener::bind(pod.serve.path("fpm.sock")).unwrap();
    let (status, body) = ask(pod.probes, "/readyz").unwrap();
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("ok      upstreams: 1 of 1 have an endpoint"), "{body}");
    let admin = pod.admin.to_string();
    Call::new(["serve", "--health", &admin]).run().succeeded().shows(["ready"]);
    // What the others must not see.
    assert_eq!(ask(pod.probes, "/config").unwrap().0, 404);
    assert_eq!(ask(pod.admin, "/readyz").unwrap().0, 421, "the admin address answers to this machine's names alone");
    pod.serve.stop();
    Call::new(["serve", "--health", &admin])
        .run()
        .ended_with(1)
        .says(["does not answer", "is `unladen serve` running?"]);
}

/// The places that a client knows, as DNS or kube-proxy tell them: later than they are so.
#[derive(Clone, Default)]
struct Known(Arc<Mutex<Vec<SocketAddr>>>);

/// What happened to a client.
#[derive(Default)]
struct Counts {
    answered: AtomicUsize,
    told_to_leave: AtomicUsize,
}

/// A client's requests, one after the other, to the known places in turn. It keeps its connections as long as it may
/// (`keeps`), and forgives nothing.
fn client(known: Known, keeps: bool, is_over: Arc<AtomicBool>, counts: Arc<Counts>) -> Result<(), String> {
    let mut answered = 0;
    let mut kept: Vec<(SocketAddr, TcpStream)> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let places = known.0.lock().unwrap().clone();
        let place = places[answered % places.len()];
        let failed = |why: &str| format!("{place} (keeps: {keeps}), after {answered} answers: {why}");
        let mut stream = match kept.iter().position(|(at, _)| *at == place) {
            Some(index) => kept.swap_remove(index).1,
            None => TcpStream::connect(place).map_err(|error| failed(&error.to_string()))?,
        };
        let end = if keeps { "" } else { "Connection: close\r\n" };
        write!(stream, "GET /{answered} HTTP/1.1\r\nHost: shop\r\n{end}\r\n")
            .map_err(|error| failed(&error.to_string()))?;
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read(&mut byte).map_err(|error| failed(&error.to_string()))? == 0 {
                return Err(failed(&format!("closed after {:?}", String::from_utf8_lossy(&head))));
            }
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
        let mut body = vec![0; length.ok_or_else(|| failed(&head))?];
        stream.read_exact(&mut body).map_err(|error| failed(&error.to_string()))?;
        if !head.starts_with("http/1.1 200 ") {
            return Err(failed(&head));
        }
        answered += 1;
        counts.answered.fetch_add(1, Ordering::Relaxed);
        let is_last = head.contains("\r\nconnection: close\r\n");
        counts.told_to_leave.fetch_add(usize::from(keeps && is_last), Ordering::Relaxed);
        if keeps && !is_last {
            kept.push((place, stream));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

#[test]
fn who_hears_late_that_a_pod_stops_loses_no_request() {
    let server = Server::good();
    let upstream = format!("upstream = \"{}\"\ncache = false", server.url(""));
    let pod = |delay| Pod::start(&upstream, &format!("drain = \"5s\"\ndrain_delay = \"{delay}\""));
    let (stays, stops) = (pod("200ms"), pod("10m"));
    let known = Known::default();
    *known.0.lock().unwrap() = vec![stays.site, stops.site];
    let is_over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = [true, true, false, false]
        .into_iter()
        .map(|keeps| {
            let counts = Arc::new(Counts::default());
            let (known, is_over, own) = (known.clone(), is_over.clone(), counts.clone());
            (keeps, counts, std::thread::spawn(move || client(known, keeps, is_over, own)))
        })
        .collect();
    let go_on = |times: usize| {
        let before: Vec<usize> = clients.iter().map(|(_, counts, _)| counts.answered.load(Ordering::Relaxed)).collect();
        for ((_, counts, client), before) in clients.iter().zip(before) {
            // One that has failed says why at the end.
            let is_on = || client.is_finished() || counts.answered.load(Ordering::Relaxed) >= before + times;
            wait::until("a client goes on", is_on);
        }
    };
    go_on(10);
    assert_eq!(status(stops.probes, "/readyz"), Some(200));
    stops.serve.signal(Signal::SIGTERM);
    // Who asks hears of it at once; everybody else is answered.
    stops.serve.wait_until(|| status(stops.probes, "/readyz") == Some(503));
    assert_eq!(status(stops.probes, "/livez"), Some(200), "who stops is not to be killed");
    go_on(20);
    for (keeps, counts, _) in &clients {
        let told = counts.told_to_leave.load(Ordering::Relaxed);
        assert_eq!(told > 0, *keeps, "who keeps a connection is told to make another: {told}");
    }
    // They hear of it late, and may have a request on its way then.
    *known.0.lock().unwrap() = vec![stays.site];
    go_on(2);
    // A second signal does not wait until everybody has heard.
    stops.serve.signal(Signal::SIGTERM);
    stops.serve.ended(0);
    go_on(2);
    is_over.store(true, Ordering::Relaxed);
    for (_, _, client) in clients {
        client.join().unwrap().unwrap_or_else(|error| panic!("{error}\n{}", stops.serve.said()));
    }
    // Without one, the delay ends by itself.
    stays.serve.signal(Signal::SIGTERM);
    stays.serve.ended(0);
}

/// What the kubelet does: a new folder, and a link to it that takes the place of the one before (`AtomicWriter`).
fn switch(volume: &Path, generation: usize, config: &str) {
    let folder = format!("..2026_11_24_00_00_0{generation}.0123456789");
    fs::create_dir_all(volume.join(&folder)).unwrap();
    fs::write(volume.join(&folder).join("unladen.toml"), config).unwrap();
    symlink(&folder, volume.join("..data_tmp")).unwrap();
    let before = fs::read_link(volume.join("..data")).ok();
    fs::rename(volume.join("..data_tmp"), volume.join("..data")).unwrap();
    if !volume.join("unladen.toml").is_symlink() {
        symlink("..data/unladen.toml", volume.join("unladen.toml")).unwrap();
    }
    before.into_iter().for_each(|before| fs::remove_dir_all(volume.join(before)).unwrap());
}

#[test]
fn a_config_map_that_is_switched_is_taken_if_it_is_right_and_told_if_it_is_wrong() {
    let server = Server::good();
    let [site, other, admin, probes] = std::array::from_fn(|_| free_address());
    let pod = Pod { serve: Succession::new(), site, admin, probes };
    let config = |more: &str| pod.config(&format!("upstream = \"{}\"", server.url("")), more);
    let volume = pod.serve.path("volume");
    switch(&volume, 1, &config(""));
    let mut command = std::process::Command::new(binary());
    command.arg("serve").arg(volume.join("unladen.toml"));
    pod.serve.start(command);
    pod.serve.wait_until(|| status(site, "/") == Some(200));
    let more = format!("[[outbound]]\nname = \"other\"\nlisten = \"{other}\"\nupstream = \"{}\"\n", server.url(""));
    switch(&volume, 2, &format!("{}{more}", config("")));
    pod.serve.wait_until(|| status(other, "/") == Some(200));
    // Not only the first time: the folder that was watched then is gone.
    switch(&volume, 3, &config("drian = \"2s\""));
    pod.serve.wait_until_said("the old configuration stays in force", 1);
    pod.serve.wait_until_said("unknown key `drian`", 1);
    assert_eq!((status(site, "/"), status(other, "/")), (Some(200), Some(200)), "what was right goes on");
    assert_eq!(status(probes, "/readyz"), Some(200));
    switch(&volume, 4, &config("drain = \"2s\""));
    pod.serve.wait_until(|| status(other, "/").is_none());
    assert_eq!(status(site, "/"), Some(200));
    pod.serve.stop();
}
