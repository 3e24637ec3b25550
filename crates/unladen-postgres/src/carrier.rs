//! The principal type is [`Carrier`]: drives a connection, with TLS or without.

use std::future::poll_fn;
use std::task::{Context, Poll};

use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Connection, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

type Plain = Connection<Socket, <NoTls as MakeTlsConnect<Socket>>::Stream>;
type Secret = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// Drives a connection, with TLS or without: nothing is sent or received unless it is polled.
pub struct Carrier(pub(crate) Way);

pub(crate) enum Way {
    Plain(Box<Plain>),
    Secret(Box<Secret>),
}

impl Carrier {
    /// The next asynchronous message; `None` once the connection has ended, for whatever reason.
    pub async fn message(&mut self) -> Option<AsyncMessage> {
        poll_fn(|context| self.poll(context)).await.and_then(Result::ok)
    }

    /// Drives the connection until it ends; asynchronous messages are ignored.
    pub async fn run(mut self) {
        while self.message().await.is_some() {}
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<AsyncMessage, tokio_postgres::Error>>> {
        match &mut self.0 {
            Way::Plain(connection) => connection.poll_message(context),
            Way::Secret(connection) => connection.poll_message(context),
        }
    }
}
