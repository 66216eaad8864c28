//! Typing in the real program: the palette, a folded paste, a look that is tried, and what a second start remembers.

use std::path::Path;

use crate::driver::Driver;

#[test]
fn what_is_typed_completes_folds_and_comes_back() {
    let data = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
    let variables = [("COUNTERSIGN_DATA", data.path().to_str().unwrap())];
    let mut it = Driver::start_program(program, &["--workspace", "."], 100, 30, &variables);
    it.wait_for("practice model");
    it.keys("\x10");
    it.wait_for("Commands");
    it.say("ran unasked");
    it.wait_for("What ran unasked");
    it.keys("\x1b");
    it.wait_until("the page is closed", |it| !it.shows().contains("What ran unasked"));
    it.keys("/th\t");
    it.wait_for("› /theme");
    it.keys("\r");
    it.wait_for("For a light background.");
    it.keys("\x1b");
    // An escape that a letter follows at once would be that letter with alt.
    it.wait_until("the list is closed", |it| !it.shows().contains("For a light background."));
    let pasted = "row\n".repeat(240);
    it.keys(&format!("hello \x1b[200~{pasted}\x1b[201~"));
    it.wait_for("› hello [pasted 240 lines]");
    it.keys("\r");
    it.wait_for("› type a message");
    // A terminal that lost the focus is no key.
    it.keys("\x1b[O\x1b[I");
    it.say("! echo token=sk-abcdefghijklmnopqrstuvwx1234");
    it.wait_for("exit 0");
    it.keys("\x11");
    it.wait_for_exit();

    let kept = data.path().join("history");
    let text = std::fs::read_to_string(&kept).unwrap();
    assert!(text.lines().any(|line| line.starts_with("\"hello row\\nrow")) && !text.contains("sk-abc"), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    }

    let mut it = Driver::start_program(program, &["--workspace", "."], 100, 30, &variables);
    it.wait_for("practice model");
    it.keys("\x12");
    it.wait_for("hello row row row");
    it.keys("\x1b");
    it.wait_until("the list is closed", |it| !it.shows().contains("Earlier messages"));
    it.keys("\x11");
    it.wait_for_exit();
}

/// A crash costs no more of a draft than its last words, and what is typed into a dialog is a draft.
#[cfg(target_os = "linux")]
#[test]
fn what_was_typed_is_there_again_after_a_kill() {
    let mut it = Driver::start(100, 30, &[]);
    it.wait_for("practice model");
    it.say("delete the cancelled orders");
    it.wait_for("H HIGH");
    std::thread::sleep(std::time::Duration::from_millis(600));
    for letter in "no, rename them".chars() {
        it.keys(&letter.to_string());
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    it.wait_for("› no, rename them");
    it.wait_for("Typing decides nothing: it goes to your message, and #2 keeps waiting.");
    let kept = it.data().join("unsent");
    it.wait_until("the draft is kept", |_| {
        let session = std::fs::read_dir(&kept).into_iter().flatten().flatten().next();
        session.is_some_and(|session| {
            std::fs::read_to_string(session.path().join("text")).is_ok_and(|text| text == "no, rename them")
        })
    });
    it.signal(nix::sys::signal::Signal::SIGKILL);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let mut it = it.start_again(&["--continue"], &[]);
    it.wait_for("What you had typed when the program ended");
    it.wait_for("› no, rename them");
    it.wait_for("1 waiting (1 HIGH)");
    it.keys("\x15");
    it.wait_until("nothing is kept of what was taken back", |_| std::fs::read_dir(&kept).unwrap().next().is_none());
    it.keys("\x11");
    it.wait_for_exit();
}
