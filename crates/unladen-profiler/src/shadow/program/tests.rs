use super::*;

#[test]
fn an_environment_is_taken_as_it_is() {
    let taken = variables(b"A=1\0B=\0=x\0no\0C=a=b\xff\0");
    let expected = [(&b"A"[..], &b"1"[..]), (b"B", b""), (b"C", b"a=b\xff")];
    let expected: Vec<(OsString, OsString)> = expected
        .iter()
        .map(|(name, value)| (OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
        .collect();
    assert_eq!(taken, expected);
}

#[test]
fn a_program_that_was_upgraded_is_the_one_of_now() {
    assert_eq!(without_deleted(Path::new("/usr/bin/perl (deleted)")), Path::new("/usr/bin/perl"));
    assert_eq!(without_deleted(Path::new("/usr/bin/perl")), Path::new("/usr/bin/perl"));
}
