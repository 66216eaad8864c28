//! Keys to commands, by where the person is. Parses the keymap's text; help and footer are read from it.

use std::collections::BTreeMap;

use crossterm::event::KeyEvent;

use super::key::{Key, Keys};

/// Where the person is, as far as keys are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Context {
    /// Behind every pane's own keys.
    Everywhere,
    /// Typing a message.
    Composer,
    /// Reading the conversation.
    Chat,
    /// In the list of operations.
    Queue,
    /// Reading output.
    Output,
    /// In a dialog about an operation.
    Dialog,
    /// In a dialog, making a rule.
    Remember,
    /// Editing an operation.
    Editor,
    /// Choosing from a list.
    Picker,
    /// Typing into the terminal of an operation.
    Terminal,
}

impl Context {
    /// Every context, in the order of help.
    pub const ALL: [Self; 10] = [
        Self::Everywhere,
        Self::Composer,
        Self::Chat,
        Self::Queue,
        Self::Output,
        Self::Dialog,
        Self::Remember,
        Self::Editor,
        Self::Picker,
        Self::Terminal,
    ];

    /// Its name in the keymap.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Everywhere => "everywhere",
            Self::Composer => "composer",
            Self::Chat => "chat",
            Self::Queue => "queue",
            Self::Output => "output",
            Self::Dialog => "dialog",
            Self::Remember => "remember",
            Self::Editor => "editor",
            Self::Picker => "list",
            Self::Terminal => "terminal",
        }
    }

    /// Whether its keys are pressed in a pane, with nothing floating above.
    #[must_use]
    pub fn in_panes(self) -> bool {
        matches!(self, Self::Everywhere | Self::Composer | Self::Chat | Self::Queue | Self::Output)
    }

    /// Where that is, in a few words.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Everywhere => "everywhere",
            Self::Composer => "typing a message",
            Self::Chat => "in the chat",
            Self::Queue => "in the operations",
            Self::Output => "in the output",
            Self::Dialog => "in a dialog",
            Self::Remember => "making a rule",
            Self::Editor => "editing an operation",
            Self::Picker => "in a list",
            Self::Terminal => "typing into a terminal",
        }
    }
}

macro_rules! commands {
    ($($name:ident $word:literal $says:literal,)*) => {
        /// What a key can mean.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Command { $(#[doc = $says] $name,)* }

        impl Command {
            /// Every command.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in the keymap.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What it does, for help and footer.
            #[must_use]
            pub fn says(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
            }
        }
    };
}

commands! {
    NextPane "next-pane" "next pane",
    PreviousPane "previous-pane" "previous pane",
    FocusComposer "focus-composer" "type a message",
    FocusQueue "focus-queue" "to the operations",
    FocusOutput "focus-output" "to the output",
    FocusChat "focus-chat" "to the chat",
    Zoom "zoom" "one pane alone, or all",
    Back "back" "stop or close",
    Interrupt "interrupt" "stop, twice to leave",
    Quit "quit" "leave",
    Redraw "redraw" "redraw",
    Help "help" "keys",
    Palette "palette" "all commands",
    Unasked "unasked" "what ran unasked",
    StopAll "stop-all" "stop everything, then all asks",
    PageUp "page-up" "page up",
    PageDown "page-down" "page down",
    HalfUp "half-up" "half a page up",
    HalfDown "half-down" "half a page down",
    LineUp "line-up" "up",
    LineDown "line-down" "down",
    ColumnLeft "column-left" "left",
    ColumnRight "column-right" "right",
    ToStart "to-start" "to the start",
    ToEnd "to-end" "to the end",
    Find "find" "find, or filter rows",
    FindNext "find-next" "next match",
    FindPrevious "find-previous" "match before",
    Follow "follow" "follow or hold",
    Wrap "wrap" "wrap lines",
    Save "save" "save to a file",
    Pager "pager" "show in the pager",
    SortRows "sort-rows" "sort by the column",
    Wider "wider" "wider column",
    Narrower "narrower" "narrower column",
    Separators "separators" "1,000 or 1000",
    Chart "chart" "as a chart",
    Totals "totals" "sums, averages, counts, rows",
    NextTurn "next-turn" "next turn",
    PreviousTurn "previous-turn" "turn before",
    NextEntry "next-entry" "choose the next entry",
    PreviousEntry "previous-entry" "choose the entry before",
    Fold "fold" "unfold or fold a call",
    CopyCode "copy-code" "copy its code, again the one before",
    Send "send" "send",
    Newline "newline" "new line",
    HistoryBack "history-back" "older message",
    HistoryForward "history-forward" "newer message",
    History "history" "earlier messages",
    Unfold "unfold" "unfold what was pasted",
    AnswerYes "answer-yes" "answer yes",
    AnswerNo "answer-no" "answer no",
    Open "open" "open",
    Choose "choose" "choose",
    Approve "approve" "approve",
    Deny "deny" "deny",
    DenyWithReason "deny-with-reason" "deny with a reason",
    Edit "edit" "edit",
    Skip "skip" "next one, undecided",
    ApproveAll "approve-all" "approve all",
    Gentle "gentle" "of all: only low and medium",
    DenyAll "deny-all" "deny all",
    Pick "pick" "pick by number, 1,3-5",
    Remember "remember" "remember: don't ask again",
    Never "never" "never: deny from now on",
    Derivation "derivation" "why, step by step",
    ShowSecrets "show-secrets" "show or mask secrets",
    Try "try" "try it, then roll back",
    Details "details" "details",
    Mark "mark" "mark",
    Filter "filter" "filter",
    Sort "sort" "sort",
    Narrow "narrow" "make it narrower",
    Widen "widen" "make it wider",
    SaveRule "save-rule" "save the rule and decide",
    UseEdit "use-edit" "use the new text",
    External "external" "open in $EDITOR",
    ShowOutput "show-output" "show output",
    Copy "copy" "copy",
    PreviousOutput "previous-output" "older output",
    NextOutput "next-output" "newer output",
    CancelRun "cancel-run" "stop it",
    InTerminal "in-terminal" "with or without a terminal",
    TypeInto "type-into" "type into its terminal",
    LeaveTerminal "leave-terminal" "leave the terminal",
    RunAgain "run-again" "run again",
    Undo "undo" "undo",
    UndoTurn "undo-turn" "undo from this turn on",
}

/// The word that takes a key away.
const NONE: &str = "none";

/// The keys in force.
#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: Vec<(Context, Keys, Command)>,
}

impl Keymap {
    /// The keys that come with the program.
    pub const DEFAULT: &'static str = include_str!("../../assets/keymaps/default.toml");
    /// The keymaps that are laid over them, by name.
    pub const NAMED: [(&'static str, &'static str); 2] =
        [("default", ""), ("vim", include_str!("../../assets/keymaps/vim.toml"))];

    /// Reads a keymap, laid over the keys that come with the program.
    ///
    /// # Errors
    /// One sentence that names the line's key and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut bindings: Vec<(Context, Keys, Command)> = Vec::new();
        for (context, keys, command) in read(Self::DEFAULT)?.into_iter().chain(read(text)?) {
            bindings.retain(|(at, bound, _)| (*at, *bound) != (context, keys));
            bindings.extend(command.map(|command| (context, keys, command)));
        }
        Ok(Self { bindings })
    }

    /// One of the keymaps that come with the program.
    ///
    /// # Errors
    /// Names those there are.
    pub fn named(name: &str) -> Result<Self, String> {
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        let (_, text) = found.ok_or_else(|| {
            let known = Self::NAMED.map(|(name, _)| name).join(", ");
            format!("there is no keymap `{name}`; choose one of {known}, or name a file")
        })?;
        Self::parse(text)
    }

    /// What a key means after another one.
    #[must_use]
    pub fn after(&self, context: Context, before: KeyEvent, key: KeyEvent) -> Option<Command> {
        let keys = Keys { before: Some(before.into()), key: key.into() };
        self.bindings.iter().find(|(at, bound, _)| (*at, *bound) == (context, keys)).map(|(.., command)| *command)
    }

    /// Whether a key that means nothing alone is the first of two.
    #[must_use]
    pub fn begins(&self, context: Context, key: KeyEvent) -> bool {
        let key = Key::from(key);
        self.bindings.iter().any(|(at, bound, _)| *at == context && bound.before == Some(key))
    }

    /// What a key means here. A dialog, the editor, a list and a terminal take nothing from the panes behind them.
    #[must_use]
    pub fn command(&self, context: Context, key: KeyEvent) -> Option<Command> {
        let key = Key::from(key);
        let find = |place: Context| {
            self.bindings
                .iter()
                .find(|(at, bound, _)| *at == place && *bound == Keys { before: None, key })
                .map(|(_, _, command)| *command)
        };
        let closed = matches!(
            context,
            Context::Dialog | Context::Remember | Context::Editor | Context::Picker | Context::Terminal
        );
        find(context).or_else(|| if closed { None } else { find(Context::Everywhere) })
    }

    /// A key of a command in a context, for hints: an arrow, which needs no learning, or the shortest.
    #[must_use]
    pub fn key(&self, context: Context, command: Command) -> Option<String> {
        let named = |place| {
            self.bindings.iter().filter(move |(at, _, bound)| *at == place && *bound == command).map(|(_, key, _)| key)
        };
        let easiest = |keys: &&Keys| (!keys.is_arrow(), keys.to_string().len());
        named(context).chain(named(Context::Everywhere)).min_by_key(easiest).map(Keys::hint)
    }

    /// Every binding of a context, for help: the keys of each command together.
    #[must_use]
    pub fn of(&self, context: Context) -> Vec<(String, Command)> {
        let mut by: BTreeMap<Command, Vec<String>> = BTreeMap::new();
        for (at, key, command) in &self.bindings {
            if *at == context {
                by.entry(*command).or_default().push(key.to_string());
            }
        }
        by.into_iter().map(|(command, keys)| (keys.join(" "), command)).collect()
    }
}

/// The lines of a keymap: where, which keys, and what they do, if anything.
fn read(text: &str) -> Result<Vec<(Context, Keys, Option<Command>)>, String> {
    let table: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(text).map_err(|error| format!("the keymap can't be read: {error}"))?;
    let mut lines = Vec::new();
    for (section, keys) in table {
        let context = Context::ALL
            .into_iter()
            .find(|context| context.word() == section)
            .ok_or_else(|| format!("the keymap has no place called [{section}]"))?;
        for (key, word) in keys {
            let parsed = Keys::parse(&key).ok_or_else(|| format!("[{section}] `{key}` is not a key"))?;
            let command = Command::ALL.iter().copied().find(|command| command.word() == word);
            if command.is_none() && word != NONE {
                return Err(format!("[{section}] `{key}`: there is no command `{word}`"));
            }
            lines.push((context, parsed, command));
        }
    }
    Ok(lines)
}

impl Default for Keymap {
    fn default() -> Self {
        // The embedded text is parsed in a test; an empty keymap would still leave typing and the terminal usable.
        Self::parse("").unwrap_or(Self { bindings: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    fn press(text: &str) -> KeyEvent {
        let key = Key::parse(text).unwrap();
        KeyEvent::from(key)
    }

    #[test]
    fn the_keymap_that_comes_with_the_program_is_whole() {
        let keymap = Keymap::parse("").unwrap();
        for command in Command::ALL {
            assert!(keymap.bindings.iter().any(|(_, _, bound)| bound == command), "{} has no key", command.word());
        }
    }

    #[test]
    fn enter_approves_nothing() {
        let keymap = Keymap::default();
        for context in Context::ALL {
            let meaning = keymap.command(context, press("enter"));
            assert!(!matches!(meaning, Some(Command::Approve | Command::ApproveAll)), "{context:?}");
        }
        assert_eq!(keymap.command(Context::Dialog, press("enter")), None);
    }

    #[test]
    fn capitals_count_with_or_without_the_shift_modifier() {
        let keymap = Keymap::default();
        for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
            let key = KeyEvent::new(KeyCode::Char('A'), modifiers);
            assert_eq!(keymap.command(Context::Dialog, key), Some(Command::ApproveAll));
        }
    }

    #[test]
    fn a_keymap_is_laid_over_the_usual_keys() {
        let own = Keymap::parse("[queue]\n\"D\" = \"none\"\n\"x\" = \"deny\"").unwrap();
        assert_eq!(own.command(Context::Queue, press("D")), None);
        assert_eq!(own.command(Context::Queue, press("x")), Some(Command::Deny));
        assert_eq!(own.command(Context::Queue, press("n")), Some(Command::Deny));
        assert!(Keymap::named("emacs").unwrap_err().contains("choose one of default, vim"));
    }

    #[test]
    fn vim_keys_come_one_after_another_and_none_approves_that_did_not() {
        let vim = Keymap::named("vim").unwrap();
        for context in [Context::Chat, Context::Queue, Context::Output] {
            assert_eq!(vim.command(context, press("g")), None);
            assert!(vim.begins(context, press("g")) && !vim.begins(context, press("j")));
            assert_eq!(vim.after(context, press("g"), press("g")), Some(Command::ToStart));
            assert_eq!(vim.after(context, press("g"), press("x")), None);
            assert_eq!(vim.command(context, press("G")), Some(Command::ToEnd));
            assert_eq!(vim.command(context, press("ctrl+d")), Some(Command::HalfDown));
            assert_eq!(vim.command(context, press(":")), Some(Command::Palette));
        }
        let approving = |keymap: &Keymap| {
            let of = |context| keymap.of(context).into_iter().filter(|(_, command)| *command == Command::Approve);
            Context::ALL.into_iter().flat_map(of).collect::<Vec<_>>()
        };
        assert_eq!(approving(&vim), approving(&Keymap::default()));
    }

    #[test]
    fn errors_name_the_key() {
        assert_eq!(
            Keymap::parse("[queue]\n\"y\" = \"aprove\"").unwrap_err(),
            "[queue] `y`: there is no command `aprove`"
        );
        assert_eq!(Keymap::parse("[queue]\n\"hyper+y\" = \"open\"").unwrap_err(), "[queue] `hyper+y` is not a key");
    }
}
