//! What the kernel says of eBPF, without the program under test and without tools that few machines have: asked of
//! bpf(2) by perl, which every Debian has.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::{Pid, Uid};

/// `BPF_PROG_GET_NEXT_ID`, `BPF_PROG_GET_FD_BY_ID`, `BPF_LINK_GET_FD_BY_ID`, `BPF_MAP_GET_FD_BY_ID` of linux/bpf.h.
const NEXT_PROGRAM: u32 = 11;
const PROGRAM: u32 = 13;
const MAP: u32 = 14;
const LINK: u32 = 30;

/// Ends with 0 if the call succeeds, with 2 if there is no such thing, with 1 if it is not permitted.
const ASK: &str = r#"
my $call = (`uname -m` =~ /^x86_64/) ? 321 : 280;
my $attr = pack("L32", $ARGV[1]);
exit 0 if syscall($call, $ARGV[0] + 0, $attr, 128) >= 0;
exit($!{ENOENT} ? 2 : 1);
"#;

fn ask(command: u32, id: u32) -> Option<i32> {
    let mut perl = Command::new("perl");
    perl.args(["-MErrno", "-e", ASK]).args([command.to_string(), id.to_string()]);
    perl.stderr(Stdio::null()).status().ok()?.code()
}

/// Whether programs can be loaded that look into processes.
pub fn is_permitted() -> bool {
    let asked = Uid::effective().is_root().then(|| ask(NEXT_PROGRAM, 0));
    matches!(asked, Some(Some(0 | 2))) && Path::new("/sys/kernel/btf/vmlinux").exists()
}

/// Something in the kernel that a process holds: what, and its number.
pub type Held = (&'static str, u32);

/// What a process holds of eBPF: programs, what attaches them, maps.
pub fn held_by(pid: Pid) -> BTreeSet<Held> {
    let folder = std::fs::read_dir(format!("/proc/{pid}/fdinfo")).into_iter().flatten().flatten();
    folder
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .flat_map(|info| {
            let of = |name: &'static str| {
                let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix("_id:"))?;
                Some((name, line.trim().parse().ok()?))
            };
            // A link's description names its program too; that one has a descriptor of its own.
            [of("link"), of("prog"), of("map")].into_iter().flatten().collect::<Vec<_>>()
        })
        .collect()
}

/// What of this is still in the kernel.
pub fn remaining(held: &BTreeSet<Held>) -> BTreeSet<Held> {
    let is_there = |(what, id): &Held| {
        let command = match *what {
            "link" => LINK,
            "prog" => PROGRAM,
            _ => MAP,
        };
        ask(command, *id) != Some(2)
    };
    held.iter().copied().filter(is_there).collect()
}
