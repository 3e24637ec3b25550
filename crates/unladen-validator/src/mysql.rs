//! The principal type is [`MySql`]: asks a MySQL or MariaDB server.
//!
//! Each thread has its own connections, made on demand; each carries one question at a time. Parameters go as text,
//! which the server compares by its own rules (`'12abc' = 12`). Sessions are read-only.
//!
//! The URL is `mysql_async`'s, and may have `ssl_ca=FILE`. A remote server is reached by TLS, and its certificate and
//! name are checked against the system's authorities or those of `ssl_ca`, unless `require_ssl`, `verify_ca` or
//! `verify_identity` say otherwise.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder, Statement, UrlError, Value};
use rustls::crypto::CryptoProvider;
use tokio::sync::Semaphore;
use tokio::task::spawn_local;
use tokio::time::timeout;
use unladen_tls::{is_near, provider, system_certificates};
use url::Url;

use crate::backoff::Backoff;
use crate::counts::{locked, text};
use crate::question::{Answer, Ask};
use crate::{AskError, Question, SettingsError, Version};

/// Timeout of connecting, even if an answer's is shorter: the connection also serves later questions.
const CONNECT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct MySql {
    shared: Arc<Shared>,
    by_thread: Box<[Arc<ThreadConnections>]>,
}

#[derive(Debug)]
struct Shared {
    address: Address,
    query: String,
    /// Index in the path's names of each placeholder.
    places: Box<[usize]>,
    timeout: Duration,
}

#[derive(Debug)]
struct ThreadConnections {
    /// For connections that exist or are being made.
    permits: Semaphore,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    links: Vec<Link>,
    backoff: Backoff,
}

#[derive(Debug)]
struct Link {
    connection: Conn,
    statement: Statement,
}

// === impl MySql ===

impl MySql {
    pub(crate) fn new(
        url: &str,
        query: &str,
        places: Box<[usize]>,
        timeout: Duration,
        connections: usize,
        threads: usize,
    ) -> Result<Self, SettingsError> {
        let shared = Arc::new(Shared { address: Address::parse(url)?, query: query.to_owned(), places, timeout });
        let connections = |_| {
            Arc::new(ThreadConnections {
                permits: Semaphore::new(connections.min(Semaphore::MAX_PERMITS)),
                idle: Mutex::default(),
            })
        };
        Ok(Self { shared, by_thread: (0..threads).map(connections).collect() })
    }

    pub(crate) async fn try_once(&self) -> Result<(), AskError> {
        let link = self.shared.connect().await?;
        let _ = link.connection.disconnect().await;
        Ok(())
    }
}

impl Ask for MySql {
    async fn ask(&self, thread: usize, question: &Question) -> Answer {
        let mut values = Vec::with_capacity(self.shared.places.len());
        for place in &self.shared.places {
            match question.parameters.get(*place) {
                Some(parameter) => values.push(Value::Bytes(parameter.as_bytes().to_vec())),
                None => return Ok(None),
            }
        }
        let Some(connections) = self.by_thread.get(thread % self.by_thread.len().max(1)) else {
            return Err(AskError::TooMany);
        };
        let Ok(_permit) = connections.permits.acquire().await else { return Err(AskError::TooMany) };
        loop {
            // A connection that is dropped amid a question is closed: its answer would be taken for the next one's.
            let idle = locked(&connections.idle).links.pop();
            let (mut link, fresh) = match idle {
                Some(link) => (link, false),
                None => (connections.connect(&self.shared).await?, true),
            };
            match link.ask(&values).await {
                Ok(version) => {
                    locked(&connections.idle).links.push(link);
                    return Ok(version);
                }
                Err(error) => {
                    let explained = explain(&error, &self.shared.address.shown);
                    match &error {
                        mysql_async::Error::Server(said) if !is_ending(said.code) => match said.code {
                            // No such table or column, or a statement to be prepared anew: not for every question.
                            1054 | 1146 | 1243 | 1615 => locked(&connections.idle).backoff.failed(explained.clone()),
                            _ => locked(&connections.idle).links.push(link),
                        },
                        // The server had closed it. A question changes nothing, so it may be asked twice.
                        _ if !fresh => continue,
                        _ => {}
                    }
                    return Err(explained);
                }
            }
        }
    }
}

impl ThreadConnections {
    async fn connect(self: &Arc<Self>, shared: &Arc<Shared>) -> Result<Link, AskError> {
        if let Some(error) = locked(&self.idle).backoff.pause() {
            return Err(error.clone());
        }
        // A separate task: the connection serves later questions if the first asker has left.
        let (sender, made) = tokio::sync::oneshot::channel();
        let (connections, shared) = (Arc::downgrade(self), shared.clone());
        spawn_local(async move {
            let made = shared.connect().await;
            let Some(connections) = connections.upgrade() else { return };
            let mut idle = locked(&connections.idle);
            match &made {
                Ok(_) => idle.backoff.succeeded(),
                Err(error) => idle.backoff.failed(error.clone()),
            }
            // Kept only if there is room: an asker that left has given up the permit, which another may have by now.
            if let Err(Ok(link)) = sender.send(made)
                && idle.links.len() < connections.permits.available_permits()
            {
                idle.links.push(link);
            }
        });
        made.await.unwrap_or_else(|_| Err(AskError::Unreachable(text("no connection task is left"))))
    }
}

impl Link {
    async fn ask(&mut self, values: &[Value]) -> Result<Version, mysql_async::Error> {
        let parameters = if values.is_empty() {
            mysql_async::Params::Empty
        } else {
            mysql_async::Params::Positional(values.to_vec())
        };
        let row: Option<mysql_async::Row> = self.connection.exec_first(&self.statement, parameters).await?;
        Ok(row.and_then(|mut row| row.take::<Value, _>(0)).and_then(version))
    }
}

impl Shared {
    async fn connect(&self) -> Result<Link, AskError> {
        match timeout(self.timeout.max(CONNECT), self.connect_and_prepare()).await {
            Ok(made) => made,
            Err(_) => Err(AskError::Unreachable(text(format!("{} does not answer", self.address.shown)))),
        }
    }

    async fn connect_and_prepare(&self) -> Result<Link, AskError> {
        let said = |error: mysql_async::Error| explain(&error, &self.address.shown);
        let mut connection = Conn::new(self.address.opts.clone()).await.map_err(said)?;
        // Each question sees what is committed when it is asked; and only the first row is sent.
        connection.query_drop("SET autocommit = 1, sql_select_limit = 1").await.map_err(said)?;
        connection.query_drop("SET SESSION TRANSACTION READ ONLY").await.map_err(said)?;
        // Slow queries end on the server, before we give up the connection for dead. MariaDB has one of these settings,
        // MySQL the other.
        let limit = (self.timeout.as_millis() * 4 / 5).max(1);
        let seconds = format!("SET max_statement_time = {}.{:03}", limit / 1000, limit % 1000);
        if let Err(error) = connection.query_drop(seconds).await {
            const UNKNOWN_VARIABLE: u16 = 1193;
            if !matches!(&error, mysql_async::Error::Server(said) if said.code == UNKNOWN_VARIABLE) {
                return Err(said(error));
            }
            connection.query_drop(format!("SET max_execution_time = {limit}")).await.map_err(said)?;
        }
        let statement = connection.prep(&*self.query).await.map_err(said)?;
        if usize::from(statement.num_params()) != self.places.len() {
            let (wants, has) = (statement.num_params(), self.places.len());
            return Err(AskError::Query(text(format!(
                "it has {wants} parameter(s), but `parameters` has {has} name(s)"
            ))));
        }
        Ok(Link { connection, statement })
    }
}

/// Errors after which the server closes the connection: shutdown, a kill, or a long idle time.
fn is_ending(code: u16) -> bool {
    matches!(code, 1053 | 1927 | 4031)
}

fn explain(error: &mysql_async::Error, shown: &str) -> AskError {
    if let mysql_async::Error::Server(said) = error {
        let message = text(format!("{} ({})", said.message, said.code));
        return match said.code {
            1044 | 1045 | 1130 | 1251 | 1698 | 1862 | 3118 | 4151 => AskError::Refused(message),
            1969 | 3024 | 1205 | 1317 => AskError::Timeout,
            1040 | 1203 | 1226 => AskError::Unreachable(message),
            code if is_ending(code) => AskError::Unreachable(message),
            _ => AskError::Query(message),
        };
    }
    AskError::Unreachable(text(format!("{shown}: {error}")))
}

/// The value's text: different values of a type have different texts.
pub(crate) fn version(value: Value) -> Version {
    let text = match value {
        Value::NULL => return None,
        Value::Bytes(bytes) => return Some(bytes.into()),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Date(year, month, day, hour, minute, second, micros) => {
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}")
        }
        Value::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if negative { "-" } else { "" };
            format!("{sign}{}:{minutes:02}:{seconds:02}.{micros:06}", u64::from(days) * 24 + u64::from(hours))
        }
    };
    Some(text.into_bytes().into())
}

/// After this idle time, the kernel probes whether the server is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

#[derive(Debug)]
struct Address {
    pub(super) opts: Opts,
    /// For messages: without the password.
    pub(super) shown: String,
}

impl Address {
    pub(super) fn parse(url: &str) -> Result<Self, SettingsError> {
        let bad = |why: String| SettingsError::Url(why);
        let mut url = Url::parse(url).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "mysql" | "mariadb") {
            return Err(bad("it does not begin with `mysql://`".to_owned()));
        }
        if url.scheme() == "mariadb" {
            let plain = url.as_str().replacen("mariadb", "mysql", 1);
            url = Url::parse(&plain).map_err(|error| bad(error.to_string()))?;
        }
        let mut pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let ca = pairs.iter().position(|(key, _)| key == "ssl_ca").map(|place| pairs.remove(place).1);
        let says = |name: &str| pairs.iter().any(|(key, _)| key == name);
        let near = url.host_str().is_none_or(is_near) || says("socket");
        if !says("require_ssl") && (!near || ca.is_some()) {
            pairs.push(("require_ssl".to_owned(), "true".to_owned()));
        }
        url.set_query(None);
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(&pairs);
        }
        let mut opts = Opts::from_url(url.as_str()).map_err(|error| bad(explain_url(&error)))?;
        if let Some(ssl) = opts.ssl_opts() {
            // mysql_async takes the process's provider, and a program that names its own everywhere has none.
            if CryptoProvider::get_default().is_none() {
                let _ = CryptoProvider::clone(&provider()).install_default();
            }
            let ssl = ssl.clone();
            let ssl = match ca {
                Some(file) => {
                    let file = PathBuf::from(file);
                    unladen_tls::authorities(&file).map_err(|error| SettingsError::Tls(error.to_string()))?;
                    ssl.with_root_certs(vec![file.into()]).with_disable_built_in_roots(true)
                }
                // The certificate is not checked.
                None if ssl.accept_invalid_certs() => ssl,
                // mysql_async's own are Mozilla's of its build date: not those that this system's owner adds or
                // distrusts.
                None => {
                    let system = system_certificates().map_err(|error| SettingsError::Tls(error.to_string()))?;
                    let system = system.iter().map(|certificate| certificate.to_vec().into()).collect();
                    ssl.with_root_certs(system).with_disable_built_in_roots(true)
                }
            };
            opts = OptsBuilder::from_opts(opts).ssl_opts(Some(ssl)).into();
        }
        // A connection that is given up while silent waits in the background for its end: keep-alive ends it if the
        // server is gone.
        if opts.tcp_keepalive().is_none() {
            opts = OptsBuilder::from_opts(opts).tcp_keepalive(Some(KEEP_ALIVE)).into();
        }
        let shown =
            opts.socket().map_or_else(|| format!("{}:{}", opts.ip_or_hostname(), opts.tcp_port()), str::to_owned);
        Ok(Self { opts, shown })
    }
}

/// The parser's own message may show what it could not read: part of a password, if that has a `?`.
fn explain_url(error: &UrlError) -> String {
    match error {
        UrlError::UnknownParameter { param } if param.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            format!("the parameter `{param}` is not known")
        }
        UrlError::InvalidParamValue { param, .. } => format!("the value of `{param}` is not allowed"),
        UrlError::UnknownParameter { .. } => "a parameter is not known".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
