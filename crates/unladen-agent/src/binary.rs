//! The principal type is [`AgentBinary`]: the program that is copied to a host without one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use self::elf::Elf;

mod elf;

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
    #[error("{} is no program of Linux (ELF) of at most {} MiB: --agent takes what `make agent` builds", path.display(), MAX_SIZE >> 20)]
    NoProgram { path: PathBuf },
    #[error("{} is a program for {found}, and the host is {wanted}: build unladen-agent for {wanted} (`make agent` on such a machine), and name it by --agent", path.display())]
    OtherMachine { path: PathBuf, found: &'static str, wanted: String },
    #[error(
        "there is no agent for {wanted} here: none of {} is one. Build it by `make agent` on such a machine and name it by --agent, or install unladen on the host",
        looked(tried)
    )]
    None { wanted: String, tried: Vec<PathBuf> },
}

impl AgentBinary {
    /// The program for machines of this name (`uname -m`): the given one, else `unladen-agent-MACHINE` beside this
    /// program or in `../libexec/unladen`, else this program itself.
    ///
    /// # Errors
    /// If there is none.
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
        Ok((Self { path: path.to_owned(), size: read, sha256, is_dynamic: elf.is_dynamic(), file }, elf))
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

#[cfg(test)]
mod tests;
