//! The principal type is [`AgentBinary`]: the program that is copied to a host without one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// Maximum size of a program: above a debug build of all of Unladen.
const MAX_SIZE: u64 = 512 << 20;

/// A program for another host.
#[derive(Debug)]
pub struct AgentBinary {
    pub path: PathBuf,
    pub size: u64,
    pub sha256: String,
    /// Whether it needs libraries that the other host may not have.
    pub is_dynamic: bool,
    file: File,
}

/// Why there is no program for a host.
#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    #[error("cannot read the agent {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not a Linux program (ELF) of at most {} MiB: --agent takes the program that `make agent` builds", path.display(), MAX_SIZE >> 20)]
    NoProgram { path: PathBuf },
    #[error("{} is a program for {found}, but the host is {wanted}: build unladen-agent for {wanted} (`make agent` on \
        such a machine), and name it with --agent", path.display())]
    OtherMachine { path: PathBuf, found: &'static str, wanted: String },
    #[error(
        "there is no agent for {wanted} here: none of {} is one. Build it with `make agent` on such a machine and \
         name it with --agent, or install unladen on the host",
        looked(tried)
    )]
    None { wanted: String, tried: Vec<PathBuf> },
}

impl AgentBinary {
    /// The program for machines of this name (`uname -m`): the given one, else `unladen-agent-MACHINE` beside this
    /// program or in `../libexec/unladen`, else this program itself. Fails if there is none.
    pub fn find(machine: &str, given: Option<&Path>) -> Result<Self, BinaryError> {
        if let Some(path) = given {
            return match Self::open(path)? {
                (binary, elf) if elf.runs_on(machine) => Ok(binary),
                (_, elf) => {
                    let path = path.to_owned();
                    Err(BinaryError::OtherMachine { path, found: elf.machine(), wanted: machine.to_owned() })
                }
            };
        }
        let tried = candidates(machine);
        let found = tried.iter().filter(|path| path.is_file()).find_map(|path| {
            let (binary, elf) = Self::open(path).ok()?;
            elf.runs_on(machine).then_some(binary)
        });
        found.ok_or_else(|| BinaryError::None { wanted: machine.to_owned(), tried })
    }

    fn open(path: &Path) -> Result<(Self, Elf), BinaryError> {
        let unread = |source| BinaryError::Read { path: path.to_owned(), source };
        let no_program = || BinaryError::NoProgram { path: path.to_owned() };
        let mut file = File::open(path).map_err(unread)?;
        let size = file.metadata().map_err(unread)?.len();
        let elf = Elf::read(&mut file).map_err(unread)?.filter(|_| size <= MAX_SIZE).ok_or_else(no_program)?;
        file.rewind().map_err(unread)?;
        let mut hash = Sha256::new();
        let mut piece = vec![0; 1 << 16];
        let mut read = 0;
        while read < size {
            match file.read(&mut piece).map_err(unread)? {
                0 => return Err(no_program()),
                more => {
                    hash.update(&piece[..more]);
                    read += more as u64;
                }
            }
        }
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((Self { path: path.to_owned(), size: read, sha256, is_dynamic: elf.is_dynamic, file }, elf))
    }

    pub(crate) fn into_bytes(mut self) -> io::Result<io::Take<File>> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(self.file.take(self.size))
    }
}

fn candidates(machine: &str) -> Vec<PathBuf> {
    let Ok(own) = std::env::current_exe() else { return Vec::new() };
    // Safe in a file name, whatever the host sends.
    let plain = machine.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let name = format!("unladen-agent-{machine}");
    let beside = own.parent().filter(|_| plain).map(|folder| folder.join(&name));
    let libexec = own.parent().and_then(Path::parent).filter(|_| plain);
    let libexec = libexec.map(|prefix| prefix.join("libexec/unladen").join(&name));
    [beside, libexec, Some(own)].into_iter().flatten().collect()
}

fn looked(tried: &[PathBuf]) -> String {
    tried.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Bytes of a 64-bit program's header; that of a 32-bit one is shorter.
const HEADER: usize = 64;

/// More program headers than any linker writes.
const MAX_SEGMENTS: u16 = 128;

const PT_INTERP: u32 = 3;

/// A program's machine, from its header (System V ABI, chapter 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Elf {
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
    fn read(file: &mut File) -> io::Result<Option<Self>> {
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

    fn runs_on(self, machine: &str) -> bool {
        self.machine.3.contains(&machine)
    }

    /// Its machine's `uname -m`.
    fn machine(self) -> &'static str {
        self.machine.3.first().copied().unwrap_or_default()
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
