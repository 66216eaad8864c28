//! Themes: roles to styles. Read from TOML in `themes/`, embedded; a file of the person's own is read by the
//! caller. A theme without colours still tells everything apart, by bold, reverse and underline.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};

use crate::domain::RiskLevel;

macro_rules! roles {
    ($($name:ident $word:literal $says:literal,)*) => {
        /// What a piece of the screen is, as far as its look goes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role { $(#[doc = $says] $name,)* }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in a theme.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

roles! {
    Text "text" "Ordinary text.",
    Dim "dim" "What matters less.",
    Strong "strong" "What matters more.",
    Accent "accent" "The focus, and keys.",
    Border "border" "Rules between panes.",
    Person "person" "The person's name in the conversation.",
    Model "model" "The model's name in the conversation.",
    Notice "notice" "Sentences of the program's own.",
    Trouble "trouble" "Something went wrong.",
    Good "good" "Something ended well.",
    Low "risk_low" "The badge of a low risk.",
    Medium "risk_medium" "The badge of a medium risk.",
    High "risk_high" "The badge of a high risk.",
    Added "added" "Added text.",
    Removed "removed" "Removed text.",
    Selection "selection" "The selected row.",
    Dialog "dialog" "The frame of a dialog.",
    Keyword "keyword" "A keyword of code.",
    String "string" "A string of code.",
    Number "number" "A number or constant of code.",
    Comment "comment" "A comment of code.",
    Name "name" "A function or type of code.",
    Code "code" "Code without a language.",
    Link "link" "A link.",
}

/// The themes that come with the program, the default first.
pub const THEMES: [(&str, &str); 6] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("ansi16", include_str!("../../themes/ansi16.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
    ("colourblind", include_str!("../../themes/colourblind.toml")),
    ("contrast", include_str!("../../themes/contrast.toml")),
];

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None, or the person wants none.
    None,
    /// Sixteen of the terminal's own.
    Sixteen,
    /// 256 that every terminal agrees on.
    Indexed,
    /// All of them.
    True,
}

/// The themes that come with the program, each with what its file says of it in its first line.
#[must_use]
pub fn themes() -> Vec<(String, String)> {
    let says = |text: &str| text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
    THEMES.iter().map(|(name, text)| ((*name).to_owned(), says(text))).collect()
}

/// A theme.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    name: String,
    colours: bool,
    styles: Vec<Style>,
}

impl Theme {
    /// Reads a theme.
    ///
    /// # Errors
    /// One sentence that names the role and what is wrong with it.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let table: BTreeMap<String, toml::Value> =
            toml::from_str(text).map_err(|error| format!("the theme {name} can't be read: {error}"))?;
        if let Some(key) =
            table.keys().find(|key| *key != "colours" && Role::ALL.iter().all(|role| role.word() != *key))
        {
            return Err(format!("the theme {name} has a role `{key}` that doesn't exist"));
        }
        let styles = Role::ALL
            .iter()
            .map(|role| match table.get(role.word()) {
                Some(value) => style(value).map_err(|why| format!("the theme {name}, role `{}`: {why}", role.word())),
                None => Err(format!("the theme {name} has no role `{}`", role.word())),
            })
            .collect::<Result<_, _>>()?;
        let colours = table.get("colours").and_then(toml::Value::as_bool).unwrap_or(true);
        Ok(Self { name: name.to_owned(), colours, styles })
    }

    /// One of the themes that come with the program.
    ///
    /// # Errors
    /// Names the themes there are.
    pub fn named(name: &str) -> Result<Self, String> {
        let (name, text) = THEMES.iter().find(|(known, _)| *known == name).ok_or_else(|| {
            let known = THEMES.map(|(name, _)| name).join(", ");
            format!("there is no theme `{name}`; choose one of {known}, or name a file")
        })?;
        Self::parse(name, text)
    }

    /// The same theme in as many colours as a terminal has. In sixteen, one that asks for more gives way to the one
    /// that is made of them.
    #[must_use]
    pub fn fitted(self, depth: Depth) -> Self {
        let more = |colour: Option<Color>| matches!(colour, Some(Color::Rgb(..) | Color::Indexed(16..)));
        match depth {
            Depth::Indexed => self.reduced(),
            Depth::Sixteen if self.styles.iter().any(|style| more(style.fg) || more(style.bg)) => {
                Self::named("ansi16").unwrap_or(self)
            }
            Depth::True | Depth::Sixteen => self,
            Depth::None => Self::named("mono").unwrap_or(self),
        }
    }

    /// The same theme in 256 colours.
    fn reduced(mut self) -> Self {
        for style in &mut self.styles {
            style.fg = style.fg.map(reduced);
            style.bg = style.bg.map(reduced);
        }
        self.name.push_str(" in 256 colours");
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it uses colours at all.
    #[must_use]
    pub fn colours(&self) -> bool {
        self.colours
    }

    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The style of a risk's badge.
    #[must_use]
    pub fn risk(&self, level: RiskLevel) -> Style {
        self.style(match level {
            RiskLevel::Low => Role::Low,
            RiskLevel::Medium => Role::Medium,
            RiskLevel::High => Role::High,
        })
    }

    /// A foreign style without its colours, where the theme has none.
    #[must_use]
    pub fn tame(&self, style: Style) -> Style {
        if self.colours { style } else { Style { fg: None, bg: None, underline_color: None, ..style } }
    }
}

impl Default for Theme {
    fn default() -> Self {
        // Every embedded theme is parsed in a test; without styles the terminal's own colours remain.
        Self::named("dark").unwrap_or(Self { name: "none".to_owned(), colours: false, styles: Vec::new() })
    }
}

/// Reads one style: words apart by blanks, such as `cyan bold` or `#ffcc00 on #202020 underline`.
fn style(value: &toml::Value) -> Result<Style, String> {
    let text = value.as_str().ok_or("it must be a text such as \"cyan bold\"")?;
    let mut style = Style::default();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        style = match word {
            "bold" => style.add_modifier(Modifier::BOLD),
            "dim" => style.add_modifier(Modifier::DIM),
            "italic" => style.add_modifier(Modifier::ITALIC),
            "underline" => style.add_modifier(Modifier::UNDERLINED),
            "reverse" => style.add_modifier(Modifier::REVERSED),
            "default" => style,
            "on" => style.bg(colour(words.next().unwrap_or_default())?),
            _ => style.fg(colour(word)?),
        };
    }
    Ok(style)
}

/// The nearest of the 216 colours and 24 greys that 256-colour terminals agree on.
fn reduced(colour: Color) -> Color {
    let Color::Rgb(red, green, blue) = colour else { return colour };
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    if most - least < 16 {
        return Color::Indexed(232 + (most.saturating_sub(8) / 10).min(23));
    }
    // The steps of a channel are 0, 95, 135, 175, 215 and 255.
    let step = |value: u8| if value < 48 { 0 } else { (value.max(75) - 35) / 40 };
    Color::Indexed(16 + 36 * step(red) + 6 * step(green) + step(blue))
}

fn colour(word: &str) -> Result<Color, String> {
    word.parse().map_err(|_| format!("`{word}` is not a colour; use a name such as cyan, a number to 255, or #rrggbb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theme_has_every_role() {
        for (name, text) in THEMES {
            let theme = Theme::parse(name, text).unwrap();
            assert_eq!(theme.styles.len(), Role::ALL.len());
            let risks = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High].map(|level| theme.risk(level));
            assert!(risks[0] != risks[2] && risks[1] != risks[2], "{name}");
        }
    }

    #[test]
    fn without_colours_there_is_none() {
        let theme = Theme::named("light").unwrap().fitted(Depth::None);
        assert!(!theme.colours());
        assert!(Role::ALL.iter().all(|role| theme.style(*role).fg.is_none() && theme.style(*role).bg.is_none()));
    }

    #[test]
    fn sixteen_colours_are_enough_for_every_theme() {
        for (name, text) in THEMES {
            let theme = Theme::parse(name, text).unwrap().fitted(Depth::Sixteen);
            let many = |colour: Option<Color>| matches!(colour, Some(Color::Rgb(..) | Color::Indexed(_)));
            assert!(theme.styles.iter().all(|style| !many(style.fg) && !many(style.bg)), "{name}");
        }
    }

    /// How light a colour is, from 0 to 1, as WCAG counts it.
    fn light(colour: Color) -> f64 {
        let Color::Rgb(red, green, blue) = colour else { panic!("{colour:?}") };
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
    }

    fn contrast(one: Color, other: Color) -> f64 {
        let (one, other) = (light(one), light(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_stands_out_from_the_background_and_from_the_selected_row() {
        let (black, grey, white) = (Color::Rgb(0, 0, 0), Color::Rgb(30, 30, 30), Color::Rgb(255, 255, 255));
        let cases: [(&str, &[Color], f64); 4] = [
            ("dark", &[black, grey], 4.5),
            ("colourblind", &[black, grey], 4.5),
            ("light", &[white], 4.5),
            ("contrast", &[black], 7.0),
        ];
        for (name, grounds, least) in cases {
            let theme = Theme::named(name).unwrap();
            let selected = theme.style(Role::Selection).bg;
            for role in Role::ALL {
                let Some(colour @ Color::Rgb(..)) = theme.style(*role).fg else { continue };
                // Rules between panes say nothing by themselves.
                let least = if *role == Role::Border { 1.5 } else { least };
                for ground in grounds.iter().copied().chain(selected) {
                    let found = contrast(colour, ground);
                    assert!(found >= least, "{name}: {} has {found:.1} on {ground:?}", role.word());
                }
            }
        }
    }

    /// The sixteen colours of xterm and of a bare console, as far as they are used.
    fn sixteen(colour: Color, console: bool) -> Color {
        let (xterm, bare) = match colour {
            Color::Red => ((0xcd, 0, 0), (0xaa, 0, 0)),
            Color::Green => ((0, 0xcd, 0), (0, 0xaa, 0)),
            Color::Cyan => ((0, 0xcd, 0xcd), (0, 0xaa, 0xaa)),
            Color::DarkGray => ((0x7f, 0x7f, 0x7f), (0x55, 0x55, 0x55)),
            Color::LightRed => ((0xff, 0, 0), (0xff, 0x55, 0x55)),
            Color::LightYellow => ((0xff, 0xff, 0), (0xff, 0xff, 0x55)),
            Color::LightMagenta => ((0xff, 0, 0xff), (0xff, 0x55, 0xff)),
            Color::White => ((0xff, 0xff, 0xff), (0xff, 0xff, 0xff)),
            other => panic!("{other:?} is not looked at"),
        };
        let (red, green, blue) = if console { bare } else { xterm };
        Color::Rgb(red, green, blue)
    }

    #[test]
    fn sixteen_colours_stand_out_from_black_and_from_their_own_ground() {
        let theme = Theme::named("ansi16").unwrap();
        for role in Role::ALL {
            let style = theme.style(*role);
            let Some(colour) = style.fg.filter(|colour| *colour != Color::Reset) else { continue };
            for console in [false, true] {
                let ground = style.bg.map_or(Color::Rgb(0, 0, 0), |ground| sixteen(ground, console));
                let least = if *role == Role::Border { 1.5 } else { 4.5 };
                let found = contrast(sixteen(colour, console), ground);
                assert!(found >= least, "{} has {found:.1}, console {console}", role.word());
            }
        }
    }

    #[test]
    fn badges_stand_out_from_their_own_ground() {
        for (name, ground) in [("dark", 0), ("colourblind", 0), ("contrast", 0), ("light", 255)] {
            let theme = Theme::named(name).unwrap();
            for role in Role::ALL {
                let style = theme.style(*role);
                let Some(colour) = style.fg.filter(|_| style.add_modifier.contains(Modifier::REVERSED)) else {
                    continue;
                };
                let found = contrast(Color::Rgb(ground, ground, ground), colour);
                assert!(found >= 4.5, "{name}: {} has {found:.1}", role.word());
            }
        }
    }

    #[test]
    fn true_colours_can_be_reduced() {
        let near = |red, green, blue| reduced(Color::Rgb(red, green, blue));
        assert_eq!(near(255, 0, 0), Color::Indexed(196));
        assert_eq!(near(95, 135, 255), Color::Indexed(69));
        assert_eq!(near(138, 143, 150), Color::Indexed(246));
        assert_eq!(reduced(Color::Cyan), Color::Cyan);
        for (name, text) in THEMES {
            let theme = Theme::parse(name, text).unwrap().reduced();
            assert!(theme.styles.iter().all(|style| !matches!(style.fg, Some(Color::Rgb(..)))));
        }
    }

    #[test]
    fn errors_name_the_role() {
        assert_eq!(
            Theme::parse("x", "txet = \"red\"").unwrap_err(),
            "the theme x has a role `txet` that doesn't exist"
        );
        let missing = THEMES[0].1.replace("dim = ", "#");
        assert_eq!(Theme::parse("x", &missing).unwrap_err(), "the theme x has no role `dim`");
        assert!(Theme::named("neon").unwrap_err().contains("choose one of dark, light"));
    }
}
