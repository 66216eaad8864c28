//! The arguments of tools that most agents have, under the names that each gives them. What must be there and isn't, or
//! is of another sort, makes the call unreadable; what else is there is the agent's own business.

use serde_json::Value;

use super::Wants;
use crate::domain::{CommandOperation, FileOperation, FindOperation, HttpOperation, OperationKind, SearchOperation};

/// What a tool's arguments were read as.
pub(super) type Read = Result<Wants, String>;

/// One operation under the name of the tool of ours that it is judged as.
pub(super) fn one(kind: OperationKind) -> Wants {
    Wants::Operations(vec![named(kind)])
}

/// An operation with the name of the tool of ours that it is judged as.
pub(super) fn named(kind: OperationKind) -> (String, OperationKind) {
    let tool = match &kind {
        OperationKind::Sql(_) => "execute_sql",
        OperationKind::Command(_) => "execute_command",
        OperationKind::File(_) => "file_operations",
        OperationKind::Http(_) => "http_request",
        OperationKind::Search(_) => "search_files",
        OperationKind::Find(_) => "find_files",
        OperationKind::Mcp(_)
        | OperationKind::Answer(_)
        | OperationKind::Undo(_)
        | OperationKind::Apply(_)
        | OperationKind::Other(_) => "",
    };
    (tool.to_owned(), kind)
}

/// A member that may be absent: the first of these names that is there and isn't null.
pub(super) fn member<'a>(input: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| input.get(name).filter(|value| !value.is_null()))
}

/// A text that may be absent.
pub(super) fn optional(input: &Value, names: &[&str]) -> Result<Option<String>, String> {
    match member(input, names) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("its `{}` is no text", names[0])),
    }
}

/// A text that must be there.
pub(super) fn text(input: &Value, names: &[&str]) -> Result<String, String> {
    optional(input, names)?.ok_or_else(|| format!("its `{}` is missing", names[0]))
}

/// A text that may be absent, under names of which only one counts. Which of two the agent's tool goes by isn't known
/// here, so two that differ can't be read.
pub(super) fn only(input: &Value, names: &[&str]) -> Result<Option<String>, String> {
    let mut found: Option<(&str, String)> = None;
    for name in names {
        let Some(value) = optional(input, &[name])? else { continue };
        match &found {
            Some((known, other)) if *other != value => {
                return Err(format!("its `{known}` and its `{name}` name different things"));
            }
            Some(_) => {}
            None => found = Some((name, value)),
        }
    }
    Ok(found.map(|(_, value)| value))
}

/// The same for a text that must be there.
pub(super) fn the(input: &Value, names: &[&str]) -> Result<String, String> {
    only(input, names)?.ok_or_else(|| format!("its `{}` is missing", names[0]))
}

/// A number that is used if it is one.
fn number(input: &Value, name: &str) -> Option<u64> {
    input.get(name).and_then(Value::as_u64)
}

/// A shell command.
pub(super) fn command(input: &Value) -> Read {
    let command = text(input, &["command"])?;
    Ok(one(OperationKind::Command(CommandOperation { command, timeout: None, terminal: false })))
}

/// Names that agents give the path of a file, and of a folder.
const FILE: [&str; 5] = ["file_path", "path", "absolute_path", "notebook_path", "target_file"];
const FOLDER: [&str; 4] = ["path", "dir_path", "directory", "target_directory"];

/// Reading a file.
pub(super) fn read_file(input: &Value) -> Read {
    let path = the(input, &FILE)?;
    let (offset, limit) = (number(input, "offset"), number(input, "limit"));
    Ok(one(OperationKind::File(FileOperation::Read { path, offset, limit })))
}

/// Listing a folder.
pub(super) fn list_folder(input: &Value) -> Read {
    let path = only(input, &FOLDER)?.unwrap_or_else(|| ".".to_owned());
    Ok(one(OperationKind::File(FileOperation::List { path })))
}

/// Writing a file whole.
pub(super) fn write_file(input: &Value) -> Read {
    let content = only(input, &["content", "contents", "file_text", "file_content"])?.unwrap_or_default();
    Ok(one(OperationKind::File(FileOperation::Write { path: the(input, &FILE)?, content })))
}

/// Deleting a file.
pub(super) fn delete_file(input: &Value) -> Read {
    Ok(one(OperationKind::File(FileOperation::Delete { path: the(input, &FILE)? })))
}

/// Replacing text in a file: one edit, or a list of them.
pub(super) fn edit_file(input: &Value) -> Read {
    let path = the(input, &FILE)?;
    let edit = |edit: &Value| -> Result<_, String> {
        let flag = |names: &[&str]| member(edit, names).and_then(Value::as_bool).unwrap_or_default();
        Ok(named(OperationKind::File(FileOperation::Edit {
            path: path.clone(),
            old: only(edit, &["old_string", "old_str", "old_text"])?.unwrap_or_default(),
            new: only(edit, &["new_string", "new_str", "new_source", "new_text"])?.unwrap_or_default(),
            all: flag(&["replace_all", "allow_multiple"]),
        })))
    };
    match input.get("edits") {
        Some(Value::Array(edits)) if !edits.is_empty() => {
            edits.iter().map(edit).collect::<Result<_, _>>().map(Wants::Operations)
        }
        Some(_) => Err("its `edits` is no list of edits".to_owned()),
        None => Ok(Wants::Operations(vec![edit(input)?])),
    }
}

/// Names that agents give what is looked for, and the files that are looked at.
const SOUGHT: [&str; 2] = ["pattern", "query"];
const GLOBS: [&str; 3] = ["glob", "include", "include_pattern"];
/// Arguments of a search that change neither where it looks nor what it leaves out, but to look at less.
const HARMLESS: [&str; 38] = [
    "-A",
    "-B",
    "-C",
    "-i",
    "-n",
    "-o",
    "after",
    "before",
    "caseSensitive",
    "case_insensitive",
    "case_sensitive",
    "context",
    "description",
    "exclude",
    "exclude_pattern",
    "explanation",
    "fixed_strings",
    "head_limit",
    "ignore_case",
    "is_regexp",
    "limit",
    "line_numbers",
    "maxResults",
    "max_count",
    "max_matches_per_file",
    "max_results",
    "multiline",
    "names_only",
    "offset",
    "output_mode",
    "show_line_numbers",
    "sort",
    "sort_ascending",
    "timeout",
    "total_max_matches",
    "type",
    "wait_for_previous",
    "working_directory",
];

/// The folders that a search names; one that may be anywhere if it names none. An argument that isn't known may lead it
/// elsewhere: then it isn't read.
fn searched(input: &Value, known: &[&[&str]]) -> Result<Vec<Option<String>>, String> {
    let several = ["paths", "target_directories"];
    let expected = |name: &str| {
        known.iter().any(|names| names.contains(&name))
            || [FOLDER.as_slice(), &several, &HARMLESS].iter().any(|names| names.contains(&name))
    };
    let others = input.as_object().into_iter().flatten().filter(|(_, value)| !matches!(value, Value::Null));
    if let Some((name, _)) = others.into_iter().find(|(name, _)| !expected(name)) {
        return Err(format!("its `{name}` isn't known"));
    }
    let mut folders: Vec<Option<String>> = only(input, &FOLDER)?.into_iter().map(Some).collect();
    match member(input, &several) {
        None => {}
        Some(Value::String(path)) => folders.push(Some(path.clone())),
        Some(Value::Array(paths)) => {
            for path in paths {
                folders.push(Some(path.as_str().ok_or("its `paths` are no texts")?.to_owned()));
            }
        }
        Some(_) => return Err("its `paths` are no texts".to_owned()),
    }
    Ok(if folders.is_empty() { vec![None] } else { folders })
}

/// Looking for files by name.
pub(super) fn find_files(input: &Value) -> Read {
    let names = ["pattern", "glob", "glob_pattern"];
    let glob = the(input, &names)?;
    // Names are no contents: what is ignored may be among them.
    let spares = ["respect_git_ignore", "respect_gemini_ignore"];
    let find = |path| named(OperationKind::Find(FindOperation { glob: glob.clone(), path }));
    Ok(Wants::Operations(searched(input, &[&names, &spares])?.into_iter().map(find).collect()))
}

/// Looking for text in files.
pub(super) fn search_files(input: &Value) -> Read {
    let pattern = the(input, &SOUGHT)?;
    let glob = only(input, &GLOBS)?;
    let ignore_case = input.get("-i").and_then(Value::as_bool).unwrap_or_default();
    let search = |path| {
        let (pattern, glob) = (pattern.clone(), glob.clone());
        named(OperationKind::Search(SearchOperation { pattern, path, glob, ignore_case }))
    };
    Ok(Wants::Operations(searched(input, &[&SOUGHT, &GLOBS])?.into_iter().map(search).collect()))
}

/// A look at a page.
fn get(url: String) -> (String, OperationKind) {
    // Agents ask for the safe one of the two where none is named.
    let url = if url.contains("://") { url } else { format!("https://{url}") };
    named(OperationKind::Http(HttpOperation { method: "GET".to_owned(), url, headers: Vec::new(), body: None }))
}

/// Fetching one page.
pub(super) fn fetch(input: &Value) -> Read {
    Ok(Wants::Operations(vec![get(text(input, &["url"])?)]))
}

/// Fetching every page that a prompt names, and the one beside it.
pub(super) fn fetch_prompted(input: &Value) -> Read {
    let prompt = optional(input, &["prompt"])?.unwrap_or_default();
    let mut pages: Vec<_> = prompt.split_whitespace().flat_map(addresses).map(|url| get(url.to_owned())).collect();
    pages.extend(optional(input, &["url"])?.map(get));
    if pages.is_empty() { Err("it names no address to fetch".to_owned()) } else { Ok(Wants::Operations(pages)) }
}

/// The addresses in a word, wherever in it they begin. What stands around one in a sentence isn't part of it.
fn addresses(word: &str) -> Vec<&str> {
    let lower = word.to_ascii_lowercase();
    let mut starts: Vec<(usize, &str)> =
        ["http://", "https://"].iter().flat_map(|scheme| lower.match_indices(scheme)).collect();
    starts.sort_unstable();
    let address = |(start, scheme): (usize, &str)| {
        let whole = &word[start..];
        let end = whole.find(|c| "<>\"'`()[]{},".contains(c)).unwrap_or(whole.len());
        let (cut, rest) = whole.split_at(end);
        // A host that goes on behind what ends it in a sentence may be another one.
        let within_host = !cut[scheme.len()..].contains(['/', '?', '#']);
        let taken = if within_host && rest.contains(|c: char| c.is_alphanumeric()) { whole } else { cut };
        taken.trim_end_matches(['.', ';', ':', '!', '?'])
    };
    starts.into_iter().map(address).collect()
}

/// Searching the web.
pub(super) fn search_web(input: &Value) -> Read {
    Ok(Wants::WebSearch(the(input, &["query", "search_term"])?))
}

/// A word as a shell takes it whole.
#[must_use]
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gists(read: Read) -> Vec<String> {
        match read.unwrap() {
            Wants::Operations(operations) => {
                operations.iter().map(|(tool, kind)| format!("{tool}: {}", kind.gist())).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arguments_are_read_by_any_of_their_names() {
        assert_eq!(gists(read_file(&json!({"absolute_path": "/a", "offset": 2}))), ["file_operations: read /a"]);
        assert_eq!(gists(list_folder(&json!({"dir_path": "src"}))), ["file_operations: list src"]);
        assert_eq!(gists(list_folder(&json!({}))), ["file_operations: list ."]);
        assert_eq!(gists(find_files(&json!({"pattern": "*.rs", "path": null}))), ["find_files: *.rs"]);
        let edits = json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}, {"new_string": "z"}]});
        assert_eq!(gists(edit_file(&edits)), ["file_operations: edit a", "file_operations: edit a"]);
        assert_eq!(gists(fetch(&json!({"url": "example.org/a"}))), ["http_request: GET https://example.org/a"]);
        let prompt = "Compare https://a.example/x?y=1, and (HTTP://b.example).";
        assert_eq!(
            gists(fetch_prompted(&json!({ "prompt": prompt, "url": "c.example" }))),
            [
                "http_request: GET https://a.example/x?y=1",
                "http_request: GET HTTP://b.example",
                "http_request: GET https://c.example",
            ]
        );
    }

    #[test]
    fn an_address_counts_wherever_in_a_word_it_begins() {
        assert_eq!(addresses("x=https://a/;see"), ["https://a/;see"]);
        assert_eq!(addresses("HTTPS://b"), ["HTTPS://b"]);
        assert_eq!(addresses("https://a/?u=http://b,c"), ["https://a/?u=http://b", "http://b,c"]);
        assert_eq!(addresses("https://a.example,@b.example/"), ["https://a.example,@b.example/"]);
    }

    #[test]
    fn an_argument_under_two_names_that_differ_is_not_read() {
        for read in [
            search_files(&json!({"pattern": "x", "dir_path": "~/.ssh", "path": "."})),
            search_files(&json!({"pattern": "x", "glob": "*.rs", "include": ".env"})),
            read_file(&json!({"absolute_path": "/a", "file_path": "b"})),
            write_file(&json!({"path": "a", "content": "b", "file_text": "c"})),
            delete_file(&json!({"path": "a", "target_file": "b"})),
            edit_file(&json!({"path": "a", "file_path": "b"})),
            list_folder(&json!({"path": ".", "directory": "/"})),
            find_files(&json!({"pattern": "a", "glob": "b"})),
            search_web(&json!({"query": "a", "search_term": "b"})),
        ] {
            assert!(read.is_err(), "{read:?}");
        }
        assert_eq!(gists(read_file(&json!({"path": "/a", "file_path": "/a"}))), ["file_operations: read /a"]);
    }

    #[test]
    fn a_search_is_read_in_every_folder_that_it_names_and_not_at_all_with_an_argument_that_is_not_known() {
        let several = json!({"pattern": "x", "paths": ["a", "~/.ssh"], "output_mode": "content", "-n": true});
        assert_eq!(gists(search_files(&several)), ["search_files: x in a", "search_files: x in ~/.ssh"]);
        assert_eq!(gists(find_files(&json!({"pattern": "*", "paths": "/etc"}))), ["find_files: * in /etc"]);
        for input in [
            json!({"pattern": "x", "no_ignore": true}),
            json!({"pattern": "x", "folders": ["/etc"]}),
            json!({"pattern": "x", "paths": [1]}),
            json!({"pattern": "x", "paths": {}}),
        ] {
            assert!(search_files(&input).is_err() && find_files(&input).is_err(), "{input}");
        }
    }

    #[test]
    fn what_is_missing_or_of_another_sort_is_not_read() {
        for read in [
            command(&json!({"cmd": "ls"})),
            command(&json!({"command": ["ls"]})),
            read_file(&json!({"file_path": 7})),
            edit_file(&json!({"file_path": "a", "edits": {}})),
            fetch_prompted(&json!({"prompt": "no address"})),
        ] {
            assert!(read.is_err(), "{read:?}");
        }
    }

    #[test]
    fn a_quoted_word_stays_one_word() {
        assert_eq!(quoted("it's $x"), r"'it'\''s $x'");
    }
}
