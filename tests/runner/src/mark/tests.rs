use super::*;

#[test]
fn a_program_says_so_in_its_first_lines_and_says_why() {
    let marked = "//! Weights.\n//!\n//! Measures: CPU time of php-fpm.\n//! Waits: for phases to end.\n\nuse a;\n";
    assert!(Mark::Measures.is_in(marked) && Mark::Waits.is_in(marked));
    assert!(!Mark::Long.is_in(marked));
    assert!(!Mark::Measures.is_in("//! Weights.\n\nuse a;\n//! Measures: CPU time.\n"));
    assert!(!Mark::Measures.is_in("//! It measures nothing.\n"));
    assert!(!Mark::Long.is_in("//! Long\n"));
    assert!(!Mark::Measures.is_in(""));
}
