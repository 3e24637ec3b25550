//! The function is [`seconds`]: the times that servers write into logs.

/// Seconds since 1970, UTC, of `10/Oct/2026:13:55:36 +0000`, `2026-10-10T13:55:36+00:00` or `1791640536.123`.
pub(crate) fn seconds(text: &[u8]) -> Option<i64> {
    match text {
        [_, _, b'/', ..] => {
            let month = MONTHS.iter().position(|name| text.get(3..6).is_some_and(|found| found == *name))?;
            let year = number(text.get(7..11)?)?;
            instant(
                [year, month as i64 + 1, number(&text[..2])?],
                text.get(12..20)?,
                after_fraction(text.get(20..)?).trim_ascii_start(),
            )
        }
        [_, _, _, _, b'-', ..] => {
            let date = [number(&text[..4])?, number(text.get(5..7)?)?, number(text.get(8..10)?)?];
            instant(date, text.get(11..19)?, after_fraction(text.get(19..)?))
        }
        _ => {
            let whole = &text[..memchr::memchr(b'.', text).unwrap_or(text.len())];
            // nginx' $msec and Caddy's ts have seconds; a number of milliseconds has three digits more.
            let value = number(whole)?;
            Some(if whole.len() > 11 { value / 1000 } else { value })
        }
    }
}

const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// What follows the fraction of a second, if there is one.
fn after_fraction(text: &[u8]) -> &[u8] {
    let is_fraction = |byte: &&u8| matches!(byte, b'.' | b',' | b'0'..=b'9');
    &text[text.iter().take_while(is_fraction).count()..]
}

fn instant([year, month, day]: [i64; 3], clock: &[u8], zone: &[u8]) -> Option<i64> {
    let [hour, minute, second] = [number(&clock[..2])?, number(&clock[3..5])?, number(&clock[6..8])?];
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = match zone {
        [sign @ (b'+' | b'-'), digits @ ..] => {
            let minutes = digits.get(2).filter(|byte| **byte == b':').map_or(2, |_| 3);
            let ahead = 3600 * number(digits.get(..2)?)? + 60 * number(digits.get(minutes..minutes + 2)?)?;
            if *sign == b'-' { -ahead } else { ahead }
        }
        _ => 0,
    };
    // Days since 1970 of a date in the Gregorian calendar (Fliegel and Van Flandern, 1968, by years from March).
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(86_400 * days + 3600 * hour + 60 * minute + second - offset)
}

fn number(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 15 {
        return None;
    }
    text.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| 10 * sum + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests;
