//! Kinds of records: `enum kind` in bpf/record.h.

pub(super) const PATH: u8 = 1;
pub(super) const TRANSFER: u8 = 2;
pub(super) const CONNECT: u8 = 3;
pub(super) const CLOSE: u8 = 4;
pub(super) const LOCK: u8 = 5;
pub(super) const SLEEP: u8 = 6;
pub(super) const FORK: u8 = 7;
pub(super) const EXEC: u8 = 8;
pub(super) const EXIT: u8 = 9;
pub(super) const ESTABLISHED: u8 = 10;
pub(super) const COMPILE: u8 = 11;
pub(super) const PREPARE: u8 = 12;
pub(super) const STEP: u8 = 13;
pub(super) const RESET: u8 = 14;
