//! What is told by lines is what is sealed.

use super::*;
use crate::app::{Millis, Proposal, Said};
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
