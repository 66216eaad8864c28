//! The session by plain lines on standard input and output: no alternate screen, no cursor, no colour; a terminal is
//! only asked to mark what is pasted. The loop tells what happened and takes the next line.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use tokio::io::AsyncWriteExt as _;

use super::bus::{Bus, Input};
use super::engine::Engine;
use super::leave;
use super::lines::Heard;
use crate::app::{Effect, Event, Millis, Numbers, Phase, Said, State, Status, update};
use crate::ui::Teller;

/// What is said of a line that is refused.
const TOO_LONG: &str = "That line is longer than 64 KiB: nothing of it was taken.";

/// What is said where another session is asked for.
const ONE_SESSION: &str =
    "By lines there is one session: leave, and start again with --resume and the id, or without it.";

/// Most lines that wait for something to end. Of more, none is heard until then.
const HELD: usize = 1_024;

/// How long servers of this machine have to answer before the page of the first start is told.
const AROUND: Duration = Duration::from_millis(800);

/// A session by lines.
pub struct Linear {
    state: State,
    engine: Engine,
    bus: Bus,
    teller: Teller,
    /// Whether the lines come from a program: the next one is taken once nothing moves, but for what counts at once.
    piped: bool,
    /// Lines that were heard and wait for that, in order.
    held: VecDeque<Heard>,
    /// No line comes any more.
    closed: bool,
    /// Parts of outputs that the disk was asked for.
    looks: usize,
}

impl Linear {
    /// A session that told nothing yet.
    pub fn new(mut state: State, engine: Engine, bus: Bus) -> Self {
        state.go_linear();
        let (piped, held) = (!io::stdin().is_terminal(), VecDeque::new());
        Self { teller: Teller::since(&state), state, engine, bus, piped, held, closed: false, looks: 0 }
    }

    /// Runs it until the person leaves, or the lines end and nothing moves any more. What runs is given its time to end
    /// also where nobody hears any more what is told. Gives what is said to who leaves, with the command that goes on.
    pub async fn live(mut self, notices: Vec<Event>, again: &str) -> io::Result<Option<String>> {
        let marks = !self.piped && io::stdout().is_terminal();
        if marks {
            execute!(io::stdout(), EnableBracketedPaste)?;
        }
        let lived = self.converse(notices).await;
        // Where the lines ended, it was told that what waits isn't run.
        let farewell = self.state.farewell(again).filter(|_| !self.closed);
        leave(self.state, self.engine, self.bus).await;
        if marks {
            execute!(io::stdout(), DisableBracketedPaste)?;
        }
        lived.map(|()| farewell)
    }

    async fn converse(&mut self, notices: Vec<Event>) -> io::Result<()> {
        print(&Teller::greet(&self.state)).await?;
        for notice in notices {
            self.take(notice, false).await?;
        }
        // What is asked before anything else.
        if self.state.setup().is_some() && !self.look_around().await {
            return Ok(());
        }
        let (lines, _) = self.teller.tell(&self.state);
        print(&lines).await?;
        loop {
            let still = self.still();
            if still && let Some((line, typed)) = self.held.pop_front() {
                if !self.heard(line, typed).await? {
                    break;
                }
                continue;
            }
            if self.closed && still {
                let waiting = self.state.queue.counts().0;
                if waiting > 0 {
                    print(&[format!("the input ended: {waiting} that wait are not run")]).await?;
                }
                break;
            }
            self.bus.hear(!self.closed && self.held.len() < HELD);
            match self.bus.next(None, None).await {
                Input::Leave(_) => break,
                Input::Frame | Input::Coloured | Input::Pause => {}
                Input::Closed => self.closed = true,
                Input::Line(line, typed) => {
                    let at_once = || line.as_deref().is_some_and(|line| Said::read(line).at_once());
                    if self.piped && !(self.held.is_empty() && self.still()) && !at_once() {
                        self.held.push_back((line, typed));
                    } else if !self.heard(line, typed).await? {
                        break;
                    }
                }
                Input::Event(event) => {
                    if !self.take(event, false).await? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives the servers of this machine time to answer, so that the page is told once. False to leave.
    async fn look_around(&mut self) -> bool {
        let until = tokio::time::Instant::now() + AROUND;
        for effect in self.state.look_around() {
            let _of_a_screen = self.engine.perform(effect);
        }
        self.bus.hear(false);
        while let Ok(input) = tokio::time::timeout_at(until, self.bus.next(None, None)).await {
            match input {
                Input::Leave(_) => return false,
                Input::Closed => self.closed = true,
                Input::Frame | Input::Line(..) | Input::Coloured | Input::Pause => {}
                Input::Event(event) => {
                    for effect in update(&mut self.state, self.bus.now(), event) {
                        let _of_a_screen = self.engine.perform(effect);
                    }
                }
            }
        }
        true
    }

    /// Whether nothing happens until the person says something.
    fn still(&self) -> bool {
        self.looks == 0
            && !self.state.unbriefed()
            && !matches!(self.state.chat.phase(), Phase::Streaming { .. })
            && self.state.queue.running().all(|item| {
                item.status == Status::Allowed { starting: false } || self.state.queue.waits_for_answer(item.id)
            })
    }

    /// A line, none if it was too long. False to leave.
    async fn heard(&mut self, line: Option<String>, typed: Millis) -> io::Result<bool> {
        match line {
            Some(line) => self.line(&line, typed).await,
            None => print(&[Teller::hint(TOO_LONG)]).await.map(|()| true),
        }
    }

    async fn line(&mut self, line: &str, typed: Millis) -> io::Result<bool> {
        let said = Said::read(line);
        let (lines, shown) = self.teller.answer(&self.state, &said);
        print(&lines).await?;
        for (id, look) in self.teller.looks() {
            let _of_a_screen = self.engine.perform(Effect::Look(id, look));
            self.looks += 1;
        }
        for (id, seal, whole) in shown {
            update(&mut self.state, self.bus.now(), Event::Told(id, seal, whole));
        }
        self.take(Event::Said(said, typed), true).await
    }

    /// One event, what it wants done, and what is to be told of it. False to leave.
    async fn take(&mut self, event: Event, said: bool) -> io::Result<bool> {
        if let Event::Looked(id, _, page) = &event {
            self.looks = self.looks.saturating_sub(1);
            return print(&self.teller.looked(&self.state, *id, page.as_ref())).await.map(|()| true);
        }
        let now = self.bus.now();
        let before = self.state.hint.clone();
        super::remember::clock(&mut self.state, now, &event);
        let recalled = if let Event::Recalled(id, Some(_)) = &event { Some(Numbers::one(*id)) } else { None };
        for effect in update(&mut self.state, now, event) {
            match self.engine.perform(effect) {
                Some(Effect::Quit) => return Ok(false),
                Some(Effect::Switch(_)) => print(&[Teller::hint(ONE_SESSION)]).await?,
                Some(_) | None => {}
            }
        }
        let (mut lines, shown) = self.teller.tell(&self.state);
        let hint = self.state.hint.as_ref().filter(|hint| said || before.as_ref() != Some(hint));
        lines.extend(hint.map(|hint| Teller::hint(hint)));
        lines.extend(
            recalled.map(|one| self.teller.answer(&self.state, &Said::Output(one, true)).0).into_iter().flatten(),
        );
        print(&lines).await?;
        for (id, seal, whole) in shown {
            update(&mut self.state, self.bus.now(), Event::Told(id, seal, whole));
        }
        Ok(true)
    }
}

async fn print(lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut out = tokio::io::stdout();
    out.write_all(format!("{}\n", lines.join("\n")).as_bytes()).await?;
    out.flush().await
}
