//! A session in memory for tests of screens: events in, rows out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::app::{Asking, Briefing, Effect, Event, Keymap, Millis, Modal, Proposal, Setting, Sight, State, update};
use crate::domain::{
    Arguments, Assessment, Dialect, Enforceable, Facts, Finding, Foresight, ModelEvent, Operation, OperationId,
    OperationKind, Origin, Outcome, Place, Policy, Prepared, Printed, RunEvent, RunReport, Shape, StepId, StopReason,
    Stream, Tail, Target, ToolCall, Usage,
};
use crate::ui::{Cache, Theme, draw, text};

/// A session in memory: events in, screens out.
pub(super) struct Desk {
    pub(super) state: State,
    pub(super) cache: Cache,
    pub(super) theme: Theme,
    pub(super) now: u64,
    effects: Vec<Effect>,
    /// What becomes of measuring: nothing to tell, unless a test says something else; none leaves it open.
    pub(super) foresight: Option<Foresight>,
    /// Why what is called hits production.
    pub(super) production: Vec<String>,
    /// What is secret in what is called.
    pub(super) secrets: Vec<String>,
}

impl Desk {
    pub(super) fn new() -> Self {
        let briefing = Briefing { system: "".into(), tools: Arc::from([]), notes: false };
        let setting = Setting {
            model: "practice".to_owned(),
            practice: true,
            remote: false,
            connection: Some("practice.db (sqlite)".to_owned()),
            production: false,
            workspace: "~/shop".to_owned(),
            folder: "~/shop".to_owned(),
            ..Setting::default()
        };
        let mut state =
            State::new(briefing, Policy::default(), Enforceable::default(), Keymap::default(), setting, (120, 40));
        state.budget.calls = 10_000;
        Self {
            state,
            cache: Cache::default(),
            theme: Theme::default(),
            now: 0,
            effects: Vec::new(),
            foresight: Some(Foresight::Nothing),
            production: Vec::new(),
            secrets: Vec::new(),
        }
    }

    pub(super) fn event(&mut self, event: Event) {
        self.now += 10;
        for effect in update(&mut self.state, Millis(self.now), event) {
            match (effect, &self.foresight) {
                (Effect::Measure(prepared, seal), Some(foresight)) => {
                    self.event(Event::Measured(prepared.operation.id, seal, foresight.clone()));
                }
                (effect, _) => self.effects.push(effect),
            }
        }
    }

    /// What is still being measured lands.
    pub(super) fn land(&mut self, foresight: &Foresight) {
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Measure(prepared, seal) => {
                    self.event(Event::Measured(prepared.operation.id, seal, foresight.clone()));
                }
                effect => self.effects.push(effect),
            }
        }
    }

    pub(super) fn press(&mut self, code: KeyCode) {
        self.event(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        // A letter counts once nothing follows it for a moment.
        let asks = matches!(&self.state.modal, Some(Modal::Confirm(dialog)) if matches!(dialog.asking, Asking::Choice));
        if asks && matches!(code, KeyCode::Char('y' | 'n' | 'e' | 'p' | 's')) {
            self.now += 250;
            self.event(Event::Wake);
        }
    }

    pub(super) fn control(&mut self, letter: char) {
        self.event(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)));
    }

    pub(super) fn key(&mut self, key: char) {
        self.press(KeyCode::Char(key));
    }

    pub(super) fn send(&mut self, text: &str) {
        self.event(Event::Paste(text.to_owned()));
        self.press(KeyCode::Enter);
    }

    pub(super) fn step(&self) -> StepId {
        let step = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::StartStep(step, _) => Some(*step),
            _ => None,
        });
        step.unwrap()
    }

    pub(super) fn say(&mut self, text: &str) {
        self.event(Event::Model(self.step(), ModelEvent::Text(text.to_owned())));
    }

    pub(super) fn end(&mut self, reason: StopReason) {
        self.event(Event::Model(self.step(), ModelEvent::Ended(reason, Usage::default())));
    }

    /// The model calls tools; each call is read and judged by the given findings.
    pub(super) fn call(&mut self, calls: &[(&str, &str, Vec<Finding>)]) {
        let from = self.state.queue.listed().len() as u64;
        for (at, (tool, arguments, _)) in calls.iter().enumerate() {
            let call =
                ToolCall { id: format!("call-{at}"), name: (*tool).to_owned(), arguments: (*arguments).to_owned() };
            self.event(Event::Model(self.step(), ModelEvent::Call(call)));
        }
        self.end(StopReason::ToolCalls);
        for (at, (tool, arguments, findings)) in calls.iter().enumerate() {
            let id = OperationId(from + at as u64 + 1);
            let mut prepared = prepared(id, tool, arguments, findings.clone());
            prepared.assessment.production.clone_from(&self.production);
            let body = prepared.operation.kind.text().body;
            let found = self.secrets.iter().filter_map(|secret| body.find(secret).map(|at| at..at + secret.len()));
            prepared.assessment.secrets = found.collect();
            self.event(Event::Proposed(id, Proposal::Ready(Box::new(prepared))));
        }
        self.refresh();
    }

    /// Whatever wants to start is looked at again, unchanged, and starts.
    pub(super) fn refresh(&mut self) {
        let wanted: Vec<Operation> = std::mem::take(&mut self.effects)
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Refresh(operation, _) => Some(*operation),
                kept @ (Effect::StartStep(..) | Effect::Measure(..)) => {
                    self.effects.push(kept);
                    None
                }
                _ => None,
            })
            .collect();
        for operation in wanted {
            let prepared = self.state.queue.gate().prepared(operation.id).unwrap().clone();
            self.event(Event::Refreshed(operation.id, Proposal::Ready(Box::new(prepared))));
            self.event(Event::Run(operation.id, RunEvent::Started));
        }
    }

    pub(super) fn print(&mut self, id: u64, pieces: &[(Stream, &str)], lines: u64) {
        let bytes = pieces.iter().map(|(_, text)| text.len() as u64).sum();
        let pieces = pieces.iter().map(|(stream, text)| Printed { stream: *stream, text: (*text).into() }).collect();
        self.event(Event::Run(OperationId(id), RunEvent::Tail(Tail { pieces, lines, bytes, from: 0 })));
    }

    pub(super) fn finish(&mut self, id: u64, outcome: Outcome, milliseconds: u64) {
        let report = RunReport { outcome, result: String::new(), took: Duration::from_millis(milliseconds) };
        self.event(Event::Run(OperationId(id), RunEvent::Finished(report)));
        self.refresh();
    }

    /// Draws once, lets the first moment pass and draws again, as the loop does.
    pub(super) fn screen(&mut self, columns: u16, rows: u16) -> String {
        self.event(Event::Resize(columns, rows));
        let mut drawn = String::new();
        for pause in [500, 0] {
            let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
            let mut sight = Sight::default();
            terminal.draw(|frame| sight = draw(frame, &self.state, &mut self.cache, &self.theme)).unwrap();
            drawn = lines(&terminal);
            self.event(Event::Drawn(Box::new(sight)));
            self.now += pause;
        }
        drawn
    }
}

impl Desk {
    /// The cells of a screen.
    pub(super) fn buffer(&self, columns: u16, rows: u16) -> ratatui::buffer::Buffer {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        let mut cache = Cache::default();
        terminal.draw(|frame| drop(draw(frame, &self.state, &mut cache, &self.theme))).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The screen as it is, with no event before it.
    pub(super) fn still(&mut self, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| drop(draw(frame, &self.state, &mut self.cache, &self.theme))).unwrap();
        lines(&terminal)
    }

    /// The screen as a terminal shows it, from the bytes that the backend sends.
    pub(super) fn terminal(&mut self, columns: u16, rows: u16) -> Vec<String> {
        let mut bytes = Vec::new();
        let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, columns, rows)) };
        let mut terminal = Terminal::with_options(CrosstermBackend::new(&mut bytes), options).unwrap();
        terminal.draw(|frame| drop(draw(frame, &self.state, &mut self.cache, &self.theme))).unwrap();
        drop(terminal);
        let mut parser = vt100::Parser::new(rows, columns, 0);
        parser.process(&bytes);
        parser.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect()
    }
}

/// The rows of a drawn screen.
pub(super) fn lines(terminal: &Terminal<TestBackend>) -> String {
    let buffer = terminal.backend().buffer();
    let width = usize::from(buffer.area.width);
    let rows = buffer.content.chunks(width).map(|row| {
        let mut skip = 0;
        let mut line = String::new();
        for cell in row {
            if skip == 0 {
                line.push_str(cell.symbol());
                skip = text::width(cell.symbol());
            }
            skip = skip.saturating_sub(1);
        }
        line.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// A call as it was read and judged.
pub(super) fn prepared(id: OperationId, tool: &str, arguments: &str, findings: Vec<Finding>) -> Prepared {
    let read = Arguments::parse(arguments).unwrap();
    let mut kind = OperationKind::read(tool, &read)
        .map_or_else(|| OperationKind::Other(serde_json::Value::Object(read.values.clone())), Result::unwrap);
    if let OperationKind::Sql(sql) = &mut kind {
        sql.connection = "practice.db".to_owned();
        sql.dialect = Some(Dialect::Sqlite);
    }
    let place = Place { cwd: PathBuf::from("/shop"), workspace: PathBuf::from("/shop"), home: None };
    let operation = Operation {
        id,
        origin: Origin::Model { call_id: format!("call-{}", id.0) },
        tool: tool.to_owned(),
        claim: read.claim,
        kind,
        cwd: PathBuf::from("/shop"),
    };
    let targets = match &operation.kind {
        OperationKind::Sql(sql) => vec![Target::Database {
            connection: sql.connection.clone(),
            engine: sql.dialect,
            database: Some(sql.connection.clone()),
            host: None,
            place: None,
        }],
        _ => Vec::new(),
    };
    let act = if findings.iter().any(|finding| finding.rule == "sql.delete") { "Delete rows" } else { "" };
    // Of what makes a folder a rule can be made.
    let form = [("program", "mkdir"), ("flags", ""), ("folder", "the workspace"), ("place", "workspace")];
    let forms = if arguments.contains("mkdir") { vec![Shape::new(form)] } else { Vec::new() };
    let assessment = Assessment { findings, act: act.to_owned(), forms, ..Assessment::default() };
    Prepared { operation, facts: Facts { place, targets, ..Facts::default() }, assessment }
}
