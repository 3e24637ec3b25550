use super::*;

#[test]
fn whole_words_in_any_case_wherever_they_are() {
    let all = |source: &[u8]| {
        let mut from = 0;
        std::iter::from_fn(|| {
            let (at, word) = Word::next(source, from)?;
            from = at + word.length();
            Some((at, word))
        })
        .collect::<Vec<_>>()
    };
    for (word, text) in Word::ALL {
        assert_eq!(text.len(), word.length());
        for lead in 0..40 {
            for tail in [0, 1, 30] {
                let source = [&vec![b' '; lead], text, &vec![b';'; tail]].concat();
                assert_eq!(all(&source), [(lead, word)]);
                assert_eq!(all(&source.to_ascii_uppercase()), [(lead, word)]);
                let source = [&vec![b'_'; lead + 1], text].concat();
                assert_eq!(all(&source), []);
                let source = [text, &vec![b'9'; tail + 1]].concat();
                assert_eq!(all(&source), []);
            }
        }
    }
    for none in [
        "$class",
        r"\class",
        r"class\a",
        "class\u{80}",
        "classes",
        "subclass",
        "int",
        "",
        "_class",
        "\u{7f}\u{7f}halt_compiler",
    ] {
        assert_eq!(all(none.as_bytes()), [], "{none}");
    }
    assert_eq!(
        all(br"\class_alias class?enum:trait"),
        [(1, Word::ClassAlias), (13, Word::Class), (19, Word::Enum), (24, Word::Trait)]
    );
}
