//! A thread that spins until each planned time and does nothing else: the floor of the bench `lag`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::{Result, stamps};

/// So that the answer to a request has come when its connection's turn comes again.
const CONNECTIONS: usize = 8;

/// As the process that spins.
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
    let start = stamps::now()?;
    for k in 0..requests {
        let turn = usize::try_from(k)?;
        let connection = &mut connections[turn % CONNECTIONS];
        // The server writes an answer at once, and so it is read at once.
        if turn >= CONNECTIONS && connection.read(&mut answer)? == 0 {
            return Err("the server has closed a connection".into());
        }
        while stamps::now()? < start + k * 1_000_000_000 / rate {
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
