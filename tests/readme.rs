//! The README says what the program does: its table of keys is the keymap's, its transcript the program's.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use countersign::app::{Context, Keymap, typed};

const README: &str = include_str!("../README.md");

#[test]
fn the_table_of_keys_is_the_keymaps() {
    let keymap = Keymap::default();
    let mut table = String::from("| where | keys |\n| --- | --- |\n");
    let row = |said: &mut String, place: &str, keys: Vec<String>| {
        let _ = writeln!(said, "| {place} | {} |", keys.join(" · "));
    };
    for context in Context::ALL {
        let entry = |(keys, command): (String, countersign::app::Command)| {
            let keys: Vec<String> = keys.split(' ').map(|key| format!("`{key}`")).collect();
            format!("{} {}", keys.join(" "), command.says())
        };
        row(&mut table, context.word(), keymap.of(context).into_iter().map(entry).collect());
    }
    let typed = typed().map(|(command, says)| format!("`{command}` {says}")).collect();
    row(&mut table, "typed", typed);
    assert!(README.contains(&table), "the README's table of keys should be:\n{table}");
}

#[test]
fn the_transcript_of_assess_is_the_programs() {
    let (before, rest) = README.split_once("' | countersign assess\n").unwrap();
    let (_, input) = before.rsplit_once("```console\n$ echo '").unwrap();
    let (expected, _) = rest.split_once("```").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["assess"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
