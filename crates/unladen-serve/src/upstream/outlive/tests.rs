use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tokio::io::AsyncWriteExt;

use super::*;

const OVER: &[u8] = b"\x01\x03\0\x01\0\x08\0\0\0\0\0\0\0\0\0\0";

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

fn is_pending(future: std::pin::Pin<&mut impl Future>) -> bool {
    matches!(future.poll(&mut Context::from_waker(Waker::noop())), Poll::Pending)
}

#[test]
fn what_a_program_writes_fails_and_its_end_is_waited_for() {
    run(async {
        let (ours, mut program) = UnixStream::pair().unwrap();
        program.write_all(b"\x01\x06\0\x01\0\x05\0\0hello").await.unwrap();
        let mut closed = pin!(until_closed(&ours, b""));
        for _ in 0..3 {
            assert!(is_pending(closed.as_mut()), "the program has it open");
            tokio::task::yield_now().await;
        }
        assert_eq!(program.write_all(b"more").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert!(is_pending(closed.as_mut()), "and works on");
        drop(program);
        closed.await.unwrap();
    });
}

/// A program that keeps its connections closes none of them when it has done.
#[test]
fn a_request_that_was_over_before_is_not_waited_for() {
    run(async {
        for (came, comes) in [(b"".as_slice(), OVER), (&OVER[..9], &OVER[9..]), (OVER, b"")] {
            let (ours, mut program) = UnixStream::pair().unwrap();
            program.write_all(comes).await.unwrap();
            until_closed(&ours, came).await.unwrap();
        }
    });
}
