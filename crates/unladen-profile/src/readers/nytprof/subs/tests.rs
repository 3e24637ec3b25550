use super::*;

#[test]
fn what_is_compiled_again_at_a_place_is_the_same() {
    let clean = |name| without_eval_numbers(name).into_owned();
    assert_eq!(clean("main::__ANON__[(eval 12)[a.pl:6]:1]"), "main::__ANON__[(eval 0)[a.pl:6]:1]");
    assert_eq!(clean("a[(eval 3)[(eval 22)[a.pl:6]:1]:9]"), "a[(eval 0)[(eval 0)[a.pl:6]:1]:9]");
    assert_eq!(clean("a[(re_eval 3)[a.pl:6]]"), "a[(re_eval 0)[a.pl:6]]");
    for same in ["medieval 3::x", "(eval 3)", "(eval 3)[a.pl]", "(eval x)[a.pl:3]", "eval 3)[a.pl:3]", "(eval 3)[:3]"] {
        assert_eq!(clean(same), same);
    }
}
