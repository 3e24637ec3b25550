use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;
use http::{Response, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Barrier;

use super::server::{HELLO, Server};
use super::*;
use crate::http_version::HttpVersion;
use crate::schedule::End;

/// Echoes the authority; each `together` requests must be under way at once to be answered.
pub(super) async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, together: Arc<Barrier>) {
    let service = service_fn(move |request: http::Request<Incoming>| {
        let together = together.clone();
        async move {
            assert_eq!(request.version(), Version::HTTP_2);
            together.wait().await;
            let authority = request.uri().authority().map(|authority| authority.to_string()).unwrap_or_default();
            Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(authority))))
        }
    });
    let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

struct Http2Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Http2Server {
    fn new(together: usize) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let accepted = connections.clone();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                let together = Arc::new(Barrier::new(together));
                while let Ok((stream, _)) = listener.accept().await {
                    accepted.fetch_add(1, Relaxed);
                    tokio::spawn(serve(stream, together.clone()));
                }
            });
        });
        Self { address, connections }
    }

    fn config(&self) -> DriverConfig {
        let request = Request::get(&format!("http://{}/page", self.address)).unwrap();
        DriverConfig { http: HttpVersion::Http2, ..config(request) }
    }
}

#[test]
fn by_prior_knowledge() {
    let server = Http2Server::new(1);
    let sample = sample(&mut start(server.config())).unwrap();
    assert_eq!(sample.version, Version::HTTP_2);
    assert_eq!(&sample.body_start[..], server.address.to_string().as_bytes());
}

#[test]
fn the_host_header_becomes_the_authority() {
    let server = Http2Server::new(1);
    let request = Request::get(&format!("http://{}/", server.address)).unwrap();
    let request = request.header("Host: wiki.example".parse().unwrap());
    let sample = sample(&mut start(DriverConfig { http: HttpVersion::Http2, ..config(request) })).unwrap();
    assert_eq!(&sample.body_start[..], b"wiki.example");
}

#[test]
fn workers_share_one_connection() {
    let server = Http2Server::new(8);
    let mut driver = start(DriverConfig { concurrency: 8, ..server.config() });
    for opened in [1, 0] {
        let tally = run(&mut driver, 80).unwrap();
        assert_eq!((tally.requests, tally.connections_opened, tally.ended), (80, opened, End::Requests));
    }
    assert_eq!(server.connections.load(Relaxed), 1);
}

#[test]
fn one_connection_for_each_request() {
    let server = Http2Server::new(1);
    let mut driver = start(DriverConfig { keep_alive: false, ..server.config() });
    let tally = run(&mut driver, 5).unwrap();
    assert_eq!((tally.requests, tally.connections_opened), (5, 5));
    assert_eq!(server.connections.load(Relaxed), 5);
}

#[test]
fn a_server_of_the_other_version() {
    let server = Server::answering(HELLO);
    let config = DriverConfig { http: HttpVersion::Http2, ..config(get(&server)) };
    let error = sample(&mut start(config)).unwrap_err();
    assert!(matches!(error, LoadError::Protocol { version: "HTTP/2", .. }), "{error:?}");
    assert!(error.to_string().contains("Try --http 1.1"), "{error}");
}

#[test]
fn a_server_that_leaves_while_idle() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let (left, has_left) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let answered = Arc::new(tokio::sync::Notify::new());
                let answer = answered.clone();
                let service = service_fn(move |_: http::Request<Incoming>| {
                    answer.notify_one();
                    async { Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("once")))) }
                });
                let builder = http2::Builder::new(TokioExecutor::new());
                let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
                tokio::select! {
                    _ = connection.as_mut() => {}
                    () = answered.notified() => connection.as_mut().graceful_shutdown(),
                }
                let _ = connection.await;
                let _ = left.send(());
            }
        });
    });
    let request = Request::get(&format!("http://{address}/")).unwrap();
    let mut driver = start(DriverConfig { http: HttpVersion::Http2, ..config(request) });
    for _ in 0..3 {
        let tally = run(&mut driver, 1).unwrap();
        assert_eq!((tally.requests, tally.connections_opened), (1, 1));
        has_left.recv().unwrap();
    }
}
