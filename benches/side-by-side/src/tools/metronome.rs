//! The floor: a thread that spins until each planned time and does nothing else. What it is late by is what the
//! machine, the kernel and the server's own clock add to everybody's figures; its CPU is that of a whole core.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use crate::tool::{Load, Said, Tool};
use crate::{Result, children, clock, roles};

/// So that the answer to a request has come when its connection's turn comes again.
const CONNECTIONS: usize = 8;

pub(super) struct Metronome;

impl Tool for Metronome {
    fn name(&self) -> &'static str {
        "spinning (floor)"
    }

    fn command(&self, load: &Load) -> Result<Command> {
        let rate = load.rate().ok_or("a metronome has a rate")?;
        let mut command = children::tied(std::env::current_exe()?);
        command.args([roles::METRONOME, &load.url, &rate.to_string(), &load.requests().to_string()]);
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        Ok(Said { answered: stdout.trim().parse()?, ..Said::default() })
    }
}

/// As the one that spins.
pub(crate) fn be_the_metronome(arguments: &[String]) -> Result<()> {
    let [url, rate, requests] = arguments else { return Err("URL RATE REQUESTS".into()) };
    let host = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).ok_or("an http:// URL ends in /")?;
    let (rate, requests): (u64, u64) = (rate.parse()?, requests.parse()?);
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes();
    let connect = |_| {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        Result::Ok(stream)
    };
    let mut connections = (0..CONNECTIONS).map(connect).collect::<Result<Vec<_>>>()?;
    let mut answer = [0; 4096];
    let start = clock::now()?;
    for k in 0..requests {
        let turn = usize::try_from(k)?;
        let connection = &mut connections[turn % CONNECTIONS];
        // The server writes an answer at once, and so it is read at once.
        if turn >= CONNECTIONS && connection.read(&mut answer)? == 0 {
            return Err("the server has closed a connection".into());
        }
        while clock::now()? < start + k * 1_000_000_000 / rate {
            std::hint::spin_loop();
        }
        connection.write_all(&request)?;
    }
    // Those under way.
    let mut answered = requests.saturating_sub(CONNECTIONS as u64);
    for connection in connections.iter_mut().take(usize::try_from(requests)?) {
        answered += u64::from(connection.read(&mut answer)? > 0);
    }
    println!("{answered}");
    Ok(())
}
