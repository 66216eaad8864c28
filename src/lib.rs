//! Countersign: a terminal for language models whose every tool call is judged, and countersigned by a person
//! where it could change or leak anything.
//!
//! # Map
//!
//! Two columns stand on `domain` and are joined by `runtime`. The pure column decides and shows; the IO column
//! acts. An assessor is pure but belongs to its tool, so `tools` may name `assess`, and never the other way round.
//! What a tool replaces is kept by `store` before it is replaced, so `tools` may name that too.
//!
//! ```text
//! main ─► cli ─► runtime ─┬─► ui ─► app ──────────────────────┐   pure: no IO, no clock, no tasks
//!                         │                                   ├─► domain
//!                         └─► tools ─► assess ────────────────┤   assess is pure too
//!                             contain  providers  store       │
//!                             memory   agents                 │
//!                             config                          ┘
//! ```
//!
//! | folder | what lives there |
//! | --- | --- |
//! | `domain` | what a model said, what would happen, how it is judged, the gate, `Countersigned` |
//! | `assess` | one `RiskAssessor` for each sort of operation, over parsed input; tables in `assets/rules` |
//! | `app` | the state and its one `update(state, now, event) -> effects` |
//! | `ui` | state to frame, or to plain lines (`linear`); themes in `themes`; neutralising of untrusted text |
//! | `agents` | other agents' hooks: what each sends, in terms of ours, and how it is answered; one agent a file |
//! | `tools` | one external thing a file: `prepare` reads arguments, `preview` measures, `run` runs what was countersigned |
//! | `contain` | walls around a command: planned here, put up by a child, proved by a canary |
//! | `providers` | models behind one trait, the practice model among them |
//! | `store` | the journal: one task that owns one SQLite file, one hash-chained log of all sessions; what files held before, for undo |
//! | `memory` | what the person decided for later: rules, known folders, trusted files |
//! | `config`, `cli`, `logs` | files, options and variables to typed settings; subcommands; the log file |
//! | `private` | files for the person alone, replaced whole or not at all; which of our own a command changed |
//! | `runtime` | the bus, the loop, the terminal, the tasks at the edges |
//!
//! # One tool call
//!
//! 1. The provider's stream says a call; `app/turn` keeps it as it was said. When the message has ended, every
//!    call becomes `Effect::Prepare`.
//! 2. `runtime/engine` reads it (`Tool::prepare`), looks at what it names (`Facts`), judges it (`assess`),
//!    journals the proposal. Off the loop; a panic, a timeout or a cap makes it unreadable.
//! 3. `app/decide` admits it: `judge` is the one function that fuses claim, findings, rules and mode. It runs,
//!    waits, or is denied.
//! 4. What waits is data in the queue, never a parked future. The dialog shows it under a `Seal`; a key on the
//!    drawn dialog approves exactly that seal. No task's event approves: in a session by plain lines it is a
//!    line, typed after the operation was told under its seal.
//!    While it waits, `runtime/measure` asks `Tool::preview` what it would do: a read that carries out nothing,
//!    shown when it lands. No decision waits for it.
//! 5. Right before the start it is looked at again. `Gate::release` compares, and mints the `Countersigned` that
//!    `Tool::run` takes by value, or puts the operation back.
//! 6. Decision and start are journalled and acknowledged, with all that led to them, then it runs. Output comes as at
//!    most one snapshot a frame; the end is journalled before the model is told. Every call has exactly one result.
//!
//! `countersign run` goes the same way with nobody there (`runtime/unattended`): the gate turns what would ask into
//! what is denied, on the same derivation.
//!
//! # Invariants
//!
//! - Nothing runs but a `Countersigned`, and only `domain/gate.rs` can make one.
//! - `domain`, `assess`, `app` and `ui` read no clock, no file and no environment; a test compares their imports
//!   with this page's table, and clippy refuses the clock there.
//! - What a model claims of its own call is one input of `judge`, kept apart from what our rules found.
//! - No task waits for a person. No lane is unbounded. Nothing ticks at rest.
//! - Text from a model, a tool, a file or a server is neutralised before it is drawn, inside a gutter that our
//!   own dialogs don't have.
//! - No journal, no run.
//!
//! # Where this departs from the usual
//!
//! Approvals are not channels parked in a permission actor but rows of one state: that makes them sortable,
//! replayable, and testable without a terminal. The price is a second look before each start, which is also
//! what makes "approved what was shown" true.

pub mod agents;
pub mod app;
pub mod assess;
pub mod cli;
pub mod config;
pub mod contain;
pub mod domain;
pub mod logs;
pub mod memory;
pub mod private;
pub mod providers;
pub mod runtime;
pub mod store;
pub mod tools;
pub mod ui;
