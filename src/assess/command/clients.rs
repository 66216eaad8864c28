//! Statements given to the clients of databases in their words, and what compilers are asked of themselves.
//!
//! `sqlite3` works on a file of this machine behind the walls of a read, so a statement that the assessor of SQL lets
//! pass may run: what a hostile file brings, views and triggers, can't call the functions of the client that write or
//! load something, which SQLite keeps to statements from outside, but one of them (`edit`) runs a program, which the
//! walls hold and a hook has none to. A server's tables are another matter: what reads as
//! one may be a view over somebody's function, which no session that only reads keeps from running a program, and
//! nothing looks that up here as it does for `execute_sql`. So of `psql` and `mysql` only forms pass whose names are
//! wholly the engine's own, and of `psql` looks at the catalogues in which nothing else takes part.

use super::catalogs::{asks_the_server_alone, names_of_mysql};
use super::judge::{Feed, Judge};
use super::table::table;
use super::word::Word;
use crate::assess::sql::only_reads;
use crate::domain::{Dialect, PathKind};

/// Flags of `sqlite3` that change how results look, or make it stricter; its dashes may be two.
const FLAGS: &str = " ascii bail batch box column csv header html json line list markdown noheader quote readonly safe \
    table tabs ";
/// The same with a value.
const VALUES: &str = " newline nullvalue separator ";
/// Commands of `sqlite3` that only tell what a file holds, or change how results look.
const DOTS: &str = " .tables .schema .fullschema .indexes .indices .databases .dbinfo .version .help .dump .show .mode \
    .headers .header .nullvalue .width .timer .eqp .stats .bail .explain ";
/// What `psql` may be asked to select: called without arguments, or such, so that no function of somebody's own fits
/// better.
const SELECTED: [&str; 13] = [
    // What these are given is of the very type that the server's own take.
    "pg_database_size(current_database())",
    "pg_size_pretty(pg_database_size(current_database()))",
    "version()",
    "now()",
    "current_database()",
    "current_schema()",
    "current_user",
    "session_user",
    "current_date",
    "current_timestamp",
    "pg_is_in_recovery()",
    "pg_postmaster_start_time()",
    "1",
];
/// The same for `mysql`.
const SELECTED_MYSQL: [&str; 9] =
    ["version()", "now()", "database()", "user()", "current_user()", "@@version", "@@hostname", "@@read_only", "1"];
/// What `SHOW` of MySQL and MariaDB tells without an account or its secrets.
/// No indexes: of a table that lies on another server they are asked for there.
const SHOWN: &str = " databases schemas tables status variables processlist engines columns fields collation plugins \
    warnings errors ";

/// What these show is no view, whatever the database says that it is.
const PLAIN: [&str; 10] =
    [".tables", ".schema", ".indexes", ".indices", ".databases", ".mode", ".headers", ".header", ".separator", ".show"];

/// Judges the words of `sqlite3`.
pub(super) fn sqlite(judge: &mut Judge<'_>, first: &Word, words: &[Word]) {
    let Some(operands) = operands(words) else {
        judge.looked_up("sqlite3", first, words);
        return;
    };
    let [file, statements @ ..] = operands.as_slice() else {
        judge.looked_up("sqlite3", first, words);
        return;
    };
    let reads = |word: &&Word| match word.text() {
        Some(text) if text.starts_with('.') => dot(text),
        Some(text) => !text.contains("\n.") && only_reads(Dialect::Sqlite, text),
        None => false,
    };
    let kept = read_only(file);
    let only = kept.is_some()
        || file.text() == Some(":memory:")
        || words.iter().any(|word| matches!(word.text(), Some("-readonly" | "--readonly")));
    let file = kept.unwrap_or_else(|| (*file).clone());
    // What is opened for reading alone is not made.
    let there = present(judge, &file) || only;
    if !statements.is_empty() && statements.iter().all(reads) && !there {
        judge.ineligible = true;
        judge.unknown("command.client", format!("`sqlite3` would make {}, which isn't there.", judge.spelt(&file)));
        return;
    }
    let said = judge.said().is_some_and(lines) && there;
    if statements.is_empty() && !said || !statements.iter().all(reads) {
        // It is for what it is told that it asks, not for how that is to look.
        let told = statements.iter().find(|word| !reads(word)).filter(|word| !word.pattern().contains("\n."));
        match told.filter(|word| !word.prefix().starts_with('.') && !word.prefix().is_empty()) {
            Some(told) => {
                judge.ineligible = true;
                let sentence = format!("No rule says that `{}` only reads what a database holds.", told.shown());
                judge.about(told, |judge| judge.unknown("command.client", sentence));
                judge.handed("sqlite3", words);
            }
            None => judge.looked_up("sqlite3", first, words),
        }
        return;
    }
    let safe = words.iter().any(|word| matches!(word.text(), Some("-safe" | "--safe")));
    let plain =
        |word: &Word| word.text().and_then(|text| text.split(' ').next()).is_some_and(|dot| PLAIN.contains(&dot));
    let asks = |word: &&Word| !plain(word);
    let unguarded = judge.facts.is_some_and(|facts| facts.unguarded);
    let viewed = !safe && (said || statements.iter().any(asks));
    if viewed && file.text() != Some(":memory:") {
        judge.crowds =
            Some("`sqlite3` runs programs that a view of that file may name; `-safe` would not let it.".to_owned());
    }
    if unguarded && viewed {
        let sentence =
            "Nothing guards `sqlite3` in this run, so a view of that file may run a program; `-safe` would not let it.";
        judge.unknown("command.client-unguarded", sentence);
    }
    // Rolled back, it is written; and it may name any other file, which SQLite then takes for a journal of its own.
    if unguarded && !only {
        let sentence = "Nothing guards `sqlite3` in this run, so a journal beside that file may make it delete another; `-readonly` would not let it.";
        judge.unknown("command.client-unguarded", sentence);
    }
    judge.reads(&file);
    judge.readers.insert("sqlite3".to_owned());
}

/// Whether what comes in line by line only tells: commands of `sqlite3` where a statement would begin, and statements.
fn lines(text: &str) -> bool {
    let mut statements = String::new();
    let begins = |statements: &str| statements.trim_end().is_empty() || statements.trim_end().ends_with(';');
    for line in text.lines() {
        if line.starts_with('.') {
            if !begins(&statements) || !dot(line) {
                return false;
            }
        } else {
            // Words of other clients that end a statement, too, with or without a comment behind them.
            let start = line.trim_start().to_ascii_lowercase();
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let go = start.strip_prefix("go").is_some_and(|rest| !rest.starts_with(word));
            if start.starts_with('/') && !start.starts_with("/*") || go {
                return false;
            }
            statements.push_str(line);
            statements.push('\n');
        }
    }
    // A semicolon within a string or a comment leaves pieces that can't be read.
    let mut statements = statements.split(';').filter(|statement| !statement.trim().is_empty());
    statements.all(|statement| only_reads(Dialect::Sqlite, statement))
}

/// Judges the words of a compiler. What it takes in may include any file of this machine, so its preprocessor alone
/// passes, and only where nothing comes in: that is how it is asked what it defines by itself.
pub(super) fn compiler(judge: &mut Judge<'_>, name: &str, first: &Word, words: &[Word]) {
    let empty =
        |word: &Word| word.text() == Some("/dev/null") || word.text() == Some("-") && judge.feed == Feed::Nothing;
    let only = words.iter().any(|word| word.text() == Some("-E"));
    let kept: Vec<Word> = words.iter().filter(|word| !only || !empty(word)).cloned().collect();
    judge.looked_up(name, first, &kept);
}

/// The words that are no flags, which may stand anywhere; none if a flag isn't known, or a word may be one.
fn operands(words: &[Word]) -> Option<Vec<&Word>> {
    let (mut operands, mut rest) = (Vec::new(), words.iter());
    while let Some(word) = rest.next() {
        let Some(flag) = word.prefix().strip_prefix('-') else {
            if word.vague() || word.may_be_flag() && word.found().is_none() {
                return None;
            }
            operands.push(word);
            continue;
        };
        word.text()?;
        let flag = format!(" {} ", flag.strip_prefix('-').unwrap_or(flag));
        match (FLAGS.contains(&flag), VALUES.contains(&flag)) {
            (true, _) => {}
            (false, true) if rest.next().is_some_and(|value| !value.several()) => {}
            (false, _) => return None,
        }
    }
    Some(operands)
}

/// The file that an address names which opens it for nothing but reading.
fn read_only(word: &Word) -> Option<Word> {
    let (path, settings) = word.text()?.strip_prefix("file:")?.split_once('?')?;
    let known = settings.split('&').all(|setting| ["mode=ro", "immutable=1", "cache=private"].contains(&setting));
    let plain = !path.contains(['%', '#']) && !path.starts_with("//");
    (known && settings.contains("mode=ro") && plain).then(|| Word::exact(path))
}

/// Whether a database is there: one that isn't would be made. In memory there is always one.
fn present(judge: &mut Judge<'_>, file: &Word) -> bool {
    let Some(path) = file.text() else {
        // What a search found is there.
        return file.found().is_some() && !file.vague();
    };
    if path == ":memory:" {
        return true;
    }
    if path.starts_with("file:") || path.is_empty() {
        return false;
    }
    let spelled = judge.absolute_if_moved(path);
    judge.mentions.paths.insert(spelled.clone());
    judge.facts.is_none_or(|facts| facts.paths.get(&spelled).is_some_and(|fact| fact.kind == PathKind::File))
}

/// Whether a command of `sqlite3` itself only tells.
fn dot(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%'));
    words.next().is_some_and(|command| DOTS.contains(&format!(" {command} ")))
        && words.all(|word| word == "--indent" || plain(word))
        && !text.contains('\n')
}

/// Whether `psql` only lists what the server has, by queries of its own: then nothing needs to hold it to reading.
pub(super) fn psql_lists(text: &str) -> bool {
    psql_shows(text) && !text.trim_start().to_ascii_lowercase().starts_with("select")
}

/// Whether `psql` only shows what the server itself has with a text.
pub(super) fn psql_shows(text: &str) -> bool {
    if asks_the_server_alone(text) {
        return true;
    }
    let Some(words) = words_of(text, "+\\\"") else { return false };
    match words.as_slice() {
        [first, ..] if first.starts_with('\\') => {
            let told =
                ["\\d", "\\l", "\\z", "\\sf", "\\sv", "\\conninfo", "\\?", "\\h", "\\x", "\\a", "\\t", "\\timing"];
            let command = first.trim_end_matches('+').trim_end_matches('s');
            // With all there is to tell they show how other servers are reached, passwords included.
            if first.ends_with('+') && ["\\deu", "\\dr"].contains(&command) || command == "\\dconfig" {
                return false;
            }
            let known = told.contains(&command) || command.strip_prefix("\\d").is_some_and(|kind| kind.len() <= 7);
            known && text.matches('\\').count() == 1
        }
        [first, second] if first == "select" => SELECTED.contains(&second.as_str()),
        // How another server is reached stands among the settings, its password included.
        [first, rest @ ..] if first == "show" => {
            !rest.is_empty() && rest.iter().all(|word| plain(word) && word != "all" && word != "primary_conninfo")
        }
        _ => false,
    }
}

/// Whether `mysql` only shows what the server itself has with a text.
pub(super) fn mysql_shows(text: &str) -> bool {
    // It ends a statement, and shows its rows as lines.
    let text = text.trim_end();
    if names_of_mysql(text) {
        return true;
    }
    let Some(words) = words_of(text.strip_suffix("\\G").unwrap_or(text), "@'\"%`,") else { return false };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["select", list @ ..] => list.concat().split(',').all(|what| SELECTED_MYSQL.contains(&what) || variable(what)),
        ["show", "engine", "innodb", "status" | "mutex"]
        | ["show", "replica" | "slave" | "master" | "all", "status"]
        | ["show", "all", "replicas" | "slaves", "status"]
        | ["show", "binary" | "master", "logs"]
        | ["show", "binary", "log", "status"] => true,
        ["describe" | "desc", name] | ["show", "create", "table" | "view" | "database", name] => plain(name),
        ["show", "full" | "global" | "session", what, rest @ ..] | ["show", what, rest @ ..] => {
            SHOWN.contains(&format!(" {what} ")) && !rest.contains(&"where")
        }
        _ => false,
    }
}

/// Whether it is a variable of the server, as `SHOW VARIABLES` tells them all.
fn variable(text: &str) -> bool {
    text.strip_prefix("@@").is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
    })
}

/// The words of a statement in small letters, without its end; none with anything but names and some signs.
fn words_of(text: &str, signs: &str) -> Option<Vec<String>> {
    let text = text.trim_matches(' ').trim_end_matches(';');
    let known = |c: char| c.is_ascii_alphanumeric() || " _.()*?".contains(c) || signs.contains(c);
    text.chars().all(known).then(|| text.split(' ').filter(|word| !word.is_empty()).map(str::to_lowercase).collect())
}

fn plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'`'))
}

/// `tar`, which may pack to its standard output: then it only reads what it is given, with all that lies below.
pub(super) fn tar(judge: &mut Judge<'_>, name: &str, first: &Word, words: &[Word]) {
    let before = judge.findings.len();
    let packs = |word: &Word| match word.prefix().strip_prefix("--") {
        Some(long) => long == "create",
        None => word.prefix().contains('c'),
    };
    if let Some(entry) = table().entry("tar create").filter(|_| words.iter().any(packs)) {
        judge.by_entry(entry, name, words);
        if judge.findings.len() == before {
            return;
        }
        judge.findings.truncate(before);
    }
    judge.looked_up(name, first, words);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{allowed, asks};
    use super::*;

    #[test]
    fn only_what_is_wholly_the_servers_own_is_shown() {
        for text in [
            "\\dt",
            "\\timing",
            "\\x on",
            "\\l+",
            "\\d public.users",
            "\\dt *.*",
            "\\df+ foo",
            "SHOW server_version;",
            "select version()",
        ] {
            assert!(psql_shows(text), "{text}");
        }
        for text in [
            "\\! id",
            "\\copy a to b",
            "\\o x",
            "\\d `id`",
            "\\dt \\! id",
            "\\i x",
            "\\g x",
            "\\setenv a b",
            "\\e",
            "\\w x",
            "select 1; drop table x",
            "select f()",
            "select pg_sleep(9)",
            "show a; drop table b",
            "\\ef x",
            "\\ev x",
            "select now() \\gexec",
            "\\password",
            "\\deu+",
            "\\dRs+",
            "\\gexec",
            "show all",
            "SHOW primary_conninfo",
            "\\dconfig *",
            "\\watch",
            "show a\n\\! id",
            "\\lo_export 1 x",
            "\\lo_unlink 1",
            "\\s x",
            "\\html",
            "delete from x",
            "select * from v",
            "select count(*) from orders",
            "explain select 1",
        ] {
            assert!(!psql_shows(text), "{text}");
        }
        for (text, lists) in
            [("\\dt", true), ("SHOW work_mem", true), ("select now()", false), ("SELECT * FROM v", false)]
        {
            assert_eq!(psql_lists(text), lists, "{text}");
        }
        for text in [
            "SHOW DATABASES",
            "show tables like 'a%'",
            "SHOW CREATE TABLE `a`.b;",
            "SHOW CREATE TABLE a\\G",
            "describe users",
            "select @@version",
            "show full processlist",
            "SHOW GLOBAL STATUS LIKE \"Threads%\"",
            "show engine innodb status\\G",
            "SHOW REPLICA STATUS\\G",
            "show binary logs",
            "SELECT VERSION(), NOW()",
            "select @@max_connections, @@global.read_only",
        ] {
            assert!(mysql_shows(text), "{text}");
        }
        for text in [
            "\\! id",
            "system id",
            "source x",
            "tee x",
            "show tables where f()",
            "show table status",
            "show index from far",
            "show keys from far",
            "show grants",
            "show create user x",
            "select f()",
            "select version(), f()",
            "select @@version + f()",
            "select @@",
            "select @x",
            "select now(), (select 1)",
            "show engine far status",
            "show binlog events",
            "show tables; drop table x",
            "select sleep(9)",
            "show databases\n\\! id",
            "show databases\\G\\! id",
            "pager x",
            "show databases \\! id",
            "drop table x",
        ] {
            assert!(!mysql_shows(text), "{text}");
        }
    }

    #[test]
    fn what_comes_in_is_read_line_by_line() {
        for command in [
            "echo 'select 1' | sqlite3 :memory:",
            "echo .tables | sqlite3 :memory:",
            "sqlite3 -header :memory: <<'EOF'\n.mode column\nselect a,\n  b from t;\n.schema t\nselect count(*) from t;\nEOF",
            "sqlite3 :memory: <<< 'select 1; select 2;'",
            "printf 'select 1;\\n.tables\\n' | sqlite3 :memory:",
            "sqlite3 :memory: -header -csv 'select 1'",
            "sqlite3 -readonly :memory: -separator , '.schema --indent'",
            "find . -name '*.db' -exec sqlite3 {} .tables \\;",
            "find . -name '*.db' | xargs -I{} sqlite3 {} 'select count(*) from t'",
        ] {
            allowed(command);
        }
        for command in [
            "echo 'delete from t' | sqlite3 :memory:",
            "echo '.shell id' | sqlite3 :memory:",
            "echo \"select $x\" | sqlite3 :memory:",
            "cat a.sql | sqlite3 :memory:",
            "sqlite3 :memory: < a.sql",
            "sqlite3 :memory: 'select 1' -cmd '.shell id'",
            "sqlite3 :memory: -init a.sql 'select 1'",
            "sqlite3 \"$x\" .tables",
            "find . -exec sqlite3 {} 'delete from t' \\;",
            "find . -name '*.db' | xargs sqlite3 :memory:",
            "printf 'select %s;\\n' x | sqlite3 :memory:",
            "printf 'select 1;\\n.sh\\x65ll id\\n' | sqlite3 :memory:",
            "printf 'select 1;\\n.shell id\\n' | sqlite3 :memory:",
            "printf -v x 'select 1;' | sqlite3 :memory:",
            "sqlite3 :memory: <<EOF\nselect $(id);\nEOF",
            "sqlite3 :memory: <<'EOF'\nselect 1\n.shell id\nEOF",
            "sqlite3 :memory: <<'EOF'\nselect 1;\ndelete from t;\nEOF",
            "sqlite3 :memory: <<'EOF'\nselect 1 --;\n; drop table t;\nEOF",
            "sqlite3 :memory: <<'EOF'\nselect * from t\ngo\nEOF",
            "sqlite3 :memory: <<'EOF'\nselect 1\n/ --x\ndelete from t;\nEOF",
            "sqlite3 :memory: <<'EOF'\nselect 1,\n /--x\nupdate t set a=9;\nEOF",
            "sqlite3 -separator $(cat f) :memory: .tables",
            "sqlite3 :memory: <<'EOF' < a.sql\nselect 1;\nEOF",
            "echo 'select 1' | { head -1; sqlite3 :memory:; }",
            "echo 'select 1' | bash -c 'sqlite3 :memory:'",
            "echo 'select 1' | xargs sqlite3 :memory:",
            "{ echo 'select 1'; cat a; } | sqlite3 :memory:",
            "f() { sqlite3 :memory:; }; echo 'select 1' | f",
            "echo 'select 1' 2>&1 | sqlite3 new.db",
        ] {
            asks(command);
        }
    }
}
