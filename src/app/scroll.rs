//! A scroll position that never jumps: it follows the end, or stays where the person put it.

/// How far a pane is scrolled, in rows from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scroll {
    /// First visible row, unless it follows.
    pub top: usize,
    /// Keeps the end in view.
    pub follow: bool,
}

impl Scroll {
    /// At the end, following.
    pub const END: Self = Self { top: 0, follow: true };
    /// At the start.
    pub const START: Self = Self { top: 0, follow: false };

    /// The first visible row of `rows` in a pane that shows `height` of them.
    #[must_use]
    pub fn first(self, rows: usize, height: usize) -> usize {
        let last = rows.saturating_sub(height);
        if self.follow { last } else { self.top.min(last) }
    }

    /// Moves by rows; `limit` is the furthest first row. Reaching the end follows again if `sticky`.
    pub fn by(&mut self, rows: isize, limit: usize, sticky: bool) {
        let from = if self.follow { limit } else { self.top.min(limit) };
        self.top = from.saturating_add_signed(rows).min(limit);
        self.follow = sticky && self.top == limit && (rows > 0 || self.follow);
    }

    /// To the start.
    pub fn to_start(&mut self) {
        *self = Self::START;
    }

    /// To a row, following no more.
    pub fn to_row(&mut self, row: usize) {
        *self = Self { top: row, follow: false };
    }

    /// To the end, following if `sticky`.
    pub fn to_end(&mut self, limit: usize, sticky: bool) {
        *self = Self { top: limit, follow: sticky };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_up_stays_and_reaching_the_end_follows_again() {
        let mut scroll = Scroll::END;
        scroll.by(-3, 10, true);
        assert_eq!(scroll, Scroll { top: 7, follow: false });
        assert_eq!(scroll.first(100, 20), 7);
        scroll.by(3, 10, true);
        assert!(scroll.follow);
        assert_eq!(scroll.first(100, 20), 80);
    }
}
