use super::*;

const S: Duration = Duration::from_secs(1);

#[test]
fn time_is_told_of_all_that_is_planned() {
    assert_eq!(times(15 * S, 12 * S, Some(60 * S), 0.2), "15 of 63 s", "3 s of warm-up");
    assert_eq!(times(66 * S, 63 * S, Some(60 * S), 1.0), "66 s, 63 planned", "it takes longer, and that is told");
    assert_eq!(times(12 * S, 10 * S, None, 0.25), "12 of about 42 s");
    assert_eq!(times(12 * S, 10 * S, None, 0.0), "12 s");
    assert_eq!(times(12 * S, 10 * S, Some(Duration::MAX), 0.0).split(' ').next(), Some("12"));
}

#[test]
fn the_line_fits_whatever_is_said() {
    let words = "15 of 63 s  1,204 answered, 80/s, 0 errors  p50 19.1 ms, p99 25.1 ms ±";
    for width in [1, 10, 20, 40, 60, 80, 120, 200] {
        for done in [None, Some(0.0), Some(0.5), Some(1.0), Some(7.0), Some(f64::NAN)] {
            for is_ascii in [false, true] {
                let line = line(done, words, width, is_ascii);
                assert!(line.chars().count() < width.max(4), "{width}: {line}");
                assert!(!is_ascii || line.is_ascii(), "{line}");
            }
        }
    }
    assert_eq!(line(Some(0.5), "1 of 2 s", 80, true), format!("{}{} 1 of 2 s", "#".repeat(12), ".".repeat(12)));
    assert_eq!(line(None, "warming up", 8, false), "warmin…");
}

#[test]
fn a_name_with_escape_sequences_tells_the_terminal_nothing() {
    assert_eq!(line(None, "db/a\x1b[2Jb\nc", 80, false), "db/a [2Jb c");
    assert_eq!(line(None, "db/a\x1b[2Jb\u{9b}c", 80, true).matches(char::is_control).count(), 0);
}
