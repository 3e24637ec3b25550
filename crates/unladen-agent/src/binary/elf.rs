//! The principal type is [`Elf`]: a program's machine, from its header (System V ABI, chapter 4).

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// Bytes of a 64-bit program's header; that of a 32-bit one is shorter.
const HEADER: usize = 64;

/// More program headers than any linker writes.
const MAX_SEGMENTS: u16 = 128;

const PT_INTERP: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Elf {
    machine: Machine,
    is_dynamic: bool,
}

/// Class (1: 32 bits, 2: 64), byte order (1: least significant first), `e_machine`; names from `uname -m`.
type Machine = (u8, u8, u16, &'static [&'static str]);

const MACHINES: &[Machine] = &[
    (2, 1, 62, &["x86_64", "amd64"]),
    (2, 1, 183, &["aarch64", "arm64"]),
    (2, 1, 243, &["riscv64"]),
    (2, 1, 21, &["ppc64le"]),
    (2, 2, 22, &["s390x"]),
    (2, 1, 258, &["loongarch64"]),
    (1, 1, 3, &["i686", "i386", "i586"]),
    (1, 1, 40, &["armv7l", "armv6l", "armv8l"]),
];

impl Elf {
    pub(super) fn read(file: &mut File) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER];
        match file.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let Some(mut elf) = Self::of_header(&header) else { return Ok(None) };
        elf.is_dynamic = names_loader(&header, file)?;
        Ok(Some(elf))
    }

    fn of_header(header: &[u8; HEADER]) -> Option<Self> {
        let (class, order) = (*header.get(4)?, *header.get(5)?);
        let number = [*header.get(18)?, *header.get(19)?];
        let number = if order == 1 { u16::from_le_bytes(number) } else { u16::from_be_bytes(number) };
        let same = |machine: &&Machine| (machine.0, machine.1, machine.2) == (class, order, number);
        let machine = MACHINES.iter().find(same).filter(|_| header.starts_with(b"\x7fELF"))?;
        Some(Self { machine: *machine, is_dynamic: false })
    }

    pub(super) fn runs_on(self, machine: &str) -> bool {
        self.machine.3.contains(&machine)
    }

    /// Its machine's `uname -m`.
    pub(super) fn machine(self) -> &'static str {
        self.machine.3.first().copied().unwrap_or_default()
    }

    pub(super) fn is_dynamic(self) -> bool {
        self.is_dynamic
    }
}

/// Whether a segment names the dynamic loader. Only for 64-bit programs of this byte order; others count as static.
fn names_loader(header: &[u8; HEADER], file: &mut File) -> io::Result<bool> {
    if (header[4], header[5]) != (2, 1) {
        return Ok(false);
    }
    let mut offset = [0; 8];
    offset.copy_from_slice(&header[32..40]);
    let (offset, length) = (u64::from_le_bytes(offset), u16::from_le_bytes([header[54], header[55]]));
    let count = u16::from_le_bytes([header[56], header[57]]).min(MAX_SEGMENTS);
    for index in 0..count {
        let mut kind = [0; 4];
        file.seek(SeekFrom::Start(offset.saturating_add(u64::from(index) * u64::from(length))))?;
        match file.read_exact(&mut kind) {
            Ok(()) if u32::from_le_bytes(kind) == PT_INTERP => return Ok(true),
            Ok(()) => {}
            Err(_) => return Ok(false),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
