//! The principal type is [`CodeLocation`]: the line of a frame.

use crate::frame::{Frame, FrameId, FrameKind};
use crate::profile::Profile;

/// Column in which the address of a frame ends at least: perf writes it 16 columns wide, behind a space or a tab.
pub(super) const ADDRESS_END: usize = 16;
/// Start of kernel addresses on x86-64 and ARM64.
const KERNEL: u64 = 0xffff_0000_0000_0000;

const UNKNOWN: &str = "[unknown]";

/// Modules in brackets that look like the kernel's.
const NOT_KERNEL: [&str; 13] = [
    "[vdso]",
    "[vdso32]",
    "[vdsox32]",
    "[vsyscall]",
    "[vvar]",
    "[vvar_vclock]",
    "[vectors]",
    "[sigpage]",
    "[heap]",
    "[stack]",
    "[anon]",
    "[uprobes]",
    UNKNOWN,
];

/// `address symbol+offset (module)`, of which all but the symbol are optional.
#[derive(Debug, PartialEq)]
pub(super) struct CodeLocation<'a> {
    pub(super) address: Option<u64>,
    pub(super) name: &'a str,
    /// File name as perf writes it; empty if unknown.
    pub(super) module: &'a str,
    /// Whether it is inlined in the next frame.
    pub(super) is_inlined: bool,
}

impl<'a> CodeLocation<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let is_frame = line.starts_with('\t') || address_end(line) >= ADDRESS_END;
        let line = line.trim();
        let (first, after) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let is_gap = after.starts_with(char::is_whitespace);
        let after = after.trim_start();
        let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let address = if hex(first) { u64::from_str_radix(first, 16).ok() } else { None };
        let (address, rest) = match address {
            // Without symbols.
            Some(address) if after.is_empty() && is_frame => {
                return Some(Self { address: Some(address), name: first, module: "", is_inlined: false });
            }
            // A function may be called `add`; no symbol leaves two spaces.
            Some(address) if !after.is_empty() && (is_gap || module_at(after) != Some(0)) => (Some(address), after),
            _ => (None, line),
        };
        let (symbol, module) = match module_at(rest) {
            Some(at) => (rest[..at].trim_end(), &rest[at + 1..rest.len() - 1]),
            None => (rest, ""),
        };
        let symbol = if symbol.is_empty() && address.is_some() { UNKNOWN } else { symbol };
        // Otherwise it is a source line: `main.c:12`.
        if symbol.is_empty() || (address.is_none() && module.is_empty()) {
            return None;
        }
        let is_inlined = module == "inlined";
        Some(Self { address, name: without_offset(symbol), module: if is_inlined { "" } else { module }, is_inlined })
    }

    pub(super) fn kind(&self) -> FrameKind {
        let module = self.module;
        let is_kernel_file = || {
            let file = module.rsplit('/').next().unwrap_or(module);
            let packed = [".gz", ".xz", ".zst"].iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
            file == "vmlinux" || file.starts_with("vmlinux-") || packed.ends_with(".ko")
        };
        if self.perf_map() {
            FrameKind::Function
        } else if NOT_KERNEL.contains(&module) && module != UNKNOWN {
            FrameKind::Native
        } else if self.address.is_some_and(|address| address >= KERNEL)
            || ["[kernel", "[guest.kernel", "[bpf"].iter().any(|begin| module.starts_with(begin))
            || self.is_kernel_module()
            || is_kernel_file()
        {
            FrameKind::Kernel
        } else {
            FrameKind::Native
        }
    }

    /// Whether the module is the kernel's, such as `[nf_tables]`: a process's memory may be `[anon:v8]`, `[stack:12]`,
    /// `[JIT app cache]` and so on, and module addresses lie between those of 32-bit and 64-bit kernels.
    fn is_kernel_module(&self) -> bool {
        let name = self.module.strip_prefix('[').and_then(|module| module.strip_suffix(']'));
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        let is_user = self.address.is_some_and(|address| u32::try_from(address).is_err() && address < KERNEL);
        name.is_some_and(|name| !name.is_empty() && is_name(name)) && !NOT_KERNEL.contains(&self.module) && !is_user
    }

    pub(super) fn intern(&self, profile: &mut Profile, kind: FrameKind) -> FrameId {
        let module = if self.module == UNKNOWN { "" } else { self.module };
        if self.perf_map() {
            // CPython's: `py::function:/path/file.py`.
            let python = self.name.strip_prefix("py::").and_then(|rest| rest.split_once(':'));
            let (name, file) = python.unwrap_or((self.name, ""));
            return profile.frames.intern(Frame { name, file, line: 0, kind });
        }
        if self.name == UNKNOWN && !module.is_empty() {
            let module_name = module.rsplit('/').next().unwrap_or(module).trim_matches(['[', ']']);
            return profile.frames.intern(Frame { name: &format!("[{module_name}]"), file: module, line: 0, kind });
        }
        profile.frames.intern(Frame { name: self.name, file: module, line: 0, kind })
    }

    /// Whether an interpreter or a JIT compiler named it.
    pub(super) fn perf_map(&self) -> bool {
        let file = self.module.rsplit('/').next().unwrap_or(self.module);
        (file.starts_with("perf-") && file.ends_with(".map")) || (file.starts_with("jitted-") && file.ends_with(".so"))
    }
}

/// Column in which the first field of a line ends.
pub(super) fn address_end(line: &str) -> usize {
    let begin = line.len() - line.trim_start().len();
    begin + line.trim_start().find(char::is_whitespace).unwrap_or(line.len() - begin)
}

/// Whether a line is a frame even where nothing tells that frames follow. Tables of numbers are indented, too.
pub(super) fn is_frame(line: &str) -> bool {
    let is_aligned = line.starts_with('\t') || (line.starts_with(' ') && address_end(line) >= ADDRESS_END);
    let is_marked = || line.starts_with(' ') && (line.contains("+0x") || line.ends_with(')'));
    CodeLocation::parse(line).is_some_and(|place| place.address.is_some()) && (is_aligned || is_marked())
}

/// Position of the module's opening parenthesis. Symbols and modules may contain parentheses and spaces too.
fn module_at(text: &str) -> Option<usize> {
    text.strip_suffix(')')?;
    // Nothing else follows an offset.
    let is_apart = |at: usize| text[..at].ends_with([' ', '\t']);
    let behind_offset = |at: usize| is_apart(at) && offset_at(text[..at].trim_end()).is_some();
    if let Some((at, _)) = text.rmatch_indices('(').find(|(at, _)| behind_offset(*at)) {
        return Some(at);
    }
    if let Some(rest) = text.strip_prefix(UNKNOWN).map(str::trim_start).filter(|rest| rest.starts_with('(')) {
        return Some(text.len() - rest.len());
    }
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' => open += 1,
            b'(' => {
                open -= 1;
                if open == 0 {
                    return (at == 0 || is_apart(at)).then_some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn without_offset(symbol: &str) -> &str {
    offset_at(symbol).map_or(symbol, |at| &symbol[..at])
}

/// Position of a trailing `+0x1f`.
fn offset_at(symbol: &str) -> Option<usize> {
    let at = symbol.rfind("+0x").filter(|at| *at > 0)?;
    let digits = &symbol[at + 3..];
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(at)
}
