use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn learnt(bodies: &[&str]) -> Template {
    let mut template = Template::new(bodies[0].as_bytes());
    bodies[1..].iter().for_each(|body| template.learn(body.as_bytes()));
    template
}

/// So much stays as it is that a few changes are set aside.
fn page(token: &str, rows: &[&str], user: &str) -> String {
    let rows = rows.concat();
    format!(
        "<html>\n<body>\n<p>Welcome to a page with a long text that stays as it is</p>\n<input value={token}>\n\
         <ul>\n{rows}</ul>\n<p>{user}</p>\n<p>And another long text that stays as it is, whoever asks</p>\n</html>\n"
    )
}

#[test]
fn a_token_is_set_aside_and_a_name_is_not() {
    let template = learnt(&[&page("a1", &[], "nobody"), &page("b2", &[], "nobody")]);
    assert_eq!(template.fits(page("c3", &[], "nobody").as_bytes()), Some(true));
    assert_eq!(template.fits(page("c3", &[], "Anna").as_bytes()), Some(false));
    assert_eq!(template.fits(page("c3", &["<li>new</li>\n"], "nobody").as_bytes()), Some(false));
}

#[test]
fn a_token_in_one_long_line_does_not_set_aside_the_line() {
    let flat = |token, user| page(token, &[], user).replace('\n', "");
    let template = learnt(&[&flat("a1", "nobody"), &flat("b2", "nobody")]);
    assert_eq!(template.fits(flat("c3", "nobody").as_bytes()), Some(true));
    assert_eq!(template.fits(flat("c3", "Anna").as_bytes()), Some(false));
}

#[test]
fn rows_that_come_and_go_are_set_aside_all_at_once() {
    let rows = ["<li>a</li>\n", "<li>b</li>\n", "<li>c</li>\n"];
    let template =
        learnt(&[&page("a1", &rows[..1], "nobody"), &page("b2", &rows, "nobody"), &page("c3", &[], "nobody")]);
    let other = ["<li>x</li>\n", "<li>y</li>\n"];
    assert_eq!(template.fits(page("d4", &other, "nobody").as_bytes()), Some(true));
    assert_eq!(template.fits(page("d4", &other, "Anna").as_bytes()), Some(false));
}

#[test]
fn of_a_page_that_changes_altogether_nothing_can_be_said() {
    assert_eq!(learnt(&["1234\n", "5678\n"]).fits(b"9012\n"), None);
    assert_eq!(learnt(&["a\n1234567\n", "a\n89\n"]).fits(b"a\n0\n"), None);
}

#[test]
fn an_empty_page_is_like_an_empty_page() {
    assert_eq!(learnt(&["", ""]).fits(b""), Some(true));
    assert_eq!(learnt(&["", ""]).fits(b"a"), Some(false));
}

#[test]
fn gaps_before_what_is_all_over_the_page_come_to_an_end() {
    let tokens: Vec<Token> = std::iter::repeat_n([Token::Many, pieces(b"a\n").next().map(Token::Fixed).unwrap()], 10)
        .flatten()
        .chain(pieces(b"end\n").map(Token::Fixed))
        .collect();
    let body = b"a\n".repeat(20_000);
    assert_eq!(fits(&tokens, &pieces(&body).collect::<Vec<_>>()), Some(false));
}

/// Bodies of few different lines: the hard case, as hardly any is unique.
fn body() -> impl Strategy<Value = String> {
    vec(prop_oneof!["[a-d]\n", "[a-z]{3}\n", Just("</p>".to_owned()), Just("x,".to_owned())], 0..40)
        .prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn what_was_learnt_from_an_answer_fits_it(bodies in vec(body(), 1..6)) {
        let mut template = Template::new(bodies[0].as_bytes());
        for (count, body) in bodies.iter().enumerate() {
            template.learn(body.as_bytes());
            for seen in &bodies[..=count] {
                let pieces: Vec<_> = pieces(seen.as_bytes()).collect();
                prop_assert_eq!(fits(&template.tokens, &pieces), Some(true), "{:?} after {:?}", seen, body);
            }
        }
    }

    #[test]
    fn an_answer_seen_twice_teaches_nothing(body in body()) {
        let mut template = Template::new(body.as_bytes());
        template.learn(body.as_bytes());
        prop_assert_eq!(&template, &Template::new(body.as_bytes()));
        prop_assert_eq!(template.fits(body.as_bytes()), Some(true));
    }

    #[test]
    fn lines_that_change_anyway_are_set_aside_and_no_others(
        // The stable lines differ in length from all that is put between them.
        stable in vec("[a-z]{30,60}", 2..30),
        places in vec(any::<prop::sample::Index>(), 0..4),
        tokens in vec("[0-9]{8}", 3 * 4),
        altered in any::<prop::sample::Index>(),
    ) {
        let places: Vec<_> = places.iter().map(|place| place.index(stable.len())).collect();
        let page = |answer: usize, altered: Option<usize>| {
            let mut page = String::new();
            for (number, line) in stable.iter().enumerate() {
                // Numbered, so that a line that is taken for another one would be seen.
                let text = if altered == Some(number) { "altered, by whatever was asked" } else { line };
                page.push_str(&format!("{number} {text}\n"));
                for (place, _) in places.iter().enumerate().filter(|(_, place)| **place == number) {
                    page.push_str(&format!("token {}\n", tokens[answer * 4 + place]));
                }
            }
            page
        };
        let mut template = Template::new(page(0, None).as_bytes());
        template.learn(page(1, None).as_bytes());
        prop_assert_eq!(template.fits(page(2, None).as_bytes()), Some(true));
        let altered = page(2, Some(altered.index(stable.len())));
        prop_assert_eq!(template.fits(altered.as_bytes()), Some(false));
    }

    #[test]
    fn no_bytes_make_it_panic(a: Vec<u8>, b: Vec<u8>, c: Vec<u8>) {
        let mut template = Template::new(&a);
        template.learn(&b);
        let _ = template.fits(&c);
    }
}
