//! What is told by lines is what is sealed.

use super::*;
use crate::app::{Millis, Proposal, Said};
use crate::domain::{Foresight, Look, Page, Preview, Printed, Stream, Tail, number};
use crate::ui::Teller;

#[test]
fn an_operation_that_came_back_changed_is_told_anew() {
    let mut desk = Desk::new();
    desk.state.go_linear();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"make report"}"#, Vec::new())]);
    let id = OperationId(1);
    let mut teller = Teller::default();
    let show = Said::read("show 1");
    let (before, first) = teller.answer(&desk.state, &show);
    let prepared = desk.state.queue.gate().prepared(id).unwrap().clone();
    desk.event(Event::Told(id, first[0].1, true));
    desk.now += 1_000;
    let typed = Millis(desk.now);
    desk.event(Event::Said(Said::read("approve 1"), typed));
    let mut changed = prepared;
    changed.assessment.findings = vec![Finding::new("test.changed", Class::Unknown, "The program is another one.")];
    desk.event(Event::Refreshed(id, Proposal::Ready(Box::new(changed))));
    let (after, second) = teller.answer(&desk.state, &show);
    assert!(!before.concat().contains("another one") && after.concat().contains("another one"), "{after:#?}");
    assert_ne!(first[0].1, second[0].1);
    assert_eq!(Some(second[0].1), desk.state.queue.gate().seal(id));
}

#[test]
fn what_ran_unasked_is_told_newest_first_with_why_and_what_was_enforced() {
    let mut desk = Desk::new();
    desk.state.go_linear();
    let mut teller = Teller::default();
    let mut tell = |desk: &Desk, line: &str| teller.answer(&desk.state, &Said::read(line)).0;
    assert_eq!(tell(&desk, "unasked"), ["Nothing ran unasked in this session."]);
    desk.send("go");
    let calls = vec![("execute_command", r#"{"command":"ls"}"#, low("ls only reads.")); 40];
    desk.call(&calls);
    for id in 1..=40 {
        desk.finish(id, Outcome::Succeeded { summary: "done".to_owned() }, 4);
    }
    let lines = tell(&desk, "unasked");
    assert_eq!(lines[0], "40 operations ran without a question, newest first:");
    assert!(lines[1].starts_with("operation 40: command ls – "), "{lines:#?}");
    assert_eq!(lines.last().unwrap(), "10 earlier ones: type unasked 1-10");
    assert_eq!(tell(&desk, "unasked 1-10").len(), 11);
    assert_eq!(tell(&desk, "unasked 99"), ["None of them ran unasked."]);
    let help = tell(&desk, "help");
    assert_eq!(help.iter().filter(|line| line.starts_with("/quit: ")).count(), 1, "{help:#?}");
}

/// A command that printed this, told by lines, and what its end told.
fn printed(pieces: &[(Stream, &str)]) -> (Desk, Teller, Vec<String>) {
    let mut desk = Desk::new();
    desk.state.go_linear();
    let mut teller = Teller::default();
    desk.send("go");
    desk.call(&[("execute_command", r#"{"command":"seq"}"#, low("seq only prints."))]);
    let lines = pieces.iter().map(|(_, text)| text.lines().count() as u64).sum();
    desk.print(1, pieces, lines);
    desk.finish(1, Outcome::Succeeded { summary: "exit 0".to_owned() }, 4);
    let told = teller.tell(&desk.state).0;
    (desk, teller, told)
}

#[test]
fn a_long_output_is_told_by_its_end_and_read_on_from_its_start() {
    let text: Vec<String> = (1..=2_500).map(|number| format!("{number}\n")).collect();
    let text = text.concat();
    let (desk, mut teller, told) = printed(&[(Stream::Out, &text)]);
    let at = told.iter().position(|line| line == "2,480 lines before these: output 1").unwrap();
    assert_eq!((told[at + 1].as_str(), told[at + 20].as_str()), ("| 2481", "| 2500"));
    let mut read = |line: &str| teller.answer(&desk.state, &Said::read(line)).0;
    for (from, to) in [(1, 1_000), (1_001, 2_000)] {
        let part = read("output 1");
        assert_eq!(part[0], format!("output of operation 1, from line {}:", number::thousands(from)));
        assert_eq!((part[1].clone(), part[1_000].clone()), (format!("| {from}"), format!("| {to}")));
        let goes_on =
            format!("{} of 2,500 lines: output 1 goes on, output 1 end tells the last", number::thousands(to));
        assert_eq!(part[1_001], goes_on);
    }
    let last = read("output 1");
    assert_eq!(last[500..], ["| 2500".to_owned(), "end of the output of operation 1, 2,500 lines".to_owned()]);
    assert_eq!(read("output 1")[1], "| 1", "from the start again");
    assert_eq!(read("output 1 end")[1_000], "| 2500");
}

#[test]
fn what_is_not_held_is_asked_of_the_disk_part_by_part() {
    let (mut desk, mut teller, _) = printed(&[(Stream::Out, "x\n")]);
    let tail = |text: &str, from| {
        let pieces = [Printed { stream: Stream::Out, text: text.into() }].into();
        Tail { pieces, lines: 3_000, bytes: from + text.len() as u64, from }
    };
    desk.send("more");
    desk.call(&[("execute_command", r#"{"command":"seq"}"#, low("seq only prints."))]);
    desk.event(Event::Run(OperationId(2), RunEvent::Tail(tail("3000\n", 9_000))));
    desk.finish(2, Outcome::Succeeded { summary: "exit 0".to_owned() }, 4);
    let told = teller.tell(&desk.state).0;
    assert!(told.windows(2).any(|two| two == ["2,999 lines before these: output 2", "| 3000"]), "{told:#?}");
    let page = |from: u64, to: u64, lines: std::ops::RangeInclusive<u64>, line| {
        let text: Vec<String> = lines.map(|number| format!("{number}\n")).collect();
        Page { pieces: [Printed { stream: Stream::Out, text: text.concat().into() }].into(), from, to, line }
    };
    let ask = |teller: &mut Teller| {
        teller.answer(&desk.state, &Said::read("output 2"));
        teller.looks()
    };
    let id = OperationId(2);
    assert_eq!(ask(&mut teller), [(id, Look::At(0))]);
    let lines = teller.looked(&desk.state, id, Some(&page(0, 6_000, 1..=1_500, 0)));
    assert_eq!((lines[0].as_str(), lines[999].as_str()), ("| 1", "| 1000"));
    assert_eq!(ask(&mut teller), [(id, Look::At(0))], "the rest of that part");
    let lines = teller.looked(&desk.state, id, Some(&page(0, 6_000, 1..=1_500, 0)));
    assert_eq!((lines[0].as_str(), lines[499].as_str()), ("| 1001", "| 1500"));
    assert!(lines[500].starts_with("1,500 of 3,000 lines: output 2 goes on"), "{}", lines[500]);
    assert_eq!(ask(&mut teller), [(id, Look::At(6_000))]);
    let lines = teller.looked(&desk.state, id, Some(&page(3_000, 9_005, 1_401..=2_400, 100)));
    assert_eq!(lines[0], "| 1501");
    assert_eq!(lines.last().unwrap(), "end of the output of operation 2, 3,000 lines");
}

#[test]
fn standard_error_has_its_sign_and_silence_is_told() {
    let (_, _, told) = printed(&[(Stream::Out, "out\n"), (Stream::Err, "err\n")]);
    assert!(told.windows(2).any(|two| two == ["| out", "|! err"]), "{told:#?}");
    let (desk, mut teller, _) = printed(&[]);
    assert_eq!(teller.answer(&desk.state, &Said::read("output 1")).0, ["operation 1 printed nothing"]);
}

#[test]
fn what_many_would_change_is_told_of_the_first_and_only_where_it_is_news() {
    let mut desk = Desk::new();
    desk.state.go_linear();
    desk.send("go");
    desk.call(&vec![("execute_command", r#"{"command":"make report"}"#, high("It makes.")); 50]);
    let mut teller = Teller::default();
    assert_eq!(teller.tell(&desk.state).0.iter().filter(|line| line.contains(" waits: ")).count(), 50);
    let measured = |desk: &mut Desk, brief: &str| {
        let foresight = Foresight::Measured(Box::new(Preview { brief: brief.to_owned(), ..Preview::default() }));
        for id in (1..=50).map(OperationId) {
            let seal = desk.state.queue.gate().seal(id).unwrap();
            desk.event(Event::Measured(id, seal, foresight.clone()));
        }
    };
    measured(&mut desk, "1 file");
    let told = teller.tell(&desk.state).0;
    assert_eq!(told.len(), 11, "{told:#?}");
    assert_eq!(told[9], "operation 10 would change: 1 file");
    assert_eq!(told[10], "what 40 more would change: list tells it");
    let listed = teller.answer(&desk.state, &Said::read("list")).0;
    assert_eq!(listed.iter().filter(|line| line.contains(" – 1 file – ")).count(), 50, "{listed:#?}");
    measured(&mut desk, "1 file");
    assert_eq!(teller.tell(&desk.state).0, Vec::<String>::new(), "that is no news");
    measured(&mut desk, "2 files");
    assert_eq!(teller.tell(&desk.state).0.len(), 11, "that is");
}

#[test]
fn what_was_not_run_is_told_in_the_words_of_the_rows() {
    let mut desk = Desk::new();
    desk.state.go_linear();
    desk.send("go");
    desk.call(&vec![("execute_command", r#"{"command":"make report"}"#, high("It makes.")); 3]);
    let mut teller = Teller::default();
    teller.tell(&desk.state);
    let typed = Millis(desk.now + 1_000);
    for line in ["deny 1 because it is late", "deny 2", "stop all"] {
        desk.event(Event::Said(Said::read(line), typed));
    }
    let told = teller.tell(&desk.state).0;
    let ended = |id| told.iter().find_map(|line| line.strip_prefix(&format!("operation {id} "))).map(str::to_owned);
    assert_eq!(ended(1).as_deref(), Some("denied by you: it is late"), "{told:#?}");
    assert_eq!(ended(2).as_deref(), Some("denied by you"));
    assert_eq!(ended(3).as_deref(), Some("not started"));
}

#[test]
fn rows_that_the_model_says_again_are_told_once() {
    let row = |id: u64| vec![Some(id.to_string()), Some(format!("name {id}"))];
    let said = |rows: u64| {
        let rows = (1..=rows).map(|id| format!("| {id} | name {id} |\n")).collect::<Vec<_>>().concat();
        format!("These are they:\n\n| id | name |\n| ---: | --- |\n{rows}\nThat only read.")
    };
    for (total, repeated, line) in [
        (3, 3, Some("the rows of operation 1, told above")),
        (30, 24, Some("the first 24 rows of operation 1, told above in part: output 1 tells all")),
        (3, 2, None),
    ] {
        let mut desk = Desk::new();
        desk.state.go_linear();
        let mut teller = Teller::default();
        desk.send("go");
        desk.call(&[("execute_sql", r#"{"sql":"SELECT 1"}"#, low("SELECT only reads."))]);
        let table = Table {
            columns: vec!["id".to_owned(), "name".to_owned()],
            types: vec!["INTEGER".to_owned(), "text".to_owned()],
            rows: (1..=total).map(row).collect(),
            total,
            ..Table::default()
        };
        desk.event(Event::Run(OperationId(1), RunEvent::Table(Arc::new(table))));
        desk.finish(1, Outcome::Succeeded { summary: format!("{total} rows") }, 4);
        let told = teller.tell(&desk.state).0;
        assert_eq!(told.iter().filter(|line| line.contains("name 2")).count(), 1, "{told:#?}");
        let mut told = Vec::new();
        for piece in said(repeated).split_inclusive(' ') {
            desk.say(piece);
            told.extend(teller.tell(&desk.state).0);
        }
        desk.end(StopReason::Done);
        told.extend(teller.tell(&desk.state).0);
        let rows = told.iter().filter(|line| line.contains("name ")).count();
        assert_eq!(
            (rows == 0, told.iter().any(|said| Some(said.as_str()) == line)),
            (line.is_some(), line.is_some()),
            "{told:#?}"
        );
        assert!(told.contains(&"| That only read.".to_owned()), "{told:#?}");
    }
}
