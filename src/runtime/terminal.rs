//! The terminal: entered once, left on every path out, a panic included.

use std::io::{self, BufWriter, Stdout, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::cells::Steady;

/// How a terminal treats what is typed.
#[cfg(unix)]
type Modes = nix::sys::termios::Termios;
#[cfg(not(unix))]
type Modes = ();

/// Where frames are written to.
type Drawn = Steady<CrosstermBackend<BufWriter<Stdout>>>;

/// The screen while the program has it.
pub struct Screen {
    /// How the terminal was when another program got it, while that has it.
    lent: Option<Modes>,
    /// Draws to it.
    pub terminal: Terminal<Drawn>,
}

impl Screen {
    /// Takes the terminal over. A panic of this thread gives it back before it is reported; a panic of another
    /// one, a task's, is caught where the task was started and only logged.
    ///
    /// # Errors
    /// Standard input or output is not a terminal.
    pub fn enter() -> io::Result<Self> {
        let owner = std::thread::current().id();
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == owner {
                leave();
                report(panic);
            } else {
                tracing::error!("a task failed: {panic}");
            }
        }));
        let terminal = take().and_then(|()| terminal());
        if terminal.is_err() {
            leave();
        }
        Ok(Self { lent: None, terminal: terminal? })
    }

    /// Gives the terminal to another program.
    pub fn suspend(&mut self) {
        leave();
        self.lent = modes();
    }

    /// Takes it back; the next frame draws all of it.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn resume(&mut self) -> io::Result<()> {
        self.lent = None;
        take()?;
        self.redraw()
    }

    /// Clears the screen; the next frame draws all of it. Asks the terminal nothing: its answer would come where the
    /// keys do.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn redraw(&mut self) -> io::Result<()> {
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = terminal()?;
        Ok(())
    }

    /// Puts text on the person's clipboard by OSC 52, which works over ssh too.
    pub fn copy(text: &str) {
        let mut out = io::stdout();
        let copied = execute!(out, CopyToClipboard::to_clipboard_from(text)).and_then(|()| out.flush());
        if let Err(error) = copied {
            tracing::warn!("the clipboard can't be written: {error}");
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
        if let Some(modes) = self.lent.take() {
            restore(&modes);
        }
    }
}

/// Whether the terminal is ours.
static ENTERED: AtomicBool = AtomicBool::new(false);

fn terminal() -> io::Result<Terminal<Drawn>> {
    let columns = || crossterm::terminal::size().map_or(0, |(columns, _)| columns);
    let backend = CrosstermBackend::new(BufWriter::with_capacity(64 * 1024, io::stdout()));
    Terminal::new(Steady::new(backend, columns))
}

/// Takes the terminal over.
fn take() -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    let taken = execute!(
        io::stdout(),
        EnterAlternateScreen,
        // What a program left there that was killed stays in it.
        Clear(ClearType::All),
        // A sign that is wider than it was taken for doesn't go on in the next row, or shift all of them.
        DisableLineWrap,
        EnableBracketedPaste,
        EnableMouseCapture,
        EnableFocusChange,
        SetTitle("countersign")
    );
    if taken.is_err() {
        leave();
    }
    taken
}

/// Gives the terminal back, once: a second time would move the cursor over what was printed meanwhile. Nothing
/// can be done about a failure here.
fn leave() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    back();
    let _unreported = disable_raw_mode();
}

/// Takes back what was asked of the terminal, as far as it still listens.
fn back() {
    let _unreported = execute!(
        io::stdout(),
        DisableFocusChange,
        DisableMouseCapture,
        DisableBracketedPaste,
        EnableLineWrap,
        LeaveAlternateScreen,
        cursor::Show
    );
}

/// Stops the program until somebody lets it go on, as the system would have by itself. Without job control, where
/// nobody would, nothing happens: the system knows that of the signals that come from a terminal, not of the one that
/// always stops. Of those, this one is never caught here.
pub fn stop() {
    #[cfg(unix)]
    if let Err(error) = nix::sys::signal::raise(nix::sys::signal::Signal::SIGTTIN) {
        tracing::warn!("the program can't be stopped: {error}");
    }
}

#[cfg(unix)]
fn modes() -> Option<Modes> {
    nix::sys::termios::tcgetattr(io::stdin()).ok()
}

#[cfg(not(unix))]
fn modes() -> Option<Modes> {
    None
}

/// Gives the terminal back after another program, which was ended while it had it. Nothing can be done about a
/// failure here.
#[cfg_attr(not(unix), allow(unused_variables))]
fn restore(modes: &Modes) {
    #[cfg(unix)]
    let _unreported = nix::sys::termios::tcsetattr(io::stdin(), nix::sys::termios::SetArg::TCSANOW, modes);
    back();
}
