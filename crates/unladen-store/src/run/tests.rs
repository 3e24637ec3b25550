use proptest::prelude::*;

use super::*;

#[test]
fn a_number_is_read_strictly() {
    assert_eq!("12".parse(), Ok(RunId::new(12).unwrap()));
    assert_eq!("012".parse::<RunId>().unwrap().to_string(), "12");
    for text in ["", "0", "-1", "+1", "1.0", " 1", "x", "9223372036854775808", "99999999999999999999999", "١"] {
        let error = text.parse::<RunId>().unwrap_err().to_string();
        assert_eq!(
            error,
            format!("`{text}` is not the number of a run: use one that `unladen runs` shows, such as 12")
        );
    }
    assert_eq!("9223372036854775807".parse::<RunId>().unwrap().column(), i64::MAX);
    assert_eq!((RunId::of_column(0), RunId::of_column(-5)), (None, None));
}

proptest! {
    #[test]
    fn a_position_is_read_as_it_is_written(time_ns: i64, id in 1_u64..=1 << 62) {
        let position = Position { time_ns, id: RunId::new(id).unwrap() };
        prop_assert_eq!(position.to_string().parse(), Ok(position));
    }

    #[test]
    fn other_texts_are_refused(text in "\\PC{0,200}") {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert!(text.ends_with(&position.id.to_string()));
        }
    }
}

#[test]
fn what_is_no_position_is_said() {
    for text in ["", "12", "12-", "-12", "1-0", "1-2-", "1--2", "x-1"] {
        assert!(text.parse::<Position>().unwrap_err().to_string().starts_with(&format!("`{text}` is not the end")));
    }
}
