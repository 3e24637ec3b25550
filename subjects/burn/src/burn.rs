//! `burn`: an HTTP/1.1 server whose every request costs a known CPU time, in two processes.
//!
//! A request to `/` burns in this process until its CPU clock stands at base + k·X after k requests, so that all it
//! does besides (reading, writing, starting the child) is inside X; and it starts `burn-child`, which burns until its
//! own clock stands at Y. What the children used in truth, their ends included, is the kernel's account of waited-for
//! children (getrusage(2), RUSAGE_CHILDREN). `/truth` tells both. Requests burn one after another.
//!
//! With `--work` a request also does so many steps of arithmetic, which take as long as the machine takes for them: as of
//! an application, their time varies from run to run, and their amount does not.

mod account;
mod http;

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use account::Account;

const USAGE: &str = "usage: burn [--listen ADDRESS] [--own MS] [--child MS] [--work STEPS] [--lifetime SECONDS]
            [--url-file FILE] [--daemon PIDFILE]";

/// Connections at once; more are closed at once.
const CONNECTIONS: usize = 32;

struct Options {
    listen: SocketAddr,
    own: Duration,
    child: Duration,
    /// Steps of fixed work, whatever time they take.
    work: u64,
    lifetime: Option<Duration>,
    url_file: Option<PathBuf>,
    pid_file: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(what) => {
            eprintln!("burn: {what}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match serve(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("burn: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(options: &Options) -> io::Result<()> {
    let child = std::env::current_exe()?.with_file_name("burn-child");
    let listener = TcpListener::bind(options.listen)?;
    let url = format!("http://{}/", listener.local_addr()?);
    match &options.url_file {
        Some(file) => fs::write(file, format!("{url}\n"))?,
        None => eprintln!("burn: {url}"),
    }
    if let Some(file) = &options.pid_file {
        // Before any thread is there: a fork takes only its own along.
        nix::unistd::daemon(false, false)?;
        fs::write(file, format!("{}\n", std::process::id()))?;
    }
    if let Some(lifetime) = options.lifetime {
        thread::spawn(move || {
            thread::sleep(lifetime);
            std::process::exit(0);
        });
    }
    let account = Arc::new(Account::open(options.own, options.child, options.work, child)?);
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (account, open) = (Arc::clone(&account), Arc::clone(&open));
        thread::spawn(move || {
            // An error ends this connection and nothing else.
            let _ = http::serve(stream, &account);
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
    Ok(())
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            own: Duration::from_millis(12),
            child: Duration::from_millis(8),
            work: 0,
            lifetime: None,
            url_file: None,
            pid_file: None,
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} takes a value"))?;
            let wrong = || format!("{word} cannot be {value}");
            let duration = |unit: f64| {
                let number: f64 = value.parse().map_err(|_| wrong())?;
                Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())
            };
            match word.as_str() {
                "--listen" => options.listen = value.parse().map_err(|_| wrong())?,
                "--own" => options.own = duration(1e-3)?,
                "--child" => options.child = duration(1e-3)?,
                "--work" => options.work = value.parse().map_err(|_| wrong())?,
                "--lifetime" => options.lifetime = Some(duration(1.0)?),
                "--url-file" => options.url_file = Some(value.into()),
                "--daemon" => options.pid_file = Some(value.into()),
                _ => return Err(format!("there is no option {word}")),
            }
        }
        Ok(options)
    }
}
