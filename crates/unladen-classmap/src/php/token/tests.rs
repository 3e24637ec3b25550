use proptest::prelude::*;

use super::*;

fn words(source: &[u8]) -> Vec<Token<'_>> {
    let mut tokens = Tokens::new(source);
    let mut words = Vec::new();
    loop {
        let token = tokens.next();
        let ends = matches!(token.what, What::End | What::Broken(_));
        words.push(token);
        if ends {
            return words;
        }
    }
}

fn text(source: &str) -> What<'static> {
    let source = format!("<?php {source}");
    match words(source.as_bytes()).swap_remove(0).what {
        What::Text(text) => What::Text(Cow::Owned(text.into_owned())),
        What::Unknown => What::Unknown,
        other => panic!("{other:?}"),
    }
}

#[test]
fn strings_have_their_values() {
    for (written, value) in [
        (r"'a\\b\'c\n'", &br"a\b'c\n"[..]),
        (r#""\x41\101\u{e9}\t\\\$a\q\"""#, "AA\u{e9}\t\\$a\\q\"".as_bytes()),
        (r#""\777\x""#, b"\xff\\x"),
        (r#""$ {a} $1""#, b"$ {a} $1"),
        ("<<<A\nx\ny \\\" \\n\nA", b"x\ny \\\" \n"),
        ("<<<'A'\n$x\\n\nA", b"$x\\n"),
        ("<<<A\nA", b""),
        ("b'x'", b"x"),
    ] {
        assert_eq!(text(written), What::Text(Cow::Owned(value.to_vec())), "{written}");
    }
    for written in [r#""$a[0]""#, r#""$a->b""#, r#""{$a['"']}""#, r#""${a["b"]}""#, "`ls`", "<<<A\n x\n A"] {
        assert_eq!(text(written), What::Unknown, "{written}");
    }
}

#[test]
fn words_come_with_their_lines() {
    let source = b"text <?php // ?>\n<?php\n\\A\\B\n::class /* \n */ => $x?->y 1_0 0x1F 1.5 #[A]\n";
    let found = words(source);
    let expected = [
        (What::Mark(b";"), 1),
        (What::Name(b"\\A\\B"), 3),
        (What::Mark(b"::"), 4),
        (What::Name(b"class"), 4),
        (What::Mark(b"=>"), 5),
        (What::Variable(b"x"), 5),
        (What::Mark(b"?->"), 5),
        (What::Name(b"y"), 5),
        (What::Int(10), 5),
        (What::Int(31), 5),
        (What::Unknown, 5),
        (What::Mark(b"#["), 5),
        (What::Name(b"A"), 5),
        (What::Mark(b"]"), 5),
        (What::End, 6),
    ];
    let expected: Vec<Token<'_>> = expected.into_iter().map(|(what, line)| Token { what, line }).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_template_has_its_variables() {
    let source = br#"<?php "$IP/a{$b}${c}d""#;
    let What::Template(pieces) = words(source).swap_remove(0).what else { panic!("a template") };
    let text = |text: &'static [u8]| string::Piece::Text(Cow::Borrowed(text));
    let variable = string::Piece::Variable;
    assert_eq!(pieces, [variable(b"IP"), text(b"/a"), variable(b"b"), variable(b"c"), text(b"d")]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(source in proptest::collection::vec(any::<u8>(), 0..300)) {
        let source = [b"<?php ", source.as_slice()].concat();
        let found = words(&source);
        prop_assert!(found.len() <= source.len());
        prop_assert!(found.windows(2).all(|pair| pair[0].line <= pair[1].line));
    }

    #[test]
    fn what_is_looked_at_is_what_comes(source in r#"[a-z$'"\\ {}<\[\]?>/*#.=&|0-9\n]{0,80}"#) {
        let source = format!("<?php {source}");
        let mut tokens = Tokens::new(source.as_bytes());
        for _ in 0..source.len() {
            let place = tokens.position();
            let peeked = tokens.peek().clone();
            prop_assert_eq!(&tokens.next(), &peeked);
            tokens.go_back(place);
            prop_assert_eq!(&tokens.next(), &peeked);
        }
    }
}
