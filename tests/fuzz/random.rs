//! Random choices from a seed: the same seed, the same inputs.

/// A generator of random numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap_or_default() % bound.max(1)
    }

    /// Once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub fn pick<'a, T: ?Sized>(&mut self, all: &'a [&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// One of these.
    pub fn of<'a>(&mut self, all: &'a [String]) -> &'a str {
        &all[self.below(all.len())]
    }

    /// A place between two characters.
    pub fn place(&mut self, text: &str) -> usize {
        let mut place = self.below(text.len() + 1);
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        place
    }
}

/// Changes a text in a few places: takes out, doubles, puts in, takes from another one.
pub fn mutated(random: &mut Random, text: &str, others: &[String], marks: &[&str]) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let (one, two) = (random.place(&text), random.place(&text));
        let (start, end) = (one.min(two), one.max(two));
        match random.below(7) {
            0 => text.replace_range(start..end, ""),
            1 => text = [&text[..end], &text[start..]].concat(),
            2 | 3 => text.insert_str(start, random.pick(marks)),
            4 => {
                let other = random.of(others);
                let from = random.place(other);
                text.insert_str(start, &other[from..]);
            }
            5 => {
                let words: Vec<&str> = text.split(' ').collect();
                let other: Vec<&str> = random.of(others).split(' ').collect();
                let at = random.below(words.len());
                let word = other[random.below(other.len())];
                text = [&words[..at], &[word], &words[at + 1..]].concat().join(" ");
            }
            _ => text = format!("{text}{}{}", random.pick(marks), random.of(others)),
        }
        if text.len() > 4096 {
            break;
        }
    }
    text
}

/// Characters of every kind, and broken UTF-8 made whole.
pub fn noise(random: &mut Random) -> String {
    const HOSTILE: &[u8] = b"\0\x1b\r\n\t\x7f\xe2\x80\xae\xc2\xa0";
    const SIGNS: &[u8] = b" '\"`$(){}[];|&<>\\#!~*?=-/.,:%+@^aexst019";
    let length = random.below(200);
    let bytes: Vec<u8> = (0..length)
        .map(|_| match random.below(4) {
            0 => u8::try_from(random.below(256)).unwrap_or_default(),
            1 => HOSTILE[random.below(HOSTILE.len())],
            _ => SIGNS[random.below(SIGNS.len())],
        })
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
