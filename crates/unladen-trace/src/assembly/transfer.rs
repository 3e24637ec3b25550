//! The principal type is [`Transfer`].

use crate::event::{Socket, Way};

#[derive(Debug, Clone, Copy)]
pub(super) struct Transfer<'a> {
    pub(super) at_ns: u64,
    pub(super) pid: u32,
    pub(super) group: usize,
    pub(super) way: Way,
    pub(super) socket: &'a Socket,
    pub(super) result: i64,
    pub(super) payload: &'a [u8],
    pub(super) took_ns: u64,
}
