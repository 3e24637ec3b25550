use super::*;

fn question(text: &str) -> Question {
    Question { parameters: vec![text.to_owned()] }
}

fn version(text: &str) -> Version {
    Some(text.as_bytes().into())
}

#[test]
fn the_last_answer_is_found_while_it_holds() {
    let answers = Answers::new();
    answers.remember(&question("a"), &version("1"), 1, |_| true);
    answers.remember(&question("a"), &version("2"), 2, |_| true);
    answers.remember(&question("b"), &version("3"), 3, |_| true);
    assert_eq!(answers.find(&question("a"), |_| true), Some(version("2")));
    assert_eq!(answers.find(&question("a"), |mark| *mark > 2), None);
    assert_eq!(answers.find(&question("b"), |mark| *mark > 2), Some(version("3")));
    assert_eq!(answers.find(&question("c"), |_| true), None);
}

/// Whoever asks for ever more pages takes no more memory than these places have.
#[test]
fn no_more_are_remembered_than_there_are_places() {
    let answers = Answers::new();
    for number in 0..3 * PLACES {
        answers.remember(&question(&number.to_string()), &version("x"), (), |()| true);
    }
    let found = (0..3 * PLACES).filter(|number| answers.find(&question(&number.to_string()), |()| true).is_some());
    let found = found.count();
    assert!(found <= PLACES && found > PLACES / 2, "{found}");
    let long = "x".repeat(LONGEST);
    answers.remember(&question("long"), &version(&long), (), |()| true);
    assert_eq!(answers.find(&question("long"), |()| true), None);
}
