//! Tests of what fits a type.

use super::*;

#[test]
fn what_the_server_reads_is_never_held_back() {
    for (kind, texts) in [
        (Type::INT4, &["12", " 12 ", "+12", "-2147483648", "2147483647", "0x1F", "1_000", "0b1"][..]),
        (Type::INT8, &["9223372036854775807", "-9223372036854775808"]),
        (Type::UUID, &["a0eebc999c0b4ef8bb6d6bb9bd380a11", "{A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11}"]),
        (Type::FLOAT8, &["1", ".5", "-1e10", " NaN", "-Infinity", "inf"]),
        (Type::NUMERIC, &["1.10", "-.1", "NaN"]),
        (Type::TEXT, &["", "abc"]),
    ] {
        for text in texts {
            assert!(fits(text, &kind), "{kind} {text}");
        }
    }
    for (kind, texts) in [
        (Type::INT2, &["32768", "-32769", "x", "", " ", "-", "12a", "1.0", "१२"][..]),
        (Type::INT4, &["2147483648", "abc"]),
        (Type::INT8, &["9223372036854775808", "99999999999999999999999"]),
        (Type::OID, &["-1", "4294967296"]),
        (Type::UUID, &["abc", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "a0eebc999c0b4ef8bb6d6bb9bd380a11ff"]),
        (Type::FLOAT8, &["abc", "", "-"]),
    ] {
        for text in texts {
            assert!(!fits(text, &kind), "{kind} {text}");
        }
    }
}

#[test]
fn times_and_numbers_are_labels_that_can_be_read() {
    let shown = |raw: &[u8], kind: Type| String::from_utf8_lossy(&version(raw, &kind)).into_owned();
    assert_eq!(shown(&(-7_i64).to_be_bytes(), Type::INT8), "-7");
    assert_eq!(shown(&17_i32.to_be_bytes(), Type::INT4), "17");
    assert_eq!(shown(&1_714_550_400.5_f64.to_be_bytes(), Type::FLOAT8), "1714550400.5");
    assert_eq!(shown(&767_865_600_000_001_i64.to_be_bytes(), Type::TIMESTAMPTZ), "1714550400.000001");
    assert_eq!(version(&i64::MAX.to_be_bytes(), &Type::TIMESTAMPTZ).len(), 8);
    assert_eq!(shown(b"abc", Type::TEXT), "abc");
    // As PostgreSQL sends them: digits, weight, sign, scale, digits.
    let numeric =
        |words: &[u16]| shown(&words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>(), Type::NUMERIC);
    assert_eq!(numeric(&[3, 2, 0, 6, 17, 1455, 400]), "1714550400.000000");
    assert_eq!(numeric(&[4, 2, 0, 6, 17, 1455, 400, 1234]), "1714550400.123400");
    assert_eq!(numeric(&[1, 0, 0x4000, 0, 5]), "-5");
    assert_eq!(numeric(&[0, 0, 0, 0]), "0");
    assert_eq!(numeric(&[1, -2_i16 as u16, 0, 8, 7]), "0.00000007");
    assert_ne!(numeric(&[0, 0, 0xC000, 0]), "0");
}
