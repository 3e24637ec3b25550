//! The principal type is [`Statements`]: texts of prepared statements by id.

use crate::wire::prepared::{Prepared, Text};

pub(super) const MAX_WAITING: usize = 64;
/// MariaDB: the statement prepared last.
const LAST_PREPARED: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Statements {
    prepared: Prepared,
    /// Id of the next prepared statement, if one was seen: the server counts them. (The first is not always 1: MariaDB
    /// goes on counting when a thread takes another connection.)
    next_id: Option<u32>,
    /// Texts before the first seen id, oldest first; their ids are below it.
    pub(super) waiting: Vec<Text>,
    last: Option<Text>,
    /// Its id is known from the answer or an execution.
    sure: bool,
}

impl Statements {
    /// COM_STMT_PREPARE.
    pub(super) fn prepare(&mut self, text: Text) {
        self.last = Some(text);
        self.sure = false;
    }

    /// The answer to COM_STMT_PREPARE, if it was seen. Ids count up, even on failure: without an answer the order
    /// decides.
    pub(super) fn answered(&mut self, packet: Option<&[u8]>) {
        match (packet, self.next_id) {
            (Some([0, a, b, c, d, ..]), _) => self.told(u32::from_le_bytes([*a, *b, *c, *d])),
            // ERR
            (Some([0xff, ..]), next) => {
                self.next_id = next.map(|id| id.wrapping_add(1));
                self.last = None;
            }
            (_, Some(next)) => {
                if let Some(text) = self.last.clone() {
                    self.prepared.insert(&next.to_le_bytes(), text);
                    self.next_id = Some(next.wrapping_add(1));
                }
            }
            (_, None) => {
                if self.waiting.len() == MAX_WAITING {
                    self.waiting.remove(0);
                }
                self.waiting.extend(self.last.clone());
            }
        }
    }

    /// Learns the id of the statement prepared last; waiting ones precede it.
    fn told(&mut self, id: u32) {
        let Some(last) = self.last.clone() else { return };
        // It waits too, if it was executed before its answer was seen.
        self.waiting.pop_if(|newest| *newest == last);
        for (text, before) in self.waiting.drain(..).rev().zip(1..) {
            self.prepared.insert(&id.wrapping_sub(before).to_le_bytes(), text);
        }
        self.prepared.insert(&id.to_le_bytes(), last);
        self.next_id = Some(id.wrapping_add(1));
        self.sure = true;
    }

    /// COM_STMT_EXECUTE: the text of the statement, if known.
    pub(super) fn executed(&mut self, id: u32) -> Option<&Text> {
        if !self.sure && id != LAST_PREPARED && self.prepared.get(&id.to_le_bytes()).is_none() {
            // Most statements are executed right after preparation.
            self.told(id);
        }
        if id == LAST_PREPARED { self.last.as_ref() } else { self.prepared.get(&id.to_le_bytes()) }
    }

    /// COM_STMT_CLOSE.
    pub(super) fn close(&mut self, id: &[u8]) {
        self.prepared.remove(id);
    }

    /// COM_CHANGE_USER, COM_RESET_CONNECTION: the server closes all; it goes on counting.
    pub(super) fn forget(&mut self) {
        self.prepared.clear();
        self.waiting.clear();
        self.last = None;
    }
}
