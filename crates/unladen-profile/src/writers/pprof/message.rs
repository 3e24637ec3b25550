//! The principal type is [`Message`]: encodes a protocol buffer message
//! (<https://protobuf.dev/programming-guides/encoding/>).

use std::io::{self, Write};

#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// 0 is left out, as the default.
    pub(super) fn number(&mut self, field: u64, number: u64) -> &mut Self {
        if number != 0 {
            varint(&mut self.0, field << 3);
            varint(&mut self.0, number);
        }
        self
    }

    pub(super) fn numbers(&mut self, field: u64, numbers: &[u64]) -> &mut Self {
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| varint(&mut bytes, *number));
        self.bytes(field, &bytes)
    }

    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        varint(&mut self.0, field << 3 | 2);
        varint(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn message(&mut self, field: u64, message: &Self) -> &mut Self {
        self.bytes(field, &message.0)
    }

    /// Writes it as a field of the outermost message.
    pub(super) fn write(&self, field: u64, out: &mut dyn Write) -> io::Result<()> {
        let mut head = Vec::new();
        varint(&mut head, field << 3 | 2);
        varint(&mut head, self.0.len() as u64);
        out.write_all(&head)?;
        out.write_all(&self.0)
    }

    /// Writes and removes its fields.
    pub(super) fn drain(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.0)?;
        self.0.clear();
        Ok(())
    }
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
