//! Figures for people: thousands apart, durations and sizes short. Pure formatting, called wherever figures are told.

/// A whole number with its thousands apart: `1,204`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its word: `1 line`, `1,204 lines`.
pub fn count(number: impl TryInto<u64>, one: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {one}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// A duration in the largest fitting unit: `4 ms`, `2.1 s`, `3 min 05 s`, `1 h 02 min`.
pub fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..60 => format!("{seconds}.{} s", milliseconds % 1_000 / 100),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", thousands(seconds / 3_600), seconds % 3_600 / 60),
    }
}

/// How long something has been under way, in whole seconds, so that it changes calmly: `12 s`, `3 min 05 s`. Empty in
/// the first one.
pub fn elapsed(milliseconds: u64) -> String {
    match milliseconds / 1_000 {
        0 => String::new(),
        seconds @ 1..60 => format!("{seconds} s"),
        _ => duration(milliseconds),
    }
}

/// A size in the largest fitting unit, rounded: `512 B`, `1.9 kB`, `14 kB`, `3.2 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..9_950 => format!("{} kB", tenths(bytes, 1_000)),
        9_950..999_500 => format!("{} kB", (bytes + 500) / 1_000),
        999_500..999_950_000 => format!("{} MB", tenths(bytes, 1_000_000)),
        _ => format!("{} GB", tenths(bytes, 1_000_000_000)),
    }
}

/// A number of tokens: `8,120 tokens`, `12k tokens`, `1.3M tokens`.
pub fn tokens(number: u64) -> String {
    match number {
        0..10_000 => count(number, "token"),
        10_000..999_500 => format!("{}k tokens", (number + 500) / 1_000),
        _ => format!("{}M tokens", tenths(number, 1_000_000)),
    }
}

/// A part of a whole in percent, rounded to tenths: `0.4`. Neither all nor nothing is said of what is only close to it.
pub fn percent(part: u64, whole: u64) -> String {
    let thousandths = (u128::from(part) * 2_000 + u128::from(whole)) / (u128::from(whole.max(1)) * 2);
    let thousandths = match thousandths {
        0 if part > 0 => return "less than 0.1".to_owned(),
        1_000.. if part < whole => 999,
        thousandths => thousandths,
    };
    format!("{}.{}", thousandths / 10, thousandths % 10)
}

/// How many of a unit, rounded to tenths.
fn tenths(number: u64, unit: u64) -> String {
    let tenths = number.saturating_add(unit / 20) / (unit / 10);
    format!("{}.{}", thousands(tenths / 10), tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_readable() {
        assert_eq!(
            ["0", "999", "1,204", "18,446,744,073,709,551,615"],
            [0, 999, 1_204, u64::MAX].map(thousands).each_ref().map(String::as_str)
        );
        assert_eq!(
            ["4 ms", "2.1 s", "3 min 05 s", "1 h 02 min"],
            [4, 2_140, 185_000, 3_720_000].map(duration).each_ref().map(String::as_str)
        );
        assert_eq!(
            ["", "1 s", "59 s", "3 min 05 s"],
            [999, 1_000, 59_999, 185_000].map(elapsed).each_ref().map(String::as_str)
        );
        assert_eq!(
            ["512 B", "1.9 kB", "10 kB", "14 kB", "1.0 MB", "3.2 MB", "1.0 GB", "1.5 GB"],
            [512, 1_941, 9_950, 14_300, 999_500, 3_240_000, 999_950_000, 1_500_000_000]
                .map(size)
                .each_ref()
                .map(String::as_str)
        );
        assert_eq!(
            ["1 token", "12k tokens", "1.3M tokens"],
            [1, 12_300, 1_290_000].map(tokens).each_ref().map(String::as_str)
        );
        assert_eq!(
            ["0.0", "less than 0.1", "0.4", "99.9", "100.0"],
            [(0, 9), (1, 9_999), (35, 10_000), (9_999, 10_000), (7, 7)]
                .map(|(part, whole)| percent(part, whole))
                .each_ref()
                .map(String::as_str)
        );
        assert_eq!((count(1, "line"), count(1_204, "line")), ("1 line".to_owned(), "1,204 lines".to_owned()));
    }
}
