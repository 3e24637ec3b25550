use proptest::prelude::*;

use super::*;

fn fields(pairs: &[(&[u8], &[u8])]) -> Fields {
    let mut fields = Fields::default();
    pairs.iter().for_each(|(name, value)| fields.push(name, value));
    fields
}

#[test]
fn what_is_no_question_is_none() {
    for wrong in [
        &b""[..],
        b"ftp",
        b"http;for=here",
        b"http;for=10.0.0.1;for=10.0.0.2",
        b"http;at=a",
        b"http;at=a/07",
        b"http;more",
        b"http;more=1",
        b"http;",
        b"\xff",
        &[b'h'; 300],
    ] {
        assert_eq!(Question::read(&fields(&[(TIER, wrong)])), None, "{wrong:?}");
    }
    assert_eq!(Question::read(&fields(&[(TIER, b"http"), (b"X-Unladen-Tier", b"http")])), None, "there are two");
    assert_eq!(Question::read(&Fields::default()), None);
}

#[test]
fn a_secret_is_the_whole_of_it() {
    let secret = "0123456789abcdef0123456789abcdef";
    assert!(is_secret(&fields(&[(SECRET, secret.as_bytes())]), secret));
    for wrong in
        ["", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeff", "0123456789ABCDEF0123456789ABCDEF"]
    {
        assert!(!is_secret(&fields(&[(SECRET, wrong.as_bytes())]), secret), "{wrong}");
    }
    let twice = fields(&[(SECRET, secret.as_bytes()), (SECRET, secret.as_bytes())]);
    assert!(!is_secret(&twice, secret));
}

#[test]
fn answers_are_told_apart_by_their_labels() {
    let told = |version: Option<&[u8]>| {
        let mut fields = Fields::default();
        Told::of(version).write(&mut fields);
        Told::read(&fields).unwrap()
    };
    assert_eq!(told(None), Told::of(None));
    assert_eq!(told(Some(b"\xff\0 v1")), Told::of(Some(b"\xff\0 v1")));
    assert_ne!(told(Some(b"v1")), Told::of(Some(b"v2")));
    assert_ne!(told(Some(b"")), Told::of(None));
    for wrong in [&b"answers"[..], b"answer;", b"answer;more=1", b"", b"http"] {
        assert_eq!(Told::read(&fields(&[(TIER, wrong)])), None, "{wrong:?}");
    }
}

proptest! {
    #[test]
    fn a_question_is_read_as_it_was_written(
        address in any::<Option<IpAddr>>(),
        is_https in any::<bool>(),
        position in prop::option::of(("[a-zA-Z0-9._-]{1,80}", any::<u64>())),
        only_stored in any::<bool>(),
    ) {
        let position = position.and_then(|(epoch, index)| Position::new(&epoch, index));
        let question = Question { address, is_https, position, only_stored };
        let mut fields = Fields::default();
        question.write(&mut fields);
        prop_assert_eq!(Question::read(&fields), Some(question));
    }

    #[test]
    fn nothing_that_is_read_breaks_it(value in prop::collection::vec(any::<u8>(), 0..400)) {
        let fields = fields(&[(TIER, &value), (SECRET, &value)]);
        let _ = (Question::read(&fields), Told::read(&fields), is_secret(&fields, "0123456789abcdef"));
    }
}
