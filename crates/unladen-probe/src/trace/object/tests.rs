//! What the programs ask of a kernel: nothing that the oldest one does not have.

use super::{Aligned, CALLS, FUNCTIONS, may_trace, number, reason};

static STACKS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/stacks.bpf.o")));

/// `SHF_EXECINSTR`.
const EXECUTABLE: u64 = 4;
const CALL: u8 = 0x85;
/// `BPF_STX | BPF_ATOMIC`, of four bytes and of eight.
const ATOMIC: [u8; 2] = [0xc3, 0xdb];
/// The last helper of Linux 5.8, `bpf_csum_level`.
const LAST_HELPER: i32 = 135;

/// As in include/uapi/linux/bpf.h.
struct Instruction {
    code: u8,
    source: u8,
    immediate: i32,
}

fn of_elf(bytes: &[u8], at: usize, width: usize) -> usize {
    bytes[at..at + width].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Of all sections with code: those that libbpf loads, and the functions that they call.
fn instructions(elf: &[u8]) -> Vec<Instruction> {
    let (sections, size, count) = (of_elf(elf, 0x28, 8), of_elf(elf, 0x3a, 2), of_elf(elf, 0x3c, 2));
    (0..count)
        .map(|index| &elf[sections + index * size..][..size])
        .filter(|header| of_elf(header, 8, 8) as u64 & EXECUTABLE != 0)
        .flat_map(|header| elf[of_elf(header, 0x18, 8)..][..of_elf(header, 0x20, 8)].chunks_exact(8))
        .map(|raw| Instruction {
            code: raw[0],
            source: raw[1] >> 4,
            immediate: i32::from_le_bytes(raw[4..].try_into().expect("four bytes")),
        })
        .collect()
}

#[test]
fn class_lookups_made_5_10_refuse_all_functions() {
    for (name, object) in [("calls", CALLS), ("functions", FUNCTIONS), ("stacks", STACKS)] {
        let all = instructions(&object.0);
        assert!(all.len() > 50, "{name}: {}", all.len());
        for Instruction { code, source, immediate } in all {
            // Addition without a result: what else is atomic came with 5.12.
            assert!(!ATOMIC.contains(&code) || immediate == 0, "{name}: atomic {immediate:#x}");
            // A helper, not a function of its own.
            assert!(code != CALL || source != 0 || immediate <= LAST_HELPER, "{name}: helper {immediate}");
        }
    }
}

#[test]
fn a_refusal_is_its_end() {
    let said = "libbpf: prog 'on_exit': BPF program load failed: Permission denied\n\
                libbpf: prog 'on_exit': -- BEGIN PROG LOAD LOG --\n0: (bf) r6 = r1\n1: R1 invalid mem access 'scalar'\n\
                processed 5 insns\n-- END PROG LOAD LOG --\nlibbpf: failed to load object\n";
    assert_eq!(
        reason(said),
        "prog 'on_exit': BPF program load failed: Permission denied; 0: (bf) r6 = r1; 1: R1 invalid mem access 'scalar'"
    );
    assert_eq!(reason("libbpf: odd\n"), "libbpf: odd");
    assert_eq!(reason(""), "");
}

#[test]
fn a_namespace_has_a_number() {
    assert_eq!(number("pid:[4026532281]"), Some(4_026_532_281));
    assert_eq!(number("net:[4026532281]"), None);
}

#[test]
fn capabilities_decide() {
    assert!(may_trace("Name:\tx\nCapEff:\t000001ffffffffff\n"));
    assert!(may_trace("CapEff:\t000000c000000000\n"), "CAP_BPF and CAP_PERFMON are enough");
    assert!(!may_trace("CapEff:\t0000008000000000\n"), "CAP_BPF alone is not");
    assert!(!may_trace("CapEff:\t0000000000000000\n"));
}
