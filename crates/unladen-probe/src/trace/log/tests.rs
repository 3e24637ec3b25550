use super::reason;

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
