//! Whether a contained run that failed smells of a wall: by what programs say when a system call is refused. Nobody
//! saw the refusal itself, so nothing more is said than that a wall may have stopped it.

use crate::contain::Plan;

/// What programs print for `EPERM`, `EACCES`, `EROFS`, `EXDEV` (a folder below a layer isn't renamed) and what follows from a missing network or terminal.
const PHRASES: [&str; 13] = [
    "operation not permitted",
    "permission denied",
    "read-only file system",
    "function not implemented",
    "could not resolve",
    "couldn't resolve",
    "name resolution",
    "name or service not known",
    "network is unreachable",
    "network is down",
    "socket: ",
    "no such device or address",
    "invalid cross-device link",
];

/// What a failed run's output says of walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Smell {
    /// Nothing.
    None,
    /// Only that sensitive files couldn't be read, which is as it should be.
    Hidden,
    /// Something may have been refused that it needed.
    Wall,
}

/// Looks for refusals, line by line.
pub(super) fn smell(output: &str, plan: &Plan) -> Smell {
    let refused = |line: &&str| {
        let line = line.to_lowercase();
        PHRASES.iter().any(|phrase| line.contains(phrase))
    };
    let mut lines = output.lines().filter(refused).peekable();
    if lines.peek().is_none() {
        return Smell::None;
    }
    let names: Vec<_> = plan.hidden.iter().filter_map(|hidden| hidden.path.file_name()?.to_str()).collect();
    if lines.all(|line| names.iter().any(|name| line.contains(name))) { Smell::Hidden } else { Smell::Wall }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contain::Hidden;

    #[test]
    fn a_refusal_is_told_from_a_hidden_file_and_from_any_other_failure() {
        let hidden = vec![Hidden { path: "/w/.env".into(), instead: None }];
        let plan = Plan { hidden, ..Plan::default() };
        for (output, expected) in [
            ("grep: ./.env: Permission denied", Smell::Hidden),
            ("grep: ./.env: Permission denied\ntouch: a: Read-only file system", Smell::Wall),
            ("mkdir: cannot create directory 'x': Read-only file system", Smell::Wall),
            ("curl: (6) Could not resolve host: example.org", Smell::Wall),
            ("OSError: [Errno 18] Invalid cross-device link: 'olddir' -> 'newdir'", Smell::Wall),
            ("ls: cannot access 'x': No such file or directory", Smell::None),
            ("", Smell::None),
        ] {
            assert_eq!(smell(output, &plan), expected, "{output}");
        }
    }
}
