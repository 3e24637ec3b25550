//! The principal type is [`Connection`]: a connection to Valkey, with or without TLS.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use unladen_tls::{TlsFault, client_config};

use super::resp::{self, HANDSHAKE, Reply, closed, hint, refused_auth, silent};
use crate::{BusError, BusUrl};

pub(super) struct Place {
    host: String,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    user: Vec<u8>,
    password: Option<Vec<u8>>,
    database: u32,
}

pub(super) struct Connection {
    stream: BufReader<Box<dyn Stream>>,
    /// The engine's run id, which changes at each start.
    pub(super) run: String,
    /// The beginning of its replication id, which changes at each promotion.
    pub(super) replication: String,
    /// When the connection was opened, and for how long the engine had been unchanged by then.
    opened: Instant,
    whole_for: Duration,
}

trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for S {}

const PORT: u16 = 6379;
/// Time limit of the TLS handshake: less than that of connecting, so that the error names the cause.
const LONGEST_HANDSHAKE: Duration = Duration::from_millis(1500);
/// Characters of a replication id in an epoch, as in the scripts.
const REPLICATION: usize = 16;

// === impl Place ===

impl Place {
    pub(super) fn new(url: &BusUrl, ca: Option<&Path>) -> Result<Self, BusError> {
        let wrong = |words: &str| BusError::Url(format!("`{url}`: {words}"));
        let host = url.host().ok_or_else(|| wrong("it has no host: `valkey://host:6379/0`"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let database = match url.path().trim_start_matches('/') {
            "" => 0,
            number => {
                number.parse().map_err(|_| wrong("only the number of a database may follow the host, such as `/0`"))?
            }
        };
        if url.query().is_some() {
            return Err(wrong("it has parameters (`?…`), but none are known"));
        }
        let is_tls = matches!(url.scheme(), "valkeys" | "rediss");
        if ca.is_some() && !is_tls {
            return Err(wrong("`ca` is for TLS: write `valkeys://` or `rediss://`"));
        }
        let tls = if is_tls { Some(tls(&host, ca).map_err(|error| wrong(&error))?) } else { None };
        let (user, password) = url.credentials();
        Ok(Self { host, port: url.port().unwrap_or(PORT), tls, user, password, database })
    }

    pub(super) fn refused(&self, error: &str) -> BusError {
        let secret = self.password.as_deref().map(String::from_utf8_lossy).filter(|secret| !secret.is_empty());
        BusError::Refused(match secret {
            Some(secret) if error.contains(&*secret) => refused_auth(error),
            _ => hint(error),
        })
    }
}

/// Verifies the engine's certificate, by the system's authorities or those of a file.
fn tls(host: &str, ca: Option<&Path>) -> Result<(TlsConnector, ServerName<'static>), String> {
    let name = ServerName::try_from(host.to_owned()).map_err(|_| format!("`{host}` is not a valid name for TLS"))?;
    Ok((TlsConnector::from(Arc::new(client_config(ca)?)), name))
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

// === impl Connection ===

impl Connection {
    pub(super) async fn open(place: &Place) -> Result<Self, BusError> {
        let (at, began) = (format!("{}:{}", place.host, place.port), Instant::now());
        let failed = |error: io::Error| BusError::Unreachable(format!("{at}: {error}"));
        let stream = TcpStream::connect((&*place.host, place.port)).await.map_err(failed)?;
        // Commands are small, and each is waited for.
        stream.set_nodelay(true).map_err(failed)?;
        let stream: Box<dyn Stream> = match &place.tls {
            None => Box::new(stream),
            Some((connector, name)) => {
                let left = LONGEST_HANDSHAKE.saturating_sub(began.elapsed());
                let shaken = timeout(left, connector.connect(name.clone(), stream)).await.map_err(|_| silent(&at))?;
                Box::new(shaken.map_err(|error| HANDSHAKE.failed(&at, &TlsFault::of(&error)))?)
            }
        };
        let mut connection = Self {
            stream: BufReader::with_capacity(16 * 1024, stream),
            run: String::new(),
            replication: String::new(),
            opened: Instant::now(),
            whole_for: Duration::ZERO,
        };
        let is_plain = place.tls.is_none();
        if let Some(password) = &place.password {
            let answer = match place.user.is_empty() {
                true => connection.ask(&[b"AUTH", password]).await,
                false => connection.ask(&[b"AUTH", &place.user, password]).await,
            };
            let answer = answer.map_err(|error| closed(error, is_plain))?;
            if let Reply::Error(error) = answer {
                return Err(BusError::Refused(refused_auth(&error)));
            }
        }
        if place.database != 0 {
            let database = place.database.to_string();
            if let Reply::Error(error) = connection.ask(&[b"SELECT", database.as_bytes()]).await? {
                return Err(place.refused(&error));
            }
        }
        let server = connection.info(b"server", place).await.map_err(|error| closed(error, is_plain))?;
        let run = value(&server, "run_id").filter(|run| run.len() == 40 && run.bytes().all(|b| b.is_ascii_hexdigit()));
        // The field's name depends on the product.
        if ["redis_mode", "server_mode", "valkey_mode"].iter().any(|name| value(&server, name) == Some("sentinel")) {
            let does = "it is a Sentinel: use an address that leads to the primary";
            return Err(BusError::Refused(does.to_owned()));
        }
        let none = || BusError::Answer("INFO reports no run id: a proxy in between is not supported".to_owned());
        connection.run = run.ok_or_else(none)?.to_owned();
        let replication = connection.info(b"replication", place).await?;
        let id = value(&replication, "master_replid").and_then(|id| id.get(..REPLICATION));
        connection.replication = id.filter(|id| id.bytes().all(|b| b.is_ascii_hexdigit())).ok_or_else(none)?.to_owned();
        // The time of a take-over is unknown.
        let has_taken_over = value(&replication, "master_replid2").is_none_or(|id| id.bytes().any(|byte| byte != b'0'));
        let up = value(&server, "uptime_in_seconds").and_then(|seconds| seconds.parse().ok()).unwrap_or(0);
        if !has_taken_over && value(&replication, "role") == Some("master") {
            connection.whole_for = Duration::from_secs(up);
        }
        Ok(connection)
    }

    /// For at least this long, the engine has lost only what was deleted on purpose.
    pub(super) fn whole_for(&self) -> Duration {
        match self.whole_for {
            Duration::ZERO => Duration::ZERO,
            before => before + self.opened.elapsed(),
        }
    }

    pub(super) async fn ask_all(&mut self, commands: &[Vec<Vec<u8>>]) -> Result<Vec<Reply>, BusError> {
        let mut bytes = Vec::with_capacity(512 * commands.len());
        for command in commands {
            let parts: Vec<&[u8]> = command.iter().map(Vec::as_slice).collect();
            resp::write(&parts, &mut bytes);
        }
        let failed = |error: io::Error| resp::unreachable(&error);
        let stream = self.stream.get_mut();
        stream.write_all(&bytes).await.map_err(failed)?;
        stream.flush().await.map_err(failed)?;
        let mut replies = Vec::with_capacity(commands.len());
        for _ in commands {
            replies.push(resp::read(&mut self.stream).await?);
        }
        Ok(replies)
    }

    pub(super) async fn ask(&mut self, command: &[&[u8]]) -> Result<Reply, BusError> {
        let mut bytes = Vec::with_capacity(256);
        resp::write(command, &mut bytes);
        let failed = |error: io::Error| resp::unreachable(&error);
        let stream = self.stream.get_mut();
        stream.write_all(&bytes).await.map_err(failed)?;
        stream.flush().await.map_err(failed)?;
        resp::read(&mut self.stream).await
    }

    async fn info(&mut self, part: &[u8], place: &Place) -> Result<String, BusError> {
        match self.ask(&[b"INFO", part]).await? {
            Reply::Bulk(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Reply::Error(error) => Err(place.refused(&error)),
            _ => Err(BusError::Answer("INFO reports nothing".to_owned())),
        }
    }
}

fn value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.trim_end().strip_prefix(name)?.strip_prefix(':'))
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {}", self.run)
    }
}

/// Address of an engine, and credentials.
#[derive(Clone, Debug)]
pub struct ValkeyPlace(Arc<Place>);

/// A connection for other uses than purges, with the same bounds of replies.
#[derive(Debug)]
pub struct ValkeyEngine(Connection);

impl ValkeyPlace {
    /// From a URL of Valkey or Redis. `ca` holds authorities (PEM) for its certificate; `None` for the system's.
    ///
    /// # Errors
    /// If the URL is unsuitable.
    pub fn new(url: &BusUrl, ca: Option<&Path>) -> Result<Self, BusError> {
        Place::new(url, ca).map(Arc::new).map(Self)
    }

    /// Error for a refusal, with advice.
    pub fn refused(&self, error: &str) -> BusError {
        self.0.refused(error)
    }
}

impl ValkeyEngine {
    /// Connects, authenticates, and asks the engine for its identity. Without a time limit.
    ///
    /// # Errors
    /// If it cannot be reached, or refuses.
    pub async fn open(place: &ValkeyPlace) -> Result<Self, BusError> {
        Connection::open(&place.0).await.map(Self)
    }

    /// The engine's run id, 40 hexadecimal digits, which changes at each start.
    pub fn run(&self) -> &str {
        &self.0.run
    }

    /// Sends commands together, each a list of words, and reads their answers in this order. After a failure, or if the
    /// future is dropped before it is done, the connection is unusable.
    ///
    /// # Errors
    /// If the connection is lost, or an answer is out of bounds.
    pub async fn ask_all(&mut self, commands: &[Vec<Vec<u8>>]) -> Result<Vec<Reply>, BusError> {
        self.0.ask_all(commands).await
    }
}
