//! Editing an operation before it runs: the text, judged anew at every change, and what becomes of it. What was
//! edited is proposed again under its number and needs its own approval.

use crossterm::event::{KeyEvent, KeyEventKind};
use tui_textarea::{CursorMove, TextArea};

use super::State;
use super::composer::type_into;
use super::event::{Effect, Proposal};
use super::keymap::{Command, Context};
use super::modal::{Asking, Modal};
use crate::domain::{ANSWER, Edit, Editable, JournalEvent, Judgement, OperationId, Origin, Prepared, Seal, ToolCall};

/// What is known of the text as it stands.
#[derive(Debug)]
pub enum Draft {
    /// It is being judged.
    Judging,
    /// It is an operation, and this is how it would be judged.
    Judged(Box<Prepared>, Judgement),
    /// It is none, or not what the tool takes. In one sentence.
    Wrong(String),
}

/// The editor of one operation.
#[derive(Debug)]
pub struct Editor {
    /// The operation.
    pub id: OperationId,
    /// What it was when it was opened.
    seal: Seal,
    /// What is edited.
    pub editable: Editable,
    /// The text.
    pub area: TextArea<'static>,
    /// What is known of it.
    pub draft: Draft,
    /// A sentence about the last key.
    pub hint: Option<String>,
    /// The text that was judged or is being judged, and the number of that draft.
    asked: (String, u64),
    /// An answer is on its way; the newest text is asked for once it came.
    asking: bool,
}

impl Editor {
    /// What stands in it.
    #[must_use]
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether it was changed.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.text() != self.editable.text()
    }
}

impl State {
    /// Opens the operation of the dialog, or the selected one that waits, for editing.
    pub(super) fn edit(&mut self, id: OperationId, effects: &mut Vec<Effect>) {
        let (seal, editable) = match self.editable(id) {
            Ok(found) => found,
            Err(why) => return self.refuse_edit(why),
        };
        let Some(item) = self.queue.get(id) else { return };
        let masked = item.prepared.as_ref().is_some_and(|prepared| !prepared.assessment.secrets.is_empty());
        let shown = matches!(&self.modal, Some(Modal::Confirm(dialog)) if dialog.revealed);
        if masked && !shown {
            if self.modal.is_none() {
                self.open(id);
            }
            self.refuse_edit("Secrets in it are masked: show them first, then edit.".to_owned());
            return;
        }
        let text = item.draft.clone().unwrap_or_else(|| editable.text());
        let mut area = area(&text);
        let open = text.lines().position(|line| !line.starts_with('#') && line.trim_end().ends_with(':'));
        if let (true, Some(line)) = (item.is_open_form(), open) {
            // The first field without an answer.
            area.move_cursor(CursorMove::Jump(u16::try_from(line).unwrap_or_default(), u16::MAX));
        }
        let editor = Editor {
            id,
            seal,
            editable,
            area,
            draft: Draft::Judging,
            hint: None,
            asked: (String::new(), 0),
            asking: false,
        };
        self.modal = Some(Modal::Edit(Box::new(editor)));
        self.judge_draft(effects);
    }

    /// What of an operation can be edited, and under which seal it waits.
    fn editable(&self, id: OperationId) -> Result<(Seal, Editable), String> {
        let waits = self.queue.gate.seal(id).zip(self.queue.get(id));
        let (seal, item) = waits.ok_or_else(|| format!("{id} doesn't wait."))?;
        let kind = item.prepared.as_ref().map(|prepared| &prepared.operation.kind);
        let editable = kind.and_then(|kind| Editable::of(&item.call, kind));
        let editable = editable.ok_or_else(|| format!("{id} can't be edited."))?;
        if matches!(item.origin, Origin::Program { .. }) && item.call.name != ANSWER {
            return Err(format!("{id} repeats what ran: edit that one's text and run it yourself."));
        }
        Ok((seal, editable))
    }

    /// A line puts a text in the place of what waits. It is told again, and waits for its own approval.
    pub(super) fn edit_line(&mut self, id: OperationId, text: &str, effects: &mut Vec<Effect>) {
        let number = id.0;
        let edited = self.editable(id).and_then(|(seal, editable)| {
            if editable.is_form() {
                Err(format!("{id} is a form: type fill {number} FIELD: ANSWER."))
            } else if text.is_empty() {
                Err(format!(
                    "Type edit {number}: and all of the new text in one line: it takes the place of the whole {}.",
                    editable.what()
                ))
            } else if text == editable.text() {
                Err("Nothing was changed.".to_owned())
            } else {
                Ok((seal, editable.with(text)?))
            }
        });
        match edited {
            Ok((seal, call)) => drop(self.propose_edited((id, seal), Edit::Text, call, effects)),
            Err(why) => self.hint = Some(why),
        }
    }

    fn refuse_edit(&mut self, hint: String) {
        match &mut self.modal {
            Some(Modal::Confirm(dialog)) => dialog.hint = Some(hint),
            Some(Modal::Edit(_) | Modal::Pick(_) | Modal::Page { .. } | Modal::Setup(_)) | None => {
                self.hint = Some(hint);
            }
        }
    }

    pub(super) fn editor_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        self.last_typed = Some(self.now);
        let command = self.keymap.command(Context::Editor, key);
        let Some(Modal::Edit(editor)) = &mut self.modal else { return };
        editor.hint = None;
        match command {
            Some(Command::Back) => self.leave_editor(),
            Some(Command::External) if key.kind == KeyEventKind::Press => {
                let (id, text, suffix) = (editor.id, editor.text(), editor.editable.suffix());
                effects.push(Effect::OpenEditor { id, text, suffix });
            }
            Some(Command::UseEdit) if key.kind == KeyEventKind::Press => self.use_edit(effects),
            Some(Command::Interrupt) => {
                self.keep_draft();
                self.interrupt(effects);
            }
            Some(Command::Quit) => self.leave(effects),
            Some(Command::StopAll) => {
                self.keep_draft();
                self.stop_everything(effects);
            }
            Some(_) => {}
            None => {
                type_into(&mut editor.area, key);
                self.judge_draft(effects);
            }
        }
    }

    /// The text comes back from the person's own editor: judged anew, used by a key as ever.
    pub(super) fn edited_outside(&mut self, id: OperationId, text: Result<String, String>, effects: &mut Vec<Effect>) {
        self.last_typed = Some(self.now);
        match (&mut self.modal, text) {
            (Some(Modal::Edit(editor)), Ok(text)) if editor.id == id => {
                editor.area = area(&text);
                self.judge_draft(effects);
            }
            (Some(Modal::Edit(editor)), Err(why)) => editor.hint = Some(why),
            // It is no longer open: the text is kept for the next time.
            (_, Ok(text)) => {
                if let Some(item) = self.queue.item_mut(id) {
                    item.draft = Some(text);
                }
            }
            (_, Err(why)) => self.hint = Some(why),
        }
    }

    /// Pasted text goes into the text.
    pub(super) fn paste_edit(&mut self, text: &str, effects: &mut Vec<Effect>) {
        if let Some(Modal::Edit(editor)) = &mut self.modal {
            editor.area.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
            self.judge_draft(effects);
        }
    }

    /// Asks for the newest text to be judged, one at a time.
    fn judge_draft(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Edit(editor)) = &mut self.modal else { return };
        let text = editor.text();
        if editor.asking || editor.asked.0 == text && editor.asked.1 > 0 {
            return;
        }
        self.drafts += 1;
        editor.asked = (text, self.drafts);
        match editor.editable.with(&editor.asked.0) {
            Ok(call) => {
                editor.draft = Draft::Judging;
                editor.asking = true;
                let origin = self.queue.get(editor.id).map_or(Origin::Person, |item| item.origin.changed(Edit::Text));
                effects.push(Effect::Assess { draft: self.drafts, id: editor.id, origin, call });
            }
            Err(why) => editor.draft = Draft::Wrong(why),
        }
    }

    /// A draft was judged. One that is no longer the newest is only the reason to ask again.
    pub(super) fn assessed(&mut self, draft: u64, proposal: Proposal, effects: &mut Vec<Effect>) -> bool {
        let Some(Modal::Edit(editor)) = &mut self.modal else { return false };
        if editor.asked.1 != draft {
            return false;
        }
        editor.asking = false;
        editor.draft = match proposal {
            Proposal::Ready(prepared) => {
                let judgement = self.queue.gate.weigh(&prepared);
                Draft::Judged(prepared, judgement)
            }
            Proposal::Refused(why) => Draft::Wrong(why),
        };
        self.judge_draft(effects);
        true
    }

    /// Proposes the edited text in the place of what waited. It waits under the same number.
    fn use_edit(&mut self, effects: &mut Vec<Effect>) {
        let Some(Modal::Edit(editor)) = &mut self.modal else { return };
        if !editor.changed() {
            editor.hint = Some("Nothing was changed.".to_owned());
            return;
        }
        let call = match (&editor.draft, editor.editable.with(&editor.text())) {
            (Draft::Judged(..), Ok(call)) if editor.asked.0 == editor.text() => call,
            (Draft::Judging | Draft::Judged(..), Ok(_)) => {
                editor.hint = Some("It is still being judged: press it again.".to_owned());
                return;
            }
            (_, Err(why)) => {
                editor.hint = Some(why);
                return;
            }
            (Draft::Wrong(why), Ok(_)) => {
                editor.hint = Some(why.clone());
                return;
            }
        };
        let (id, seal) = (editor.id, editor.seal);
        let edit = if editor.editable.is_form() { Edit::Answers } else { Edit::Text };
        if self.propose_edited((id, seal), edit, call, effects) {
            self.modal = None;
        } else if let Some(Modal::Edit(editor)) = &mut self.modal {
            editor.hint = Some(format!("{id} changed or left meanwhile: go back and look again."));
        }
    }

    /// Proposes what waited under a seal anew, as the person changed it. False if it changed or left meanwhile.
    pub(super) fn propose_edited(
        &mut self,
        (id, seal): (OperationId, Seal),
        edit: Edit,
        call: ToolCall,
        effects: &mut Vec<Effect>,
    ) -> bool {
        if !self.queue.gate.take_back(id, seal) {
            return false;
        }
        let Some(item) = self.queue.item_mut(id) else { return false };
        let origin = item.origin.changed(edit);
        item.rewrite(origin.clone(), call.clone());
        self.keep_of(
            id,
            JournalEvent::Asked { origin: origin.clone(), call: call.clone(), takes_back: Vec::new(), tries: None },
        );
        effects.push(Effect::Prepare { id, origin, call });
        true
    }

    /// Esc: back to the dialog; the text is kept for the next time.
    fn leave_editor(&mut self) {
        self.keep_draft();
        let Some(Modal::Edit(editor)) = self.modal.take() else { return };
        self.open(editor.id);
        let key = |command| self.keymap.key(Context::Dialog, command).unwrap_or_default();
        if editor.changed() {
            let (edit, yes) = (key(Command::Edit), key(Command::Approve));
            self.dialog_hint(format!("Your text is kept: {edit} goes on with it. {yes} runs what stands here."));
        }
    }

    fn keep_draft(&mut self) {
        let Some(Modal::Edit(editor)) = &self.modal else { return };
        let draft = editor.changed().then(|| editor.text());
        if let Some(item) = self.queue.item_mut(editor.id) {
            item.draft = draft;
        }
    }

    /// The operation that the edit key is about: the dialog's, else the selected one, else the first that waits.
    pub(super) fn edit_chosen(&mut self, effects: &mut Vec<Effect>) {
        let id = match &self.modal {
            Some(Modal::Confirm(dialog)) if matches!(dialog.asking, Asking::Choice) => Some(dialog.id),
            Some(_) => return,
            None => self.queue.selected().or_else(|| self.queue.waiting().next().map(|item| item.id)),
        };
        match id {
            Some(id) => self.edit(id, effects),
            None => self.hint = Some(self.none_waits()),
        }
    }
}

/// A text area with a text, the cursor at its end.
fn area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::from(text.split('\n'));
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}
