//! The walk over the syntax tree: lists, pipelines, compound commands, redirections, substitutions. It follows
//! variables and the working folder, and hands each simple command to the programs. Every kind of node is named.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::ast::{
    AndOr, Assignment, AssignmentName, AssignmentValue, BinaryPredicate, Command, CommandPrefixOrSuffixItem,
    CompoundCommand, CompoundList, ExtendedTestExpr, IoRedirect, Pipeline, SeparatorOperator, SimpleCommand,
    SourceLocation, UnaryPredicate, Word as Raw,
};

use super::judge::{Feed, Judge};
use super::parse::parse;
use super::raw::one_variable;
use super::redirect::complains;
use super::source::Source;
use super::taker::{prints_into_the_pipe, taker};
use super::uncertain::redirections;
use super::word::{Piece, Word};
use crate::domain::Shell;

impl Judge<'_> {
    /// Judges the whole command. A parser that fails on it makes it unreadable.
    pub(super) fn whole(&mut self, text: &str) {
        // Run as `bash -c` it has no words of its own; whoever asks in a hook may give it some.
        if self.facts.is_none_or(|facts| !facts.unguarded) {
            self.scope.take_arguments(Some(vec![Word::any()]));
        }
        if catch_unwind(AssertUnwindSafe(|| self.script(text, Some(0)))).is_err() {
            self.unreadable("command.unreadable", "The shell text could not be parsed.");
        }
    }

    /// Judges a whole script: the command, the text of a substitution, what `sh -c` runs. It begins at that byte of
    /// the command, if it is a part of it. What its last command prints is all that it prints only if it is one
    /// pipeline.
    pub(super) fn script(&mut self, text: &str, start: Option<usize>) {
        let outer = std::mem::replace(&mut self.source, Source::new(text, start));
        let dropped = self.dropped.take();
        let mut single = false;
        match parse(text) {
            Ok(program) => {
                for list in &program.complete_commands {
                    self.list(list);
                    self.line_ends();
                }
                single = matches!(program.complete_commands.as_slice(), [list] if alone(list));
            }
            Err(sentence) => self.unreadable("command.unreadable", sentence),
        }
        (self.source, self.dropped) = (outer, dropped);
        if !single {
            (self.printed, self.echoed) = (None, None);
            self.produced = Feed::Text;
        }
    }

    /// Judges the text of a command substitution, in a shell of its own.
    pub(super) fn substitution(&mut self, text: &str) {
        let comment = text.starts_with('#')
            || text.bytes().zip(text.bytes().skip(1)).any(|(a, b)| b == b'#' && b" \t\n;&|(`".contains(&a));
        if comment || text.contains("esac") || text.replace("<<<", "").contains("<<") {
            self.unreadable(
                "command.substitution",
                "A command substitution has a comment, a `case` or a here-document.",
            );
        }
        let start = self.begins(self.word.as_ref(), text);
        self.deeper(|judge| judge.isolated(|judge| judge.script(text, start)));
    }

    /// Runs `inner` in a copy of the scope, as a subshell does, with nothing piped in.
    pub(super) fn isolated(&mut self, inner: impl FnOnce(&mut Self)) {
        let feed = std::mem::replace(&mut self.feed, Feed::Text);
        self.subshell(inner);
        self.feed = feed;
        self.bleeds();
    }

    pub(super) fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            if self.exhausted() {
                return;
            }
            match item.1 {
                SeparatorOperator::Sequence => self.and_or(&item.0),
                SeparatorOperator::Async => {
                    self.starts_beside();
                    self.subshell(|judge| judge.and_or(&item.0));
                }
            }
        }
    }

    pub(super) fn pipeline(&mut self, pipeline: &Pipeline) {
        if let [only] = pipeline.seq.as_slice() {
            self.command(only);
            return;
        }
        let mut outer = self.feed;
        for (nth, command) in pipeline.seq.iter().enumerate() {
            if self.exhausted() {
                break;
            }
            self.feed = if nth == 0 { outer } else { self.flowing() };
            let bitten = std::mem::take(&mut self.bitten);
            let text = if nth > 0 { self.last_said() } else { None };
            self.says(text);
            self.produced = Feed::Text;
            (self.fed, self.feeds) = (nth > 0, nth + 1 < pipeline.seq.len());
            self.taker = pipeline.seq.get(nth + 1).and_then(taker);
            self.subshell(|judge| judge.command(command));
            if nth == 0 {
                outer = self.feed;
            }
            self.bitten = bitten || self.bitten && nth == 0;
        }
        self.taker = None;
        (self.fed, self.feeds) = (false, false);
        self.feed = outer;
        self.says(None);
    }

    fn command(&mut self, command: &Command) {
        if !self.counted() {
            return;
        }
        if let Some(span) = command.location().and_then(|location| self.source.span(&location)) {
            self.span = Some(span);
        }
        // It stands where it stood before a `cd` that failed. Who reads what it would do is told of each `cd`.
        let missing = self.scope.missing.is_some() && self.scope.missing == self.scope.cwd;
        if missing && !self.scope.astray.is_empty() && self.read.is_none() {
            self.scope.cwd = None;
            self.scope.moved = true;
        }
        self.taker = self.taker.take().filter(|_| matches!(command, Command::Simple(_)));
        match command {
            Command::Simple(simple) => {
                let unsure = self.may_fail(redirections(simple));
                self.perhaps(unsure, |judge| judge.simple(simple));
                self.says(None);
            }
            Command::Compound(compound, redirects) => {
                let before = self.redirects(redirects.as_ref());
                // Its commands share it, each what the one before left.
                self.says(None);
                let unsure = self.may_fail(redirects.iter().flat_map(|list| &list.0));
                self.perhaps(unsure, |judge| judge.compound(compound));
                self.feed = before.unwrap_or(self.feed);
                self.produced = Feed::Text;
                (self.printed, self.echoed) = (None, None);
            }
            Command::Function(function) => {
                self.odd = true;
                self.define(function);
            }
            Command::ExtendedTest(test, redirects) => {
                self.odd = true;
                let before = self.redirects(redirects.as_ref());
                let unsure = self.may_fail(redirects.iter().flat_map(|list| &list.0));
                self.perhaps(unsure, |judge| judge.extended(&test.expr));
                self.feed = before.unwrap_or(self.feed);
                self.produced = Feed::Text;
                (self.printed, self.echoed) = (None, None);
            }
        }
    }

    pub(super) fn compound(&mut self, compound: &CompoundCommand) {
        self.odd = true;
        match compound {
            CompoundCommand::Arithmetic(command) => self.arithmetic(&command.expr.value),
            CompoundCommand::ArithmeticForClause(command) => {
                for expression in [&command.initializer, &command.condition, &command.updater].into_iter().flatten() {
                    self.arithmetic(&expression.value);
                }
                self.repeated(|judge| judge.list(&command.body.list));
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => {
                let feed = self.feed;
                self.subshell(|judge| judge.list(&subshell.list));
                self.feed = feed;
                self.bleeds();
            }
            CompoundCommand::ForClause(command) => {
                let (mut values, mut listed) = (Vec::new(), false);
                match &command.values {
                    Some(words) => words.iter().for_each(|word| {
                        let (more, names) = self.values_of(word);
                        values.extend(more);
                        listed |= names;
                    }),
                    None => match self.words_given() {
                        Some([_, words @ ..]) => values.extend_from_slice(words),
                        Some([]) | None => values.push(Piece::Words.into()),
                    },
                }
                self.for_loop(&command.variable_name, values, listed, &command.body.list);
            }
            CompoundCommand::CaseClause(command) => {
                self.value(&command.value);
                let before = self.scope.clone();
                let mut after = before.clone();
                for case in &command.cases {
                    for pattern in &case.patterns {
                        self.value(pattern);
                    }
                    if let Some(list) = &case.cmd {
                        self.list(list);
                    }
                    after.join(&self.scope);
                    self.scope.join(&before);
                }
                self.scope = after;
            }
            CompoundCommand::IfClause(command) => {
                self.list(&command.condition);
                let mut before = self.scope.clone();
                self.list(&command.then);
                let mut after = self.scope.clone();
                for clause in command.elses.iter().flatten() {
                    self.scope = before.clone();
                    if let Some(condition) = &clause.condition {
                        self.list(condition);
                        before = self.scope.clone();
                    }
                    self.list(&clause.body);
                    after.join(&self.scope);
                }
                after.join(&before);
                self.scope = after;
            }
            CompoundCommand::WhileClause(command) | CompoundCommand::UntilClause(command) => {
                self.repeated(|judge| {
                    judge.list(&command.0);
                    judge.list(&command.1.list);
                });
            }
            CompoundCommand::Coprocess(_) => {
                self.unreadable("command.coprocess", "It starts a coprocess.");
            }
        }
    }

    fn extended(&mut self, expression: &ExtendedTestExpr) {
        match expression {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.extended(left);
                self.extended(right);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.extended(inner),
            ExtendedTestExpr::UnaryTest(predicate, word) => {
                if matches!(
                    predicate,
                    UnaryPredicate::ShellVariableIsSetAndAssigned | UnaryPredicate::ShellVariableIsSetAndNameRef
                ) && !word.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                {
                    self.unreadable("command.test", "It tests a variable by a computed name, which can run code.");
                }
                let length =
                    matches!(predicate, UnaryPredicate::StringHasZeroLength | UnaryPredicate::StringHasNonZeroLength);
                self.looked |= !length;
                // Bash takes it for a number or none, others compute it.
                if self.shell != Shell::Bash && matches!(predicate, UnaryPredicate::FdIsOpenTerminal) {
                    self.arithmetic(word.value.trim_matches('"'));
                }
                if !length || !one_variable(&word.value) {
                    self.value(word);
                }
            }
            ExtendedTestExpr::BinaryTest(predicate, left, right) => {
                self.value(left);
                self.looked |= matches!(
                    predicate,
                    BinaryPredicate::FilesReferToSameDeviceAndInodeNumbers
                        | BinaryPredicate::LeftFileIsNewerOrExistsWhenRightDoesNot
                        | BinaryPredicate::LeftFileIsOlderOrDoesNotExistWhenRightDoes
                );
                match predicate {
                    BinaryPredicate::StringMatchesRegex | BinaryPredicate::StringContainsSubstring => {
                        self.regex(right);
                    }
                    BinaryPredicate::ArithmeticEqualTo
                    | BinaryPredicate::ArithmeticNotEqualTo
                    | BinaryPredicate::ArithmeticLessThan
                    | BinaryPredicate::ArithmeticLessThanOrEqualTo
                    | BinaryPredicate::ArithmeticGreaterThan
                    | BinaryPredicate::ArithmeticGreaterThanOrEqualTo => {
                        self.arithmetic(left.value.trim_matches('"'));
                        self.arithmetic(right.value.trim_matches('"'));
                    }
                    BinaryPredicate::FilesReferToSameDeviceAndInodeNumbers
                    | BinaryPredicate::LeftFileIsNewerOrExistsWhenRightDoesNot
                    | BinaryPredicate::LeftFileIsOlderOrDoesNotExistWhenRightDoes
                    | BinaryPredicate::StringExactlyMatchesPattern
                    | BinaryPredicate::StringDoesNotExactlyMatchPattern
                    | BinaryPredicate::StringExactlyMatchesString
                    | BinaryPredicate::StringDoesNotExactlyMatchString
                    | BinaryPredicate::LeftSortsBeforeRight
                    | BinaryPredicate::LeftSortsAfterRight => {
                        self.value(right);
                    }
                }
            }
        }
    }

    fn simple(&mut self, command: &SimpleCommand) {
        (self.printed, self.echoed, self.signs) = (None, None, None);
        // Not of what stands in its words.
        let taker = self.taker.take().filter(|_| prints_into_the_pipe(command));
        let produced = std::mem::replace(&mut self.produced, Feed::Text);
        let mut assignments = Vec::new();
        let reads_file = redirected(command);
        let (feed, mut replaced) = (self.feed, false);
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => replaced |= self.redirect(redirect),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => assignments.push(assignment),
                CommandPrefixOrSuffixItem::Word(_) | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {
                    self.unreadable("command.unreadable", "A word stands where an assignment should.");
                }
            }
        }
        let mut argv = Vec::new();
        if let Some(name) = &command.word_or_name {
            argv.extend(self.words(name));
        }
        // As the shell has it: by the name as it is written.
        let name = command.word_or_name.as_ref().map(|name| name.value.as_str());
        let declares = matches!(name, Some("declare" | "typeset" | "local" | "readonly" | "export"));
        let outer = std::mem::replace(&mut self.tested, matches!(name, Some("[" | "test")));
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => replaced |= self.redirect(redirect),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _)
                    if declares && matches!(assignment.value, AssignmentValue::Array(_)) =>
                {
                    match (&assignment.name, &assignment.value) {
                        (AssignmentName::VariableName(array), AssignmentValue::Array(members)) => {
                            let keyed =
                                argv.iter().any(|word| word.prefix().starts_with('-') && word.prefix().contains('A'));
                            self.array(array, members, keyed, assignment.append);
                            // Outside of a function it fails and sets nothing.
                            if name == Some("local") && self.locals.is_none() {
                                self.scope.forget(std::slice::from_ref(array));
                            }
                            argv.push(Word::exact(array));
                        }
                        _ => self.unreadable("command.array", "It assigns to a computed place in an array."),
                    }
                }
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) if declares => {
                    argv.push(self.declared_word(assignment, word));
                }
                // Whether there is one tells nothing of it.
                CommandPrefixOrSuffixItem::Word(word)
                    if self.tested && argv.last().is_some_and(asks_if_empty) && one_variable(&word.value) =>
                {
                    argv.push(Word { many: false, ..Word::any() });
                }
                // `main "$@"`: the words of a command that has none.
                CommandPrefixOrSuffixItem::Word(word)
                    if word.value == "\"$@\""
                        && self.wordless()
                        && name.is_some_and(|name| self.scope.function(name).is_some()) => {}
                CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    argv.extend(self.words(word));
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                    self.starts_beside();
                    self.deeper(|judge| judge.isolated(|judge| judge.list(&subshell.list)));
                    let mut word = Word::exact("/dev/fd/6");
                    word.push(Piece::Number);
                    argv.push(word);
                }
            }
        }
        self.tested = outer;
        self.produced = Feed::Text;
        (self.printed, self.echoed) = (None, None);
        let plain = argv.is_empty();
        let mut given = Vec::new();
        self.odd |= !assignments.is_empty();
        for assignment in assignments {
            let value = match (&assignment.value, &assignment.name) {
                (AssignmentValue::Scalar(word), _) => self.assigned(word),
                (AssignmentValue::Array(members), AssignmentName::VariableName(name)) if plain => {
                    self.array(name, members, false, assignment.append);
                    continue;
                }
                (AssignmentValue::Array(_), _) => {
                    self.unreadable("command.array", "It assigns an array in a place that is not judged.");
                    Word::any()
                }
            };
            let value = if assignment.append { Word::any() } else { value };
            match &assignment.name {
                AssignmentName::VariableName(name) if plain && name == "IFS" => self.scope.set("IFS", value),
                AssignmentName::VariableName(name) if plain => self.assign(name, value),
                AssignmentName::VariableName(name) if name == "IFS" && argv[0].text() == Some("read") => {
                    self.comes_apart_at(value);
                }
                AssignmentName::VariableName(name) => {
                    // By way of `command` or `builtin` something may come apart there, too.
                    if name == "IFS" {
                        self.feed = Feed::Text;
                        self.says(None);
                    }
                    self.exported(name, Some(&value));
                    given.push((name.clone(), value));
                }
                AssignmentName::ArrayElementName(name, index) if plain => self.element(name, index),
                AssignmentName::ArrayElementName(..) => {
                    self.unreadable("command.array", "It assigns to a computed place in an array.");
                }
            }
        }
        // What `exec` alone redirects stays so.
        let stays = matches!(argv.as_slice(), [only] if only.text() == Some("exec"));
        if plain {
            self.produced = produced;
            self.feed = if replaced { feed } else { self.feed };
            return;
        }
        // A function, and some of the shell's own commands in some shells, see what stands before it.
        let names: Vec<String> = given.iter().map(|(name, _)| name.clone()).collect();
        self.scope.forget(&names);
        let before = self.before_form(&argv);
        self.giving(given, |judge| {
            if !judge.called(&argv) {
                judge.taker = taker;
                judge.dispatch(&argv);
                judge.taker = None;
            }
        });
        if replaced && !stays {
            // A command in its words was fed before that.
            self.feed = if argv.iter().all(|word| word.text().is_some()) { feed } else { Feed::Text };
        } else {
            self.bitten_by(&argv);
        }
        self.form(&argv, &before);
        if reads_file {
            // Where that can't be opened, nothing is printed.
            self.printed =
                self.printed.take().filter(|word| word.pieces == [Piece::Number]).map(|_| Piece::Digits.into());
        }
        self.echoed =
            self.echoed.take().filter(|_| matches!(argv.first().and_then(Word::text), Some("echo" | "printf")));
        if complains(command) {
            self.mixed();
        }
    }

    /// An assignment among the words of `declare` and its kind: neither braces nor blanks make several words of it.
    fn declared_word(&mut self, assignment: &Assignment, raw: &Raw) -> Word {
        let (AssignmentName::VariableName(name), AssignmentValue::Scalar(value)) =
            (&assignment.name, &assignment.value)
        else {
            self.unreadable("command.array", "It assigns to a computed place in an array.");
            return Word::any();
        };
        let Word { pieces, parted, origins, .. } = self.assigned(value);
        let head = Word::exact(format!("{name}{}=", if assignment.append { "+" } else { "" }));
        let mut word = Word { parted, origins, ..head };
        for piece in pieces {
            word.push(piece);
        }
        word.at(self.place_of(raw))
    }
}

/// The operators of `test` that look at nothing but whether a text is empty.
fn asks_if_empty(word: &Word) -> bool {
    matches!(word.text(), Some("-n" | "-z"))
}

/// Whether what a list prints is what its only pipeline prints, or those that run where the one before failed.
pub(super) fn alone(list: &CompoundList) -> bool {
    let instead = |next: &AndOr| matches!(next, AndOr::Or(_));
    matches!(list.0.as_slice(), [item]
        if item.0.additional.iter().all(instead) && matches!(item.1, SeparatorOperator::Sequence))
}

/// Whether a command doesn't start if a file of its redirections can't be opened.
fn redirected(command: &SimpleCommand) -> bool {
    redirections(command).any(|redirect| matches!(redirect, IoRedirect::File(..)))
}
