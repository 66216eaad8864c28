//! The session by plain lines on standard input and output: no alternate screen, no cursor, no colour. The loop tells
//! what happened and takes the next line.

use std::io::{self, IsTerminal as _};

use tokio::io::AsyncWriteExt as _;

use super::bus::{Bus, Input};
use super::engine::Engine;
use super::leave;
use crate::app::{Effect, Event, Millis, Numbers, Phase, Said, State, Status, update};
use crate::ui::Teller;

/// What is said of a line that is refused.
const TOO_LONG: &str = "That line is longer than 64 KiB: nothing of it was taken.";

/// What is said where another session is asked for.
const ONE_SESSION: &str =
    "By lines there is one session: leave, and start again with --resume and the id, or without it.";

/// A session by lines.
pub struct Linear {
    state: State,
    engine: Engine,
    bus: Bus,
    teller: Teller,
    /// Whether the lines come from a program: the next one is taken once nothing moves.
    piped: bool,
    /// No line comes any more.
    closed: bool,
}

impl Linear {
    /// A session that told nothing yet.
    pub fn new(mut state: State, engine: Engine, bus: Bus) -> Self {
        state.go_linear();
        Self { teller: Teller::since(&state), state, engine, bus, piped: !io::stdin().is_terminal(), closed: false }
    }

    /// Runs it until the person leaves, or the lines end and nothing moves any more. What runs is given its time to end
    /// also where nobody hears any more what is told.
    pub async fn live(mut self, notices: Vec<Event>) -> io::Result<()> {
        let lived = self.converse(notices).await;
        leave(self.state, self.engine, self.bus).await;
        lived
    }

    async fn converse(&mut self, notices: Vec<Event>) -> io::Result<()> {
        print(&Teller::greet(&self.state)).await?;
        for notice in notices {
            self.take(notice, false).await?;
        }
        // What is asked before anything else.
        let (lines, _) = self.teller.tell(&self.state);
        print(&lines).await?;
        loop {
            let still = self.still();
            if self.closed && still {
                let waiting = self.state.queue.counts().0;
                if waiting > 0 {
                    print(&[format!("the input ended: {waiting} that wait are not run")]).await?;
                }
                break;
            }
            self.bus.hear(!self.closed && (still || !self.piped));
            match self.bus.next(None, None).await {
                Input::Leave(_) => break,
                Input::Frame => {}
                Input::Closed => self.closed = true,
                Input::Line(None, _) => print(&[Teller::hint(TOO_LONG)]).await?,
                Input::Line(Some(line), typed) => {
                    if !self.line(&line, typed).await? {
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

    /// Whether nothing happens until the person says something.
    fn still(&self) -> bool {
        !matches!(self.state.chat.phase(), Phase::Streaming { .. })
            && self.state.queue.running().all(|item| item.status == Status::Allowed { starting: false })
    }

    async fn line(&mut self, line: &str, typed: Millis) -> io::Result<bool> {
        let said = Said::read(line);
        let (lines, shown) = self.teller.answer(&self.state, &said);
        print(&lines).await?;
        for (id, seal, whole) in shown {
            update(&mut self.state, self.bus.now(), Event::Told(id, seal, whole));
        }
        self.take(Event::Said(said, typed), true).await
    }

    /// One event, what it wants done, and what is to be told of it. False to leave.
    async fn take(&mut self, event: Event, said: bool) -> io::Result<bool> {
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
        lines.extend(recalled.map(|one| self.teller.answer(&self.state, &Said::Output(one)).0).into_iter().flatten());
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
