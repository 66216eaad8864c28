//! Output as it is drawn: matches marked, code numbered, answers and matches told apart, rows as charts, entries of the
//! conversation chosen and unfolded.

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::*;
use crate::domain::{Class, Finding, Stream, Table};

fn ran(tool: &str, arguments: &str, text: &str) -> Desk {
    let mut desk = Desk::new();
    desk.send("go");
    desk.call(&[(tool, arguments, vec![Finding::new("test.read", Class::Whitelisted, "It only reads.")])]);
    desk.print(1, &[(Stream::Out, text)], text.lines().count() as u64);
    desk.finish(1, Outcome::Succeeded { summary: "done".to_owned() }, 4);
    desk.press(KeyCode::F(3));
    desk
}

fn returned(table: Table) -> Desk {
    let mut desk = Desk::new();
    desk.send("rows");
    desk.call(&[("execute_sql", r#"{"sql":"SELECT 1"}"#, low("SELECT only reads."))]);
    let summary = format!("{} rows", table.total);
    desk.event(Event::Run(OperationId(1), RunEvent::Table(Arc::new(table))));
    desk.finish(1, Outcome::Succeeded { summary }, 4);
    desk.press(KeyCode::F(3));
    desk
}

fn typed(desk: &mut Desk, text: &str) {
    for letter in text.chars() {
        desk.key(letter);
    }
}

/// Where a program misses a terminal it is said below what it printed, with the keys that give it one.
#[test]
fn a_command_that_misses_a_terminal_says_how_it_gets_one() {
    let said = |command: &str, printed: &str| {
        let mut desk = Desk::new();
        desk.send("go");
        let arguments = serde_json::json!({ "command": command }).to_string();
        desk.call(&[("execute_command", &arguments, low("It only reads."))]);
        if !printed.is_empty() {
            desk.print(1, &[(Stream::Err, printed)], 1);
        }
        desk.finish(1, Outcome::Failed { reason: "exit code 1".to_owned() }, 4);
        desk.press(KeyCode::F(3));
        desk.screen(120, 40).contains("It has no terminal and no input. T runs it again in one.")
    };
    assert!(said("vim x", "Vim: Warning: Input is not from a terminal\n"));
    assert!(said("sudo id", "sudo: a terminal is required to read the password\n"));
    assert!(said("cd a; read -p name: x", ""));
    assert!(!said("ls", "a\nb\n") && !said("true", "") && !said("read x", "printed\n"));
}

#[test]
fn in_a_narrow_pane_the_count_of_matches_is_told_before_the_command() {
    let text = (1..=300).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
    let mut desk =
        ran("execute_command", r#"{"command":"seq 1 300000 | sed s/^/line-/ | sort -r | head -1000"}"#, &text);
    typed(&mut desk, "g/line 17");
    desk.screen(120, 40);
    desk.press(KeyCode::Enter);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("match 1 of 11"), "{screen}");
}

#[test]
fn matches_are_counted_and_marked() {
    let text = (1..=300).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
    let mut desk = ran("execute_command", r#"{"command":"seq"}"#, &text);
    typed(&mut desk, "/LINE 1");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("find LINE 1   no match"), "a capital looks for capitals: {screen}");
    desk.press(KeyCode::Esc);
    typed(&mut desk, "g/line 17");
    assert!(desk.screen(120, 40).contains("find line 17   11 matches"));
    desk.press(KeyCode::Enter);
    let screen = desk.screen(120, 40);
    assert!(screen.contains("match 1 of 11 · 12–28 of 300 lines") && screen.contains("▸line 17"), "{screen}");
    typed(&mut desk, "n");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("match 2 of 11 · 165–181 of 300 lines") && screen.contains("▸line 170"), "{screen}");
    let narrow = desk.screen(80, 24);
    assert!(narrow.contains("match 2 of 11 · 5"), "in percent where there is less room: {narrow}");
    typed(&mut desk, "wG");
    assert!(desk.screen(120, 40).contains("wrapped · 100 %"), "rows of wrapped text are no lines");
}

#[test]
fn secrets_are_masked_until_a_key_shows_them() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let mut desk = ran("execute_command", r#"{"command":"x"}"#, &format!("first\nset {token}\npassword: String\n"));
    let screen = desk.screen(120, 40);
    assert!(!screen.contains(&token) && screen.contains("set ⟦masked"), "{screen}");
    assert!(screen.contains("first") && screen.contains("password: String"), "{screen}");
    typed(&mut desk, "*");
    assert!(desk.screen(120, 40).contains(&token));
    typed(&mut desk, "*");
    assert!(!desk.screen(120, 40).contains(&token));
    let mut said = Desk::new();
    said.send(&format!("my key is {token}"));
    for (columns, rows) in [(120, 40), (46, 24)] {
        let screen = said.screen(columns, rows);
        assert!(!screen.contains("a1B2") && screen.contains("masked: "), "{screen}");
    }
}

#[test]
fn long_lines_wrap_only_where_that_is_asked_for() {
    let mut desk = ran("execute_command", r#"{"command":"x"}"#, &format!("{}the end\n", "x".repeat(100)));
    let screen = desk.screen(120, 40);
    assert!(!screen.contains("the end") && screen.contains("xx›") && !screen.contains('‹'), "{screen}");
    desk.press(KeyCode::Right);
    assert!(desk.screen(120, 40).contains("‹xx"), "it goes on at the other side, too");
    typed(&mut desk, "w");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("the end") && screen.contains("wrapped") && !screen.contains("x›"), "{screen}");
}

#[test]
fn the_details_show_the_output_as_the_pane_does_and_long_lines_whole() {
    let mut desk = Desk::new();
    desk.send("go");
    let judged = vec![Finding::new("test.read", Class::Whitelisted, "It only reads.")];
    desk.call(&[("execute_command", r#"{"command":"x"}"#, judged)]);
    let long = format!("{}the end\n", "x".repeat(120));
    desk.print(1, &[(Stream::Out, long.as_str()), (Stream::Err, "it went wrong\n")], 2);
    desk.finish(1, Outcome::Succeeded { summary: "done".to_owned() }, 4);
    desk.press(KeyCode::F(2));
    desk.key('v');
    desk.screen(100, 40);
    desk.press(KeyCode::End);
    let screen = desk.screen(100, 40);
    assert!(
        screen.contains("║ ! it went wrong") && screen.contains("║  ↳xx") && screen.contains("the end"),
        "{screen}"
    );
    let row = (1..=9).map(|number| Some(format!("a text of some columns {number}"))).collect::<Vec<_>>();
    let mut desk = returned(Table {
        columns: (1..=9).map(|number| format!("column {number}")).collect(),
        types: vec!["text".to_owned(); 9],
        rows: vec![row; 50],
        total: 50,
        ..Table::default()
    });
    desk.press(KeyCode::F(2));
    desk.key('v');
    desk.screen(100, 40);
    desk.press(KeyCode::End);
    let screen = desk.screen(100, 40);
    assert!(screen.contains("… 4 more columns") && screen.contains("… 10 more rows in the output"), "{screen}");
}

#[test]
fn each_sort_of_output_has_its_dress() {
    let mut file =
        ran("file_operations", r#"{"operation":"read","path":"a.rs","offset":9}"#, "fn a() {}\n}\n[Lines 9-10 of 20.]");
    let screen = file.screen(120, 40);
    assert!(screen.contains(" 9  fn a() {}") && screen.contains("10  }") && screen.contains("│  [Lines"), "{screen}");
    let mut search = ran("search_files", r#"{"pattern":"x+"}"#, "a.rs\n  7: axx\n  123: x\nb.rs\n  1: x\n");
    let screen = search.screen(120, 40);
    assert!(screen.contains("     7  axx") && screen.contains("   123  x") && screen.contains("│  b.rs"), "{screen}");
}

#[test]
fn an_answer_has_status_time_size_and_type_in_one_line_above_its_headers() {
    let answered = |outcome: Outcome| {
        let mut desk = Desk::new();
        desk.send("go");
        let judged = vec![Finding::new("test.read", Class::Whitelisted, "It only reads.")];
        desk.call(&[("http_request", r#"{"url":"https://a.example"}"#, judged)]);
        let told = "302 Found redirects to https://a.example/b\nHTTP/1.1 200 OK\nContent-Type: application/json; x=y\n\
                    etag: 7\n\n{\n  \"a\": 1\n}";
        desk.print(1, &[(Stream::Out, told)], told.lines().count() as u64);
        desk.finish(1, outcome, 4);
        desk.press(KeyCode::F(3));
        desk.screen(120, 40)
    };
    let screen = answered(Outcome::Succeeded { summary: "200 OK, 7 B".to_owned() });
    let has = |screen: &str, line: &str| screen.lines().any(|shown| shown.trim_end().ends_with(line));
    assert!(has(&screen, "  HTTP/1.1 200 OK   4 ms   7 B   application/json"), "{screen}");
    assert!(screen.contains("etag: 7") && screen.contains("  \"a\": 1"), "{screen}");
    let ending = screen.lines().find(|line| line.contains("✓ 200 OK, 7 B")).unwrap();
    assert_eq!(
        ending.matches(" B").count(),
        1,
        "the text laid out has a size that says nothing of the answer: {screen}"
    );
    let screen = answered(Outcome::Failed { reason: "the answer of a.example broke off: reset".to_owned() });
    assert!(has(&screen, "  HTTP/1.1 200 OK   4 ms   application/json"), "nobody knows its size: {screen}");
}

#[test]
fn cells_under_a_telling_name_are_masked_also_as_labels() {
    let row = |name: &str, sum: &str| vec![Some(name.to_owned()), Some(sum.to_owned()), Some("7654321".to_owned())];
    let table = Table {
        columns: vec!["password".to_owned(), "sum".to_owned(), "passwd_old".to_owned()],
        types: vec!["text".to_owned(), "INTEGER".to_owned(), "INTEGER".to_owned()],
        rows: vec![row("hunter2", "3000"), row("tr0ub4dor", "1000")],
        total: 2,
        ..Table::default()
    };
    let mut desk = returned(table);
    for key in ["", ",", "v"] {
        typed(&mut desk, key);
        let screen = desk.screen(120, 40);
        assert!(!screen.contains("hunter2") && screen.contains("⟦masked"), "{screen}");
        assert!(!screen.contains("7654321") && !screen.contains("7,654,321"), "{screen}");
    }
    typed(&mut desk, "*");
    assert!(desk.screen(120, 40).contains("hunter2"));
}

#[test]
fn rows_become_charts_whose_figures_are_text() {
    let row = |name: &str, sum: &str| vec![Some(name.to_owned()), Some(sum.to_owned())];
    let table = Table {
        columns: vec!["name".to_owned(), "sum".to_owned()],
        types: vec!["text".to_owned(), "INTEGER".to_owned()],
        rows: vec![row("ada", "3000"), row("bo", "1000")],
        total: 25_000,
        ..Table::default()
    };
    let mut desk = returned(table);
    typed(&mut desk, "l,");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("1–2 of 25,000 rows") && screen.contains("3,000"), "{screen}");
    let mut seen = Vec::new();
    for _ in 0..5 {
        typed(&mut desk, "v");
        let screen = desk.screen(120, 40);
        let title = screen.lines().find(|line| line.contains("OUTPUT")).unwrap_or_default();
        let shown = ["bar", "line", "histogram", "share"].into_iter().find(|word| title.contains(&format!(" {word} ")));
        seen.extend(shown);
        for (columns, rows) in [(20, 5), (60, 15), (200, 60)] {
            desk.screen(columns, rows);
        }
        if shown == Some("share") {
            assert!(screen.contains("75.0 %  3,000"), "{screen}");
        }
    }
    assert_eq!(seen[..4], ["bar", "line", "histogram", "share"]);
}

#[test]
fn a_label_of_several_rows_is_one_bar_and_a_key_shows_it_otherwise() {
    let row = |cells: [Option<&str>; 4]| cells.map(|cell| cell.map(str::to_owned)).to_vec();
    let table = Table {
        columns: ["id", "customer", "status", "total"].map(str::to_owned).to_vec(),
        types: ["INTEGER", "text", "text", "REAL"].map(str::to_owned).to_vec(),
        rows: vec![
            row([Some("1"), Some("ada"), Some("paid"), Some("1000.5")]),
            row([Some("2"), Some("bo"), Some("open"), Some("1200.25")]),
            row([Some("3"), Some("ada"), Some("open"), Some("500")]),
            row([Some("4"), None, Some("open"), None]),
        ],
        total: 4,
        ..Table::default()
    };
    let mut desk = returned(table.clone());
    desk.key('v');
    let shown = |screen: &str, title: &str, rows: &[&str]| {
        let lines: Vec<&str> = screen.lines().collect();
        let at = lines.iter().position(|line| line.contains(title)).unwrap_or_else(|| panic!("{screen}"));
        for (line, told) in lines[at + 1..].iter().zip(rows) {
            let line = line.split(['│', '┃']).nth(1).unwrap_or(line);
            let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with(['█', '▌'])).collect();
            assert_eq!(words.join(" "), *told, "{screen}");
        }
    };
    let screen = desk.screen(120, 40);
    assert!(screen.contains("sum of total by customer · 3 of 4 rows") && screen.contains("t averages"), "{screen}");
    shown(&screen, "1 NULL left out", &["ada 1500.50", "bo 1200.25", "NULL NULL"]);
    desk.key(',');
    shown(&desk.screen(120, 40), "1 NULL left out", &["ada 1,500.50", "bo 1,200.25", "NULL NULL"]);
    desk.key('t');
    let screen = desk.screen(120, 40);
    assert!(screen.contains("average of total by customer · 3 of 4 rows"), "{screen}");
    shown(&screen, "1 NULL left out", &["bo 1,200.25", "ada 750.25", "NULL NULL"]);
    desk.key('t');
    shown(&desk.screen(120, 40), "count of rows by customer · 4 rows", &["ada 2", "bo 1", "NULL 1"]);
    desk.key('t');
    shown(&desk.screen(120, 40), " total by customer", &["ada 1,000.5", "bo 1,200.25", "ada 500", "NULL NULL"]);
    assert!(desk.screen(120, 40).contains("t sums"));
    // Another column gives the labels, and rows without a number are counted.
    let mut desk = returned(table.clone());
    typed(&mut desk, "llv");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("sum of total by status · 3 of 4 rows"), "{screen}");
    shown(&screen, "1 NULL left out", &["open 1700.25", "paid 1000.50"]);
    let texts = Table { types: vec!["text".to_owned(); 4], ..table.clone() };
    let mut desk = returned(texts);
    desk.key('v');
    shown(&desk.screen(120, 40), "count of rows by customer", &["ada 2", "bo 1", "NULL 1"]);
    desk.key('t');
    assert!(desk.screen(120, 40).contains("There is nothing to add up"));
    // Numbers that only name things measure nothing.
    let named = Table { columns: ["id", "customer", "a", "order_id"].map(str::to_owned).to_vec(), ..table };
    let mut desk = returned(named);
    desk.key('v');
    assert!(desk.screen(120, 40).contains("count of rows by customer"));
}

#[test]
fn what_is_sorted_filtered_or_drawn_of_a_part_alone_says_which_part() {
    let row = |day: u32, sum: u32| vec![Some(format!("day {}", day % 7)), Some(sum.to_string())];
    let mut desk = returned(Table {
        columns: vec!["day".to_owned(), "sum".to_owned()],
        types: vec!["text".to_owned(), "INTEGER".to_owned()],
        rows: (0..50).map(|day| row(day, day * 7)).collect(),
        total: 25_000,
        first: 24_950,
        kept: 25_000,
    });
    assert!(!desk.screen(120, 40).contains("Only rows"));
    desk.key('s');
    let screen = desk.screen(120, 40);
    assert!(screen.contains("Only rows 24,951–25,000 are sorted. ORDER BY sorts all."), "{screen}");
    typed(&mut desk, "/day 3");
    desk.press(KeyCode::Enter);
    let wide = desk.screen(200, 40);
    assert!(
        wide.contains("Only rows 24,951–25,000 of 25,000 are sorted and filtered. SQL does so with all."),
        "{wide}"
    );
    desk.press(KeyCode::Esc);
    typed(&mut desk, "v");
    let screen = desk.screen(120, 40);
    assert!(
        screen.contains("sum of sum by day") && screen.contains("50 of 25,000 rows, rows 24,951–25,000 alone"),
        "{screen}"
    );
}

#[test]
fn matches_of_a_search_are_counted_once() {
    let text = "a.rs\n  1: one\nb.rs\n  7: one\n  9: one\n";
    let mut desk = Desk::new();
    desk.send("go");
    let judged = vec![Finding::new("test.read", Class::Whitelisted, "It only reads.")];
    desk.call(&[("search_files", r#"{"pattern":"one"}"#, judged)]);
    desk.print(1, &[(Stream::Out, text)], 5);
    desk.finish(1, Outcome::Succeeded { summary: "3 matches".to_owned() }, 4);
    desk.press(KeyCode::F(3));
    let screen = desk.screen(120, 40);
    let title = screen.lines().find(|line| line.contains("OUTPUT")).unwrap();
    assert!(title.contains(" 3 matches ") && !screen.contains("5 lines"), "{screen}");
    typed(&mut desk, "/b");
    desk.press(KeyCode::Enter);
    let screen = desk.screen(120, 40);
    let title = screen.lines().find(|line| line.contains("OUTPUT")).unwrap();
    assert!(title.contains("match 1 of 1") && !title.contains("3 matches"), "{screen}");
}

#[test]
fn a_call_unfolds_below_itself() {
    let text = (1..=30).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
    let mut desk = ran("execute_command", r#"{"command":"seq"}"#, &text);
    desk.press(KeyCode::F(4));
    desk.screen(120, 40);
    typed(&mut desk, "K ");
    let screen = desk.screen(120, 40);
    assert!(screen.contains("▸ ✓ command"), "{screen}");
    assert!(screen.contains("… 20 lines before, enter shows all of it") && screen.contains("│ line 30"), "{screen}");
}

#[test]
fn a_filter_that_nothing_fits_is_named_with_the_way_back_in_every_chart() {
    let row = |day: u8, sum: u8| vec![Some(format!("2025-01-{day:02}")), Some(sum.to_string()), Some("2".to_owned())];
    let mut desk = returned(Table {
        columns: vec!["day".to_owned(), "sum".to_owned(), "price".to_owned()],
        types: vec!["date".to_owned(), "INTEGER".to_owned(), "INTEGER".to_owned()],
        rows: (1..=9).map(|day| row(day, day * 7)).collect(),
        total: 9,
        ..Table::default()
    });
    typed(&mut desk, "/Paris");
    desk.press(KeyCode::Enter);
    for _ in 0..6 {
        let screen = desk.screen(120, 40);
        assert!(screen.contains("/Paris · 0 of 9 rows"), "{screen}");
        assert!(screen.contains("No row holds Paris: esc shows all."), "{screen}");
        desk.key('v');
    }
    desk.press(KeyCode::Esc);
    desk.key('v');
    let screen = desk.screen(120, 40);
    assert!(screen.contains("line · 9 rows") && screen.contains("v next chart") && !screen.contains("s sort"));
    assert!(screen.contains("price by day"), "{screen}");
    desk.key('h');
    assert!(desk.screen(120, 40).contains("sum by day"));
    desk.key('s');
    assert!(desk.screen(120, 40).contains("That is for rows: v goes on to them."));
}

#[test]
fn wrapping_keeps_the_place_and_the_count_of_matches_and_marks_rows_that_go_on() {
    let text: Vec<String> = (1..=400).map(|number| format!("line {number} {}\n", "wide ".repeat(30))).collect();
    let text = text.concat();
    let mut desk = ran("execute_command", r#"{"command":"seq"}"#, &text);
    desk.screen(120, 40);
    typed(&mut desk, "/line 39");
    desk.screen(120, 40);
    desk.press(KeyCode::Enter);
    for _ in 0..3 {
        desk.screen(120, 40);
        typed(&mut desk, "n");
    }
    let before = desk.screen(120, 40);
    assert!(before.contains("match 5 of 11") && before.contains("▸line 393"), "{before}");
    let first = |screen: &str| {
        let row = screen.lines().find(|row| row.contains("line ") && row.contains("wide")).unwrap().to_owned();
        row.split("line ").nth(1).unwrap().split(' ').next().unwrap().to_owned()
    };
    typed(&mut desk, "w");
    let wrapped = desk.screen(120, 40);
    assert!(wrapped.contains("match 5 of 11") && wrapped.contains("▸line 393"), "{wrapped}");
    assert!(wrapped.contains(" ↳"), "{wrapped}");
    typed(&mut desk, "w");
    let after = desk.screen(120, 40);
    assert!(after.contains("match 5 of 11") && after.contains("▸line 393") && !after.contains('↳'), "{after}");
    // Where nothing is looked for, the first line stays.
    desk.press(KeyCode::Esc);
    typed(&mut desk, "g");
    desk.screen(120, 40);
    desk.press(KeyCode::PageDown);
    let before = first(&desk.screen(120, 40));
    for _ in 0..2 {
        typed(&mut desk, "w");
        assert_eq!(first(&desk.screen(120, 40)), before);
    }
}

#[test]
fn a_match_far_inside_a_long_wrapped_line_is_jumped_to() {
    let long = |number: usize| format!("{}needle {number} {}\n", "hay ".repeat(2_000), "hay ".repeat(2_000));
    let text = (1..=3).map(long).collect::<String>();
    let mut desk = ran("execute_command", r#"{"command":"cat hay"}"#, &text);
    typed(&mut desk, "w");
    desk.screen(120, 40);
    typed(&mut desk, "g/needle");
    desk.screen(120, 40);
    desk.press(KeyCode::Enter);
    desk.screen(120, 40);
    typed(&mut desk, "n");
    let wrapped = desk.screen(120, 40);
    assert!(wrapped.contains("needle 2") && wrapped.contains("match 2 of 3") && wrapped.contains('▸'), "{wrapped}");
    // Wrapped no longer, and again, the place is the same.
    typed(&mut desk, "w");
    assert!(desk.screen(120, 40).contains("match 2 of 3"));
    typed(&mut desk, "w");
    let again = desk.screen(120, 40);
    assert!(again.contains("needle 2") && again.contains("match 2 of 3"), "{again}");
}

#[test]
fn signs_of_many_widths_are_drawn_alike_by_a_terminal_that_counts_characters() {
    let mut desk = Desk::new();
    desk.send("go");
    desk.say("flag 🇩🇪 end\n\nthumb 👍🏽 end\n\nfamily 👨\u{200d}👩\u{200d}👧 end\n\nwarn ⚠\u{fe0f} end\n");
    desk.event(Event::Paste("draft ⚠\u{fe0f} 👍🏽".to_owned()));
    let screen = desk.screen(120, 40);
    assert!(
        screen.contains("flag DE end") && screen.contains("thumb 👍 end") && screen.contains("warn ⚠ end"),
        "{screen}"
    );
    assert!(screen.contains("draft ⚠ 👍"), "{screen}");
    let screen = desk.still(120, 40);
    // Each `│` between the panes stands in its column for a terminal that counts every character by itself.
    let rows = desk.terminal(120, 40);
    let shown: Vec<&str> = screen.lines().collect();
    for (row, shown) in rows.iter().zip(shown) {
        assert_eq!(row.trim_end(), shown.trim_end());
    }
}
