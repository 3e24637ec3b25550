//! Ten times as many requests as PHP-FPM can answer: what is answered, how soon, and what the others are told.

mod crowd;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use self::crowd::{Crowd, Outcome};
use crate::rig::listen::Listen;
use crate::rig::nginx;
use crate::rig::php_fpm::{PhpFpm, STATUS};
use crate::rig::ports::Ports;
use crate::rig::running::Running;
use crate::schedule::quantile;
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result, unladen};

pub(crate) const BENCH: Bench =
    Bench { name: "overload", about: "ten times as many requests as PHP-FPM can answer", run };

/// `pm.max_children`.
const WORKERS: usize = 4;
/// Of the load, to what the workers can do.
const TIMES: f64 = 10.0;
/// Asleep, so that neither the machine nor the crowd beside it changes what the workers can do.
const PAGE: &str = "<?php usleep(20000); header('Cache-Control: no-store'); echo 'a page';";
/// `queue.wait`, as it is by itself.
const WAIT: Duration = Duration::from_secs(5);

/// A server in front of a PHP-FPM of its own.
struct Contestant {
    name: &'static str,
    port: u16,
    _running: (Running, PhpFpm),
    capacity: f64,
}

/// `--only short` takes 12 s each; `--proxy PATH` takes that program in place of a release build.
fn run(options: &Options) -> Result<()> {
    let lasts = if options.only.iter().any(|case| case == "short") { 12 } else { 60 };
    let lasts = Duration::from_secs(lasts);
    let scratch = ScratchFolder::new()?;
    let mut ports = Ports::new();
    let program = options.proxies.first().map_or_else(unladen::built, |program| Ok(program.into()))?;
    let mut contestants = [
        contestant("unladen", &scratch, &mut ports, |folder, port, php| ours(&program, folder, port, php))?,
        contestant("nginx", &scratch, &mut ports, theirs)?,
    ];
    for _ in 0..options.rounds_or(1) {
        for contestant in &mut contestants {
            contestant.capacity = Crowd::new(contestant.port)?.at_most(2 * WORKERS, Duration::from_secs(3))?;
            let outcome = Crowd::new(contestant.port)?.at_rate(TIMES * contestant.capacity, lasts)?;
            print(contestant, lasts, outcome)?;
        }
    }
    println!("aims: pages at least 95 % of what it can do; p99 of pages at most twice `queue.wait`, {WAIT:?}");
    Ok(())
}

fn contestant(
    name: &'static str,
    scratch: &ScratchFolder,
    ports: &mut Ports,
    command: impl FnOnce(&Path, u16, &PhpFpm) -> Result<Command>,
) -> Result<Contestant> {
    let php = PhpFpm::start(name, scratch, WORKERS, PAGE)?;
    let port = ports.free()?;
    let front = Running::start(name, scratch, |folder| command(folder, port, &php), &[Listen::Tcp(port)])?;
    // By then it has been told how many workers there are.
    std::thread::sleep(Duration::from_secs(1));
    Ok(Contestant { name, port, _running: (front, php), capacity: 0.0 })
}

/// As little as a user has to write; and the crowd's addresses are believed.
fn ours(program: &Path, folder: &Path, port: u16, php: &PhpFpm) -> Result<Command> {
    let (socket, root) = (php.socket.display(), php.root.display());
    let config = format!(
        "threads = 1\n[[site]]\nlisten = \"127.0.0.1:{port}\"\nphp = \"{socket}\"\nroot = \"{root}\"\ncache = false\n\
         trusted.proxies = [\"127.0.0.1\"]\nfastcgi.status = \"{STATUS}\"\n"
    );
    let path = folder.join("unladen.toml");
    fs::write(&path, config)?;
    let mut command = Command::new(program);
    command.args(["serve", "--config"]).arg(path);
    Ok(command)
}

fn theirs(folder: &Path, port: u16, php: &PhpFpm) -> Result<Command> {
    let (socket, root) = (php.socket.display(), php.root.display());
    let http = format!(
        "server {{ listen 127.0.0.1:{port} backlog=4096; location / {{
            fastcgi_pass unix:{socket}; fastcgi_param SCRIPT_FILENAME {root}/index.php;
            fastcgi_param REQUEST_METHOD $request_method; fastcgi_param QUERY_STRING $query_string;
        }} }}"
    );
    nginx::command(folder, &http)
}

fn print(contestant: &Contestant, lasts: Duration, mut outcome: Outcome) -> Result<()> {
    let Contestant { name, capacity, .. } = contestant;
    // What was under way at the end is answered after it.
    let rate = outcome.pages.len() as f64 / outcome.lasted.as_secs_f64();
    let of = |times: &mut Vec<f64>, share| {
        times.sort_by(f64::total_cmp);
        quantile(times, share).map_or_else(|| "–".to_owned(), |ms| format!("{ms:.0}"))
    };
    let pages = [0.5, 0.99, 1.0].map(|share| of(&mut outcome.pages, share));
    let refusals = [0.5, 0.99].map(|share| of(&mut outcome.refusals, share));
    let mut statuses: Vec<_> = outcome.statuses.iter().collect();
    statuses.sort();
    println!(
        "{name}: it can do {capacity:.0} pages/s, and is asked for {:.0}/s for {lasts:?}\n  \
         pages: {rate:.1}/s, {:.1} % of what it can do; ms: p50 {}, p99 {}, most {}\n  \
         refused: {statuses:?}; ms: p50 {}, p99 {}; broken off {}, waited in vain {}",
        TIMES * capacity,
        100.0 * rate / capacity,
        pages[0],
        pages[1],
        pages[2],
        refusals[0],
        refusals[1],
        outcome.broken,
        outcome.left,
    );
    Ok(())
}
