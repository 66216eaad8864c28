//! Numbers that only look random, for generated statements: the same in every run.

#![allow(clippy::unwrap_used)]

/// A linear congruential generator.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// One of the texts.
    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[usize::try_from(self.roll(choices.len() as u64)).unwrap()]
    }
}
