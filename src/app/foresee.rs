//! What waits is measured: asked for once for each seal, kept while the operation waits, forgotten after. Nothing
//! here decides, and no decision waits for it.

use super::State;
use super::event::Effect;
use super::modal::Modal;
use crate::domain::{
    Decider, Detail, Foresight, Judgement, OperationId, OperationKind, Prepared, Preview, Remedy, RiskLevel, Seal,
    Shape, Share, Standing, Verdict,
};

/// Why an operation waits again that would do something else than was shown.
const OTHERWISE: &str = "It would do something else now than was shown.";

/// How a sentence ends about what nobody was asked about.
const NOT_ENOUGH: &str = "a rule or your approval of this turn isn't enough for that.";

/// What is expected of an operation, right before its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// What the person was shown that it would do.
    Shown(Box<Preview>),
    /// Nobody was shown this one: a rule or the turn's approval covers it.
    Covered {
        /// All that the approval was given to could be undone.
        undone: bool,
        /// It changes the rows that its condition meets.
        meets: bool,
    },
}

impl Expected {
    /// Why it waits, where it would do something else or more. What can't be told in time is taken for what was shown,
    /// but neither for something that could be undone nor for a few rows.
    #[must_use]
    pub fn unlike(&self, now: Option<&Foresight>) -> Option<String> {
        let measured = match now {
            Some(Foresight::Measured(now)) => Some(now),
            _ => None,
        };
        match self {
            Self::Shown(shown) => {
                let told = !matches!(now, None | Some(Foresight::Unmeasurable(_) | Foresight::Measuring));
                (told && measured != Some(shown)).then(|| OTHERWISE.to_owned())
            }
            Self::Covered { undone, meets } => {
                let undoable = measured.is_some_and(|now| matches!(now.remedy, Remedy::Possible(_)));
                let share = measured.and_then(|now| now.share);
                if *meets && share.is_none() {
                    Some(format!("How much of the table it would change isn't known: {NOT_ENOUGH}"))
                } else if *meets && share.is_some_and(Share::is_most) {
                    Some(format!("It would change most of the table: {NOT_ENOUGH}"))
                } else if *undone && !undoable && now != Some(&Foresight::Nothing) {
                    Some("What you approved could be undone, this can't.".to_owned())
                } else {
                    None
                }
            }
        }
    }
}

/// Whether a preview stands before the operation's text: of a file, a diff says in a few lines what its whole new
/// text says in many.
#[must_use]
pub fn leads(kind: &OperationKind, foresight: &Foresight) -> bool {
    match (kind, foresight) {
        (OperationKind::File(_), Foresight::Measured(preview)) => {
            matches!(preview.details.first(), Some(Detail::Diff { .. }))
        }
        (OperationKind::Apply(_), Foresight::Measured(preview)) => !preview.details.is_empty(),
        _ => false,
    }
}

impl State {
    /// Asks for the measure of what began to wait or changed, and stops that of what no longer waits.
    pub(super) fn foresee(&mut self, effects: &mut Vec<Effect>) {
        let gate = &self.queue.gate;
        let mut by_hand = Vec::new();
        self.queue.foresights.retain(|id, (seal, foresight)| {
            let current = gate.seal(*id) == Some(*seal);
            match foresight {
                _ if current => {}
                Foresight::Measuring => effects.push(Effect::StopMeasuring(*id)),
                Foresight::Measured(preview) => {
                    if let Remedy::ByHand(how) = &preview.remedy {
                        by_hand.push((*id, how.clone()));
                    }
                }
                Foresight::Nothing | Foresight::Unmeasurable(_) => {}
            }
            current
        });
        for (id, how) in by_hand {
            self.queue.told_by_hand(id, how);
        }
        // What ran may have changed what the others were told from: they are measured anew once nothing of that sort is
        // under way, and stand as they were until that lands.
        let again = self.queue.outdated && !self.queue.under_way();
        self.queue.outdated &= !again;
        let gate = &self.queue.gate;
        for id in gate.waiting() {
            if let Some((seal, _)) = self.queue.foresights.get(&id) {
                if let Some(prepared) = gate.prepared(id).filter(|_| again) {
                    effects.push(Effect::Measure(Box::new(prepared.clone()), *seal));
                }
                continue;
            }
            if let (Some(seal), Some(prepared)) = (gate.seal(id), gate.prepared(id)) {
                effects.push(Effect::Measure(Box::new(prepared.clone()), seal));
                self.queue.foresights.insert(id, (seal, Foresight::Measuring));
            }
        }
    }

    /// What is expected of an operation that is to start. Of a command that destroys, what the person was shown: what it
    /// acts on may have changed since, without a word of its text, and where that goes on, the second yes counts. Of what
    /// nobody was shown, that it is no more than what an earlier yes was given to.
    pub(super) fn expected(&self, id: OperationId) -> Option<Expected> {
        let item = self.queue.get(id)?;
        let high = item.judgement.as_ref().is_some_and(|judgement| judgement.risk == RiskLevel::High);
        let kind = &self.queue.gate.prepared(id)?.operation.kind;
        let command = matches!(kind, OperationKind::Command(_));
        let writes = matches!(kind, OperationKind::Sql(_)) || command && high;
        // Who allowed a statement without a condition allowed all of the table.
        let conditional = |shape: &Shape| {
            let part = |name: &str| shape.0.get(name).map_or("", String::as_str);
            part("statement") == "merge" || part("where") == "yes" && ["update", "delete"].contains(&part("statement"))
        };
        let meets = self.queue.gate.prepared(id)?.assessment.shapes.iter().any(conditional);
        let Some(Standing::Allowed(decider)) = self.queue.gate.standing(id) else { return None };
        match (decider, self.queue.foresights.get(&id)) {
            (Decider::Person | Decider::PersonAll, Some((_, Foresight::Measured(shown)))) => {
                let again = item.requeued.as_deref() == Some(OTHERWISE);
                (high && command && !again).then(|| Expected::Shown(shown.clone()))
            }
            (Decider::TurnApproval, _) if writes => Some(Expected::Covered { undone: self.queue.undone(), meets }),
            (Decider::Rule, _) if meets && self.queue.gate.by_saved_rule(id) => {
                Some(Expected::Covered { undone: false, meets })
            }
            _ => None,
        }
    }

    /// Right before its start an operation would do something else than is expected: it waits again, or is denied where
    /// nobody is there. True: the screen changes.
    pub(super) fn otherwise(
        &mut self,
        id: OperationId,
        prepared: Prepared,
        (foresight, why): (Foresight, String),
        effects: &mut Vec<Effect>,
    ) -> bool {
        let allowed = matches!(self.queue.gate.standing(id), Some(Standing::Allowed(_)));
        if let Some(judgement) = self.queue.gate.judgement(id).cloned().filter(|_| allowed && !self.attended()) {
            let reason = format!("Nobody is there to confirm it. {why}");
            let judgement = Judgement { verdict: Verdict::Deny, unattended: true, reason, ..judgement };
            self.deny(id, Decider::Policy, judgement, None, effects);
            self.start_next(effects);
        } else if let Some(seal) = self.queue.gate.put_back(id, prepared) {
            self.requeue(id, why);
            self.queue.foresights.insert(id, (seal, foresight));
            self.start_next(effects);
        }
        true
    }

    /// Keeps what was measured, if that is still what waits. True if the screen changes.
    pub(super) fn measured(&mut self, id: OperationId, seal: Seal, foresight: Foresight) -> bool {
        let Some((current, held)) = self.queue.foresights.get_mut(&id) else { return false };
        if *current != seal {
            return false;
        }
        let told = std::mem::replace(held, foresight);
        let changed = told != Foresight::Measuring && told != *held;
        let leads = self.queue.gate.prepared(id).is_some_and(|prepared| leads(&prepared.operation.kind, held));
        let now = self.now;
        if let Some(Modal::Confirm(dialog)) = &mut self.modal
            && dialog.seal == seal
        {
            dialog.landed(leads, now);
            if changed {
                dialog.changed();
            }
        } else if changed && let Some(over) = self.picker_mut().and_then(|picker| picker.over.as_mut()) {
            over.outdated |= over.seal == seal;
        }
        true
    }
}
