//! `kill -9` while a command runs that no walls are around: what it started in its session ends with the program.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::sitting::Sitting;

/// Longest that a process may outlive the program: it is asked first.
const PATIENCE: Duration = Duration::from_secs(5);

/// The numbers that a command wrote down, once there are as many.
fn numbers(file: &Path, count: usize) -> Vec<u32> {
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let numbers: Vec<u32> = text.lines().filter_map(|line| line.trim().parse().ok()).collect();
        if numbers.len() >= count {
            return numbers;
        }
        assert!(began.elapsed() < PATIENCE * 4, "{text}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn lives(number: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| !fields.starts_with(['Z', 'X']))
}

#[test]
fn what_an_uncontained_command_left_running_ends_with_the_program_that_is_killed() {
    let home = crate::home();
    let file = home.path().join("numbers");
    let shown = file.display();
    // One in the background, one that hears no request, one that is stopped, and one in a group of its own; the command
    // stays, and what is told its whole group isn't for who ends it.
    let command = format!(
        "! trap : USR1 TERM; kill -USR1 0; sleep 301 & echo $! >> {shown}; (trap '' TERM HUP; echo $BASHPID >> {shown}; \
         while :; do sleep 0.1; done) & sleep 302 & kill -STOP $!; echo $! >> {shown}; set -m; sleep 303 & \
         echo $! >> {shown}; echo $$ >> {shown}; sleep 304"
    );
    let mut it = Sitting::start(home.path(), &["--allow-all"], |_| None);
    it.say(&command);
    let numbers = numbers(&file, 5);
    assert!(numbers.iter().all(|number| lives(*number)), "{numbers:?}");
    it.kill();
    let began = Instant::now();
    while numbers.iter().any(|number| lives(*number)) {
        let left: Vec<_> = numbers.iter().filter(|number| lives(**number)).collect();
        assert!(began.elapsed() < PATIENCE, "{left:?} of {numbers:?} live on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_uncontained_command_is_told_as_it_ended() {
    let home = crate::home();
    let mut it = Sitting::start(home.path(), &["--allow-all"], |_| None);
    for (command, told) in [
        ("exit 7", "exit 7"),
        ("kill -9 $$", "ended by SIGKILL"),
        ("kill -SEGV $$", "ended by SIGSEGV"),
        ("sleep 300 & echo begun", "operation 4 done: exit 0"),
    ] {
        it.say(&format!("! {command}"));
        it.wait_for(told);
    }
    it.end();
}
