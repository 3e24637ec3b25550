//! Converts MySQL's values to text.

use mysql_async::Value;

use crate::Version;

/// The value's text: different values of a type have different texts.
pub(super) fn version(value: Value) -> Version {
    let text = match value {
        Value::NULL => return None,
        Value::Bytes(bytes) => return Some(bytes.into()),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Date(year, month, day, hour, minute, second, micros) => {
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}")
        }
        Value::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if negative { "-" } else { "" };
            format!("{sign}{}:{minutes:02}:{seconds:02}.{micros:06}", u64::from(days) * 24 + u64::from(hours))
        }
    };
    Some(text.into_bytes().into())
}
