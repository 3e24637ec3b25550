use super::*;

fn file(text: &str) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

#[test]
fn a_log_is_whole_once_its_last_line_is() {
    let end = "{\"end\":{\"frames\":0,\"stacks\":0,\"samples\":0,\"events\":0}}\n";
    assert!(is_whole(&file(&format!("{{\"unladen\":1}}\n{}\n{end}", "x".repeat(5000)))).unwrap());
    for cut in 1..end.len() {
        assert!(!is_whole(&file(&format!("{{\"unladen\":1}}\n{}", &end[..cut]))).unwrap(), "{cut}");
    }
    assert!(!is_whole(&file("")).unwrap());
    assert!(!is_whole(&file(&format!("{end}{{\"frame\":[\"a\",\"b\",1,\"function\"]}}\n"))).unwrap());
}

#[test]
fn who_writes_holds_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let ours = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    assert!(is_free(&ours).unwrap());
    let theirs = File::options().write(true).open(&path).unwrap();
    let theirs = Flock::lock(theirs, FlockArg::LockExclusiveNonblock).unwrap();
    assert!(!is_free(&ours).unwrap());
    drop(theirs);
    assert!(is_free(&ours).unwrap());
    // To look does not keep them out.
    let theirs = File::options().write(true).open(&path).unwrap();
    assert!(Flock::lock(theirs, FlockArg::LockExclusiveNonblock).is_ok());
}

#[test]
fn tokens_are_what_the_file_in_php_expects() {
    let tokens = [token().unwrap(), token().unwrap()];
    assert_ne!(tokens[0], tokens[1]);
    for token in tokens {
        assert!(token.len() == 32 && token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{token}");
    }
}
