//! What runs is what was shown.

use super::*;
use crate::domain::{Assessment, Claim, Class, CommandOperation, Facts, Finding, Place, RiskLevel};

/// A command that no rule knows, and that the model claims is low.
fn claimed() -> Prepared {
    let mut assessment = Assessment::of(Finding::new("command.unknown-program", Class::Unknown, "No rule covers it."));
    assessment.claim_eligible = true;
    let kind = OperationKind::Command(CommandOperation { command: "make".to_owned(), timeout: None, terminal: false });
    let place = Place { cwd: "/w".into(), workspace: "/w".into(), home: None };
    let operation = Operation {
        id: OperationId(1),
        origin: Origin::Model { call_id: "a".to_owned() },
        tool: "execute_command".to_owned(),
        claim: Claim::Level(RiskLevel::Low),
        kind,
        cwd: "/w".into(),
    };
    Prepared { operation, facts: Facts { place, ..Facts::default() }, assessment }
}

fn staging() -> Enforceable {
    Enforceable { staged_command: true, ..Enforceable::default() }
}

#[test]
fn what_was_shown_without_walls_and_approved_runs_without_them() {
    let mut gate = Gate::new(Policy::default(), Enforceable::default());
    assert!(matches!(gate.admit(claimed()), Admission::Waiting(_)), "nothing stages yet");
    gate.set_enforceable(staging());
    let seal = gate.seal(OperationId(1)).unwrap();
    assert!(gate.approve(OperationId(1), seal));
    let Release::Run(run) = gate.release(OperationId(1), claimed()) else { panic!("it was approved") };
    assert_eq!(run.containment(), Containment::None);
}

#[test]
fn what_runs_unasked_is_contained_by_what_is_enforced_when_it_starts() {
    let mut gate = Gate::new(Policy::default(), staging());
    assert!(matches!(gate.admit(claimed()), Admission::Allowed(_)));
    let Release::Run(run) = gate.release(OperationId(1), claimed()) else { panic!("nobody has to be asked") };
    assert_eq!(run.containment(), Containment::Staged);
    assert!(matches!(gate.admit(claimed()), Admission::Allowed(_)));
    gate.set_enforceable(Enforceable::default());
    assert!(matches!(gate.release(OperationId(1), claimed()), Release::Requeued(_)), "nothing stages any more");
}
