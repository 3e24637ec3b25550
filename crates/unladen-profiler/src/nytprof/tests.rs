use std::os::unix::net::UnixListener;
use std::process::Child;
use std::process::Command;

use tempfile::TempDir;

use super::*;
use unladen_path::Address;

/// A FastCGI program that does something only at its first request, and something at each.
const PROGRAM: &str = r#"
use FCGI;
my $request = FCGI::Request();
my $first = 1;
# FCGI gives each request an environment of its own.
my $own = $ENV{OF_ITS_OWN};
sub fill { my $sum = 0; $sum += $_ for 1 .. 2000; $sum }
sub each_time { fill() for 1 .. 3 }
sub first_time { fill() for 1 .. 40 }
sub at_start { fill() for 1 .. 7 }
at_start();
while ($request->Accept() >= 0) {
    if ($first) { first_time(); $first = 0 }
    each_time();
    $ENV{QUERY_STRING} =~ /fail/ and print "Status: 500\r\n";
    print "Content-Type: text/plain\r\n\r\n$ENV{QUERY_STRING} $own ${^TAINT}";
}
"#;

struct Perl {
    child: Child,
    folder: TempDir,
    taints: bool,
}

impl Perl {
    /// As spawn-fcgi would start it.
    fn start(taints: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("x.fcgi");
        fs::write(&script, PROGRAM).unwrap();
        let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
        let mut command = Command::new("/usr/bin/perl");
        if taints {
            command.arg("-T");
        }
        let child = command
            .arg(&script)
            .env("OF_ITS_OWN", "its own")
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(listener)))
            .spawn()
            .unwrap();
        let perl = Self { child, folder, taints };
        // A process is there before its command line is.
        while Application::of(perl.child.id()).unwrap().command.len() < 2 {
            std::thread::yield_now();
        }
        perl
    }

    fn captured(&self, query: &str) -> Captured {
        let mut params = Params::default();
        for (name, value) in [("REQUEST_METHOD", "GET"), ("SCRIPT_NAME", "/x"), ("QUERY_STRING", query)] {
            params.set(name, value);
        }
        Captured {
            params,
            body: Vec::new(),
            address: Address::Unix(self.folder.path().join("socket")),
            application: Application::of(self.child.id()).unwrap(),
            status: 200,
        }
    }

    fn open(&self, query: &str, fresh: bool) -> NytProf {
        let options = NytProfOptions { fresh, opcodes: true, timeout: Duration::from_secs(60) };
        NytProf::open(self.captured(query), options).unwrap()
    }

    fn body(&self) -> u64 {
        format!("a=1 its own {}", u8::from(self.taints)).len() as u64
    }
}

impl Drop for Perl {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls of a function in a cluster, by its caller.
fn calls(profile: &Profile, cluster: usize, callee: &str) -> Vec<(String, u64)> {
    let name = |frame| profile.frames.get(frame).name.to_owned();
    let of_it = profile.clusters[cluster].calls.iter().filter(|count| name(count.callee) == callee);
    let mut calls: Vec<(String, u64)> =
        of_it.map(|count| (count.caller.map_or_else(String::new, name), count.calls)).collect();
    calls.sort();
    calls
}

fn expected(calls: &[(&str, u64)]) -> Vec<(String, u64)> {
    calls.iter().map(|(caller, calls)| ((*caller).to_owned(), *calls)).collect()
}

#[test]
fn each_request_of_a_warm_process_is_a_cluster_with_its_own_calls() {
    let perl = Perl::start(false);
    let mut nytprof = perl.open("a=1", false);
    let (mut profile, cancel) = (Profile::default(), Cancel::new());
    assert_eq!(nytprof.plain(&cancel).unwrap().bytes, perl.body());
    for _ in 0..3 {
        let answered = nytprof.profile(&mut profile, &cancel).unwrap();
        assert_eq!((answered.status, answered.bytes), (200, perl.body()));
    }
    nytprof.finish(&mut profile).unwrap();
    assert_eq!((profile.clusters.len(), profile.requests()), (3, Some(3)));
    for cluster in 0..3 {
        assert_eq!(calls(&profile, cluster, "main::fill"), expected(&[("main::each_time", 3)]));
        assert!(profile.clusters[cluster].total() > 0);
    }
}

#[test]
fn a_fresh_request_has_what_is_done_once_but_not_the_start() {
    // A program that distrusts its environment does not look at PERL5OPT.
    for taints in [false, true] {
        let perl = Perl::start(taints);
        let mut nytprof = perl.open("a=1", true);
        let (mut profile, cancel) = (Profile::default(), Cancel::new());
        for _ in 0..2 {
            assert_eq!(nytprof.plain(&cancel).unwrap().bytes, perl.body());
            assert_eq!(nytprof.profile(&mut profile, &cancel).unwrap().bytes, perl.body());
        }
        nytprof.finish(&mut profile).unwrap();
        assert_eq!(profile.clusters.len(), 2);
        for cluster in 0..2 {
            let by = expected(&[("main::each_time", 3), ("main::first_time", 40)]);
            assert_eq!(calls(&profile, cluster, "main::fill"), by);
        }
    }
}

#[test]
fn an_answer_that_differs_is_told_and_ends_the_twin() {
    let perl = Perl::start(false);
    let mut nytprof = perl.open("fail", true);
    let error = nytprof.plain(&Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("status 500") && error.contains("with 200"), "{error}");
}

/// The second process unlinked the path and listened there itself; with its end the application's socket was gone.
#[test]
fn a_program_that_opens_its_socket_itself_lost_it_to_a_second_process() {
    let mut perl = Perl::start(false);
    let mut own = Command::new("/usr/bin/perl").args(["-e", "sleep 60"]).stdin(Stdio::null()).spawn().unwrap();
    std::mem::swap(&mut perl.child, &mut own);
    while Application::of(perl.child.id()).unwrap().command.len() < 2 {
        std::thread::yield_now();
    }
    let captured = perl.captured("a=1");
    let options = NytProfOptions { fresh: false, opcodes: true, timeout: Duration::from_secs(60) };
    let refused = NytProf::open(captured, options).unwrap_err().to_string();
    assert!(refused.contains("opens its socket itself"), "{refused}");
    let _ = own.kill();
    let _ = own.wait();
}

#[test]
fn what_is_no_perl_is_refused() {
    let perl = Perl::start(false);
    let mut captured = perl.captured("a=1");
    let mut sleeper = Command::new("sleep").arg("1000").spawn().unwrap();
    captured.application = Application::of(sleeper.id()).unwrap();
    let options = NytProfOptions { fresh: true, opcodes: false, timeout: Duration::from_secs(10) };
    let refused = NytProf::open(captured.clone(), options.clone()).unwrap_err().to_string();
    assert!(refused.contains("which is not Perl"), "{refused}");
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    captured.application = Application { command: vec![b"my program: idle".to_vec()], ..perl.captured("").application };
    let refused = NytProf::open(captured, options).unwrap_err().to_string();
    assert!(refused.contains("changed its name"), "{refused}");
}

#[test]
fn the_colons_of_a_path_are_no_ends_of_options() {
    let besides = profiling(Path::new("/a:b=c\\d/e"), false);
    let (name, value) = &besides.environment[0];
    assert_eq!(name, "NYTPROF");
    let expected = "file=/a\\:b\\=c\\\\d/e:calls=2:slowops=0:stmts=0:compress=1:sigexit=pwr";
    assert_eq!(value.to_str(), Some(expected));
}
