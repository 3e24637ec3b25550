//! [`browse`]: answers browsers on this machine.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use unladen_load::Cancel;
use unladen_local::{HTML, Incoming, JSON, Listener, TEXT, not_allowed, response, with};
use unladen_publish::html;

use crate::exit::Failure;
use crate::runs::pages::{Page, Pages};

/// Pages made at once: each reads tens of documents, and has them in memory.
const AT_A_TIME: usize = 4;

const WORD: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Tcp(SocketAddr),
    /// A socket, which its file's permissions guard.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| path.starts_with('/')) {
            return Ok(Self::Unix(path.into()));
        }
        let port_alone = text.parse::<u16>().ok().map(|port| SocketAddr::new(IpAddr::from([127, 0, 0, 1]), port));
        match text.parse().ok().or(port_alone) {
            Some(address) if address.ip().is_loopback() => Ok(Self::Tcp(address)),
            _ => Err("expected an address that only this machine can reach, such as 127.0.0.1:9902 or unix:/PATH: \
                anyone who reaches it can read all runs"
                .to_owned()),
        }
    }
}

/// Shows pages until cancelled. `say` is called with the URL once listening.
///
/// The host name in the URL holds a random word: other users of the machine reach the address too, but do not know it.
/// Fails if the address cannot be bound.
pub(crate) fn browse(pages: Pages, address: &Address, cancel: &Cancel, say: impl Fn(&str)) -> Result<(), Failure> {
    let failed = |source: io::Error| {
        let shown = match address {
            Address::Tcp(address) => address.to_string(),
            Address::Unix(path) => path.display().to_string(),
        };
        Failure::CannotListen { address: shown, source }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let (listener, word, url) = match address {
            Address::Tcp(address) => {
                let listener = TcpListener::bind(address).await.map_err(failed)?;
                let port = listener.local_addr().map_err(failed)?.port();
                let word = word();
                let url = format!("http://{word}.localhost:{port}/");
                (Listener::Tcp(listener), Some(word), url)
            }
            Address::Unix(path) => {
                let listener = UnixListener::bind(path).map_err(failed)?;
                (Listener::Unix(listener), None, format!("unix:{}", path.display()))
            }
        };
        say(&url);
        let (pages, word) = (Arc::new(pages), word.map(Arc::new));
        let turns = Arc::new(Semaphore::new(AT_A_TIME));
        let answer = move |request: hyper::Request<Incoming>| {
            let (pages, word, turns) = (Arc::clone(&pages), word.clone(), Arc::clone(&turns));
            async move {
                // The semaphore is never closed.
                let _turn = turns.acquire().await;
                answer(request, pages, word.as_deref().map(String::as_str)).await
            }
        };
        let cancel = cancel.clone();
        let ended = tokio::task::spawn_blocking(move || while !cancel.wait(std::time::Duration::from_secs(3600)) {});
        tokio::select! {
            () = unladen_local::serve(listener, answer) => {}
            _ = ended => {}
        }
        Ok::<(), Failure>(())
    })?;
    if let Address::Unix(path) = address {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

async fn answer(
    request: hyper::Request<Incoming>,
    pages: Arc<Pages>,
    word: Option<&str>,
) -> hyper::Response<http_body_util::Full<bytes::Bytes>> {
    let host = request.headers().get(hyper::header::HOST).and_then(|host| host.to_str().ok());
    let host = request.uri().host().or(host).unwrap_or_default();
    if word.is_some_and(|word| !is_named(host, word)) {
        let text = "These pages are at the address that `unladen runs serve` printed.\n";
        return response(hyper::StatusCode::FORBIDDEN, TEXT, text);
    }
    if !matches!(*request.method(), hyper::Method::GET | hyper::Method::HEAD) {
        return not_allowed("GET, HEAD", "Nothing can be changed here: only GET and HEAD are allowed.\n");
    }
    let uri = request.uri().clone();
    let made = tokio::task::spawn_blocking(move || pages.page(uri.path(), uri.query().unwrap_or_default())).await;
    let Ok(Page { status, is_json, body }) = made else {
        return response(hyper::StatusCode::INTERNAL_SERVER_ERROR, TEXT, "The page could not be made.\n");
    };
    let status = hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    // Forbids framing by other pages, which a page's own meta element cannot.
    let policy = format!("{}; frame-ancestors 'none'", html::policy());
    let policies = [("content-security-policy", policy.as_str()), ("cross-origin-opener-policy", "same-origin")];
    with(response(status, if is_json { JSON } else { HTML }, body), &policies)
}

/// Whether the host has the word; its port does not matter, as it may be that of another machine's tunnel.
fn is_named(host: &str, word: &str) -> bool {
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let name = name.strip_suffix('.').unwrap_or(name);
    name.strip_suffix(".localhost").is_some_and(|given| {
        // Constant time, however many letters are right.
        let differ = given
            .bytes()
            .zip(word.bytes())
            .fold(given.len() ^ word.len(), |differ, (a, b)| differ | usize::from(a.to_ascii_lowercase() ^ b));
        differ == 0
    })
}

fn word() -> String {
    let mut bytes = [0_u8; WORD];
    if std::fs::File::open("/dev/urandom").and_then(|mut file| io::Read::read_exact(&mut file, &mut bytes)).is_err() {
        fastrand::fill(&mut bytes);
    }
    bytes.iter().map(|byte| char::from(b'a' + byte % 26)).collect()
}

#[cfg(test)]
mod tests;
