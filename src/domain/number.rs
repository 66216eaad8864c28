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

/// A size in the largest fitting unit: `512 B`, `14 kB`, `3.2 MB`.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
        _ => format!("{}.{} GB", thousands(bytes / 1_000_000_000), bytes % 1_000_000_000 / 100_000_000),
    }
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
            ["512 B", "14 kB", "3.2 MB", "1.5 GB"],
            [512, 14_300, 3_200_000, 1_500_000_000].map(size).each_ref().map(String::as_str)
        );
        assert_eq!((count(1, "line"), count(1_204, "line")), ("1 line".to_owned(), "1,204 lines".to_owned()));
    }
}
