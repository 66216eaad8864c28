//! Calls of a message that passes what one message may ask for: the first ones are taken, and the model is told with
//! their results which were not.

use super::State;
use crate::domain::number::{count, thousands};
use crate::domain::{MOST_CALLS, ToolCall};

/// Bytes in which the model is told of the others, and of one of them.
const TOLD: usize = 4 * 1024;
const CALL: usize = 200;

impl State {
    /// Says that calls aren't taken, and keeps for the model which.
    pub(super) fn leave_untaken(&mut self, left: &[ToolCall]) {
        self.chat.untaken = told(left);
        let [asked, left] = [MOST_CALLS + left.len(), left.len()].map(|calls| thousands(calls as u64));
        let said = format!(
            "The model asked for {asked} calls at once: the first {MOST_CALLS} are taken, and it is told that {left} were \
             not."
        );
        self.chat.notice(said, true);
    }
}

/// What the model reads of calls that were not taken: how many, and which, as far as there is room for that.
fn told(left: &[ToolCall]) -> String {
    let mut said = format!(
        "[A message may ask for {MOST_CALLS} calls. {} of yours came after these; they were not taken, and nothing of \
         them ran. Ask again for those that are still needed:",
        count(left.len(), "call")
    );
    for (at, call) in left.iter().enumerate() {
        let line = format!("\n{} {}", call.name, call.arguments);
        if said.len() + line.len().min(CALL) > TOLD {
            said.push_str(&format!("\n… and {} more", thousands((left.len() - at) as u64)));
            break;
        }
        said.push_str(&line[..line.floor_char_boundary(CALL)]);
        if line.len() > CALL {
            said.push('…');
        }
    }
    said.push(']');
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_told_which_calls_were_not_taken_in_few_bytes() {
        let call = |number: usize, wide: usize| ToolCall {
            id: number.to_string(),
            name: "execute_command".to_owned(),
            arguments: format!("{{\"command\":\"echo {number}{}\"}}", "ü".repeat(wide)),
        };
        let few = told(&[call(257, 0), call(258, 0)]);
        assert!(few.contains("2 calls of yours") && few.ends_with("{\"command\":\"echo 258\"}]"), "{few}");
        let many: Vec<ToolCall> = (0..4_000).map(|number| call(number, 300)).collect();
        let many = told(&many);
        assert!(many.len() < TOLD + 2 * CALL && many.contains("\n… and 3,9"), "{many}");
    }
}
