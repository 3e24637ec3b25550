use super::*;

/// What comes out at the other end, for a path and for an abstract name.
#[test]
fn notices_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let name = format!("unladen-test-{}", std::process::id());
    let of_path = UnixDatagram::bind(&path).unwrap();
    let of_name = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let abstract_name = format!("@{name}");
    for (socket, address) in [(of_path, path.as_os_str()), (of_name, OsStr::new(&abstract_name))] {
        send(address, &text(Notice::Ready)).unwrap();
        send(address, &text(Notice::MainProcess(7))).unwrap();
        let mut buffer = [0; 100];
        let mut read = || {
            let length = socket.recv(&mut buffer).unwrap();
            String::from_utf8(buffer[..length].to_vec()).unwrap()
        };
        assert_eq!((read(), read()), ("READY=1".into(), "MAINPID=7".into()));
    }
}

/// systemd compares it with its own clock, which is this one.
#[test]
fn the_time_of_a_reload_is_the_monotonic_clocks_in_microseconds() {
    let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
    let seconds: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
    let told = text(Notice::Reloading);
    let microseconds: f64 = told.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").unwrap().parse().unwrap();
    // Suspension is in the one and not in the other.
    assert!(microseconds / 1e6 < seconds + 1.0 && microseconds > 0.0, "{told}, up for {seconds}");
}
