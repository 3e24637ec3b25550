//! The principal type is [`Filling`]: an answer that is on its way, for all who wait for it (collapsed forwarding).
//!
//! `H` is what is said once, before the body: the head, a stored response, or why there is none.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;

/// Answers that are on their way, by key.
#[derive(Debug)]
pub struct Fillings<H> {
    h: std::marker::PhantomData<H>,
}

/// What asking for a key comes to.
#[derive(Debug)]
pub enum Joined<H> {
    /// Nobody else asks: fetch it, with this …
    Lead(Fill<H>, Reader<H>),
    /// … or wait for who does.
    Follow(Reader<H>),
}

/// The fetcher's end. Dropped before its end is said, the answer is broken off.
#[derive(Debug)]
pub struct Fill<H> {
    filling: Arc<Filling<H>>,
}

/// An answer that is on its way.
#[derive(Debug)]
pub struct Filling<H> {
    h: std::marker::PhantomData<H>,
}

/// A waiter's end: reads the whole body, from the start.
#[derive(Debug)]
pub struct Reader<H> {
    filling: Arc<Filling<H>>,
}

impl<H: Clone> Fillings<H> {
    pub fn new() -> Self {
        todo!()
    }

    /// Joins whoever asks for this key, if somebody does and has not got a whole answer yet.
    pub fn join(&self, key: &[u8]) -> Joined<H> {
        todo!()
    }
}

impl<H: Clone> Default for Fillings<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Clone> Fill<H> {
    /// Says what is said once. `window`: none: the body is kept for all readers; some: for the first reader alone, and no more than
    /// this many bytes wait for it; the others hear `others` instead. With a window no one joins any more.
    pub fn tell(&self, head: H, window: Option<(usize, H)>) {
        todo!()
    }

    /// Takes some of the body: how many bytes. An error: nobody reads it any more, and nothing is kept.
    pub fn poll_push(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, ()>> {
        todo!()
    }

    /// The body is whole. It is given back in one piece, if it was kept.
    pub fn end(self) -> Option<Bytes> {
        todo!()
    }

    /// Whether anyone reads.
    pub fn has_readers(&self) -> bool {
        todo!()
    }
}

impl<H: Clone> Reader<H> {
    /// What is said once. None: the fetcher has gone without.
    pub fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Option<H>> {
        todo!()
    }

    /// The next piece; none at the end; an error: it was broken off.
    pub fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, ()>> {
        todo!()
    }
}
