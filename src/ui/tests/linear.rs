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
