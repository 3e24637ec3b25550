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
