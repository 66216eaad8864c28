//! Times: as people type them, and as they are printed. In the time zone of this machine; in JSON, in UTC.

use std::sync::OnceLock;

use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// A point in time that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) struct When {
    /// Milliseconds since 1970.
    pub(super) at_ms: i64,
}

/// The offset of this machine's time zone. Asked for before there is a second thread: it can't be told later.
pub(super) fn offset() -> UtcOffset {
    static OFFSET: OnceLock<UtcOffset> = OnceLock::new();
    *OFFSET.get_or_init(|| UtcOffset::current_local_offset().unwrap_or(UtcOffset::UTC))
}

/// Reads `2026-11-22`, `2026-11-22T13:00`, `2026-11-22 13:00:05`, or an age: `30m`, `2h`, `7d`, `2w`.
pub(super) fn parse(text: &str) -> Result<When, String> {
    read(text, OffsetDateTime::now_utc(), offset())
        .map(|at| When { at_ms: i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX) })
        .ok_or_else(|| "say a day (2026-11-22), a time (2026-11-22T13:00) or an age (30m, 2h, 7d, 2w)".to_owned())
}

fn read(text: &str, now: OffsetDateTime, offset: UtcOffset) -> Option<OffsetDateTime> {
    if let Some(unit) = text.chars().last().filter(char::is_ascii_alphabetic) {
        let count: i64 = text[..text.len() - 1].parse().ok().filter(|count| (0..100_000).contains(count))?;
        let age = match unit {
            'm' => Duration::minutes(count),
            'h' => Duration::hours(count),
            'd' => Duration::days(count),
            'w' => Duration::weeks(count),
            _ => return None,
        };
        return now.checked_sub(age);
    }
    let (day, hours) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let [year, month, day] = numbers::<3>(day, '-')?;
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let day = Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok()?;
    let [hour, minute, second] = match hours.matches(':').count() {
        1 => numbers::<2>(hours, ':').map(|[hour, minute]| [hour, minute, 0]),
        _ => numbers::<3>(hours, ':'),
    }?
    .map(|number| u8::try_from(number).ok());
    let time = Time::from_hms(hour?, minute?, second?).ok()?;
    Some(PrimitiveDateTime::new(day, time).assume_offset(offset))
}

fn numbers<const N: usize>(text: &str, between: char) -> Option<[i32; N]> {
    let numbers: Option<Vec<i32>> = text
        .split(between)
        .map(|part| part.parse().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit())))
        .collect();
    numbers?.try_into().ok()
}

/// A time for people: `2026-11-22 13:04:05`.
pub(super) fn shown(at_ms: i64) -> String {
    let at = at(at_ms).to_offset(offset());
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, second) = at.to_hms();
    format!("{year:04}-{:02}-{day:02} {hour:02}:{minute:02}:{second:02}", u8::from(month))
}

/// A time for programs: `2026-11-22T13:04:05.123Z`.
pub(super) fn stamp(at_ms: i64) -> String {
    let at = at(at_ms);
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, second, milli) = at.to_hms_milli();
    format!("{year:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z", u8::from(month))
}

/// A clock that went astray is shown as the beginning of 1970.
fn at(at_ms: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at_ms) * 1_000_000).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_times_and_ages_are_read_and_nothing_else() {
        let now = at(1_700_000_000_000);
        let east = UtcOffset::from_hms(1, 0, 0).unwrap();
        let told = |text: &str| {
            let read = read(text, now, east)?;
            Some(stamp(i64::try_from(read.unix_timestamp_nanos() / 1_000_000).unwrap()))
        };
        assert_eq!(stamp(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        for (text, wanted) in [
            ("2023-11-14", "2023-11-13T23:00:00.000Z"),
            ("2023-11-14T10:30", "2023-11-14T09:30:00.000Z"),
            ("2023-11-14 10:30:05", "2023-11-14T09:30:05.000Z"),
            ("30m", "2023-11-14T21:43:20.000Z"),
            ("2w", "2023-10-31T22:13:20.000Z"),
        ] {
            assert_eq!(told(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["", "d", "-3d", "3y", "yesterday", "2023-13-01", "2023-11-14T25:00", "2023-11-14T10", "é"] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
