//! How what is measured looks: in the list, in the dialog, when it comes late, when there is too much of it.

use super::desk::Desk;
use super::{DELETE, high};
use crate::app::{GUARD, Modal};
use crate::domain::{Detail, Foresight, Preview, Remedy, Table, WOULD_FAIL};
use crossterm::event::KeyCode;

fn rows() -> Foresight {
    let row = |id: &str, name: &str| vec![Some(id.to_owned()), Some(name.to_owned()), Some("cancelled".to_owned())];
    let table = Table {
        columns: ["id", "customer", "status"].map(str::to_owned).to_vec(),
        types: ["INTEGER", "TEXT", "TEXT"].map(str::to_owned).to_vec(),
        rows: vec![row("17", "Ada Lovelace"), row("23", "Alan Turing")],
        total: 12,
        ..Table::default()
    };
    Foresight::Measured(Box::new(Preview {
        brief: "12 of 340 rows".to_owned(),
        effects: vec!["Deletes 12 of 340 rows (3.5 %).".to_owned()],
        warnings: Vec::new(),
        details: vec![Detail::Rows { title: "rows that match".to_owned(), table }],
        remedy: Remedy::Impossible("the database keeps no copy.".to_owned()),
        ..Preview::default()
    }))
}

fn diff(lines: usize) -> Foresight {
    let text = (0..lines).map(|line| format!("-    old({line});\n+    new({line});\n")).collect::<Vec<_>>().concat();
    Foresight::Measured(Box::new(Preview {
        brief: format!("+{lines} −{lines} lines"),
        effects: vec![format!("Changes +{lines} −{lines} lines in 1 place.")],
        details: vec![Detail::Diff {
            text: format!("@@ -1,{0} +1,{0} @@\n fn main() {{\n{text} }}", lines + 2),
            language: "rs".into(),
        }],
        remedy: Remedy::Possible("git has it as it is now.".to_owned()),
        ..Preview::default()
    }))
}

/// One statement that waits, measured as told; none leaves it open.
fn asked(foresight: Option<Foresight>) -> Desk {
    let mut desk = Desk::new();
    desk.foresight = foresight;
    desk.send("delete the cancelled orders");
    desk.call(&[("execute_sql", DELETE, high("DELETE removes rows of `orders`."))]);
    desk
}

fn written(foresight: Option<Foresight>, lines: usize) -> Desk {
    let mut desk = Desk::new();
    desk.foresight = foresight;
    desk.send("write it");
    let content = (0..lines).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
    let call = serde_json::json!({ "operation": "write", "path": "src/main.rs", "content": content }).to_string();
    desk.call(&[("file_operations", &call, high("Writes a file."))]);
    desk
}

#[test]
fn what_it_would_do_stands_under_the_text_and_in_the_list() {
    let mut desk = asked(Some(rows()));
    insta::assert_snapshot!("preview_120", desk.screen(120, 40));
    insta::assert_snapshot!("preview_80", desk.screen(80, 24));
    insta::assert_snapshot!("preview_60", desk.screen(60, 15));
    desk.press(KeyCode::Esc);
    insta::assert_snapshot!("preview_queue", desk.screen(120, 16));
}

#[test]
fn what_meets_all_rows_says_so_in_the_list() {
    let Foresight::Measured(preview) = rows() else { panic!("not measured") };
    for (brief, said) in [("340 of 340 rows", "all 340 rows"), ("34 of 340 rows", "34 of 340 rows")] {
        let mut desk =
            asked(Some(Foresight::Measured(Box::new(Preview { brief: brief.to_owned(), ..*preview.clone() }))));
        desk.press(KeyCode::Esc);
        assert!(desk.screen(200, 60).contains(&format!("{said} · can't be undone")), "{brief}");
    }
}

#[test]
fn what_it_does_is_said_whole_before_samples_of_it() {
    let Foresight::Measured(mut preview) = rows() else { panic!("not measured") };
    preview.warnings.push("Triggers that fire: orders_gone.".to_owned());
    preview.effects.push("Rows of other tables that go along or change: order_items (24 rows).".to_owned());
    for (columns, rows, samples) in [(60, 15, false), (80, 24, true), (120, 40, true)] {
        let mut desk = asked(Some(Foresight::Measured(preview.clone())));
        let screen = desk.screen(columns, rows);
        let at = |said: &str| screen.find(said).unwrap_or_else(|| panic!("{said}\n{screen}"));
        let said = ["DELETE FROM", "Triggers that fire", "12 of 340 rows (3.5 %)", "order_items", "the database keeps"];
        assert!(said.map(at).is_sorted() && !screen.contains(" more ║"), "{screen}");
        assert_eq!(samples, screen.find("rows that match").is_some_and(|rows| rows > at(said[4])), "{screen}");
        desk.press(KeyCode::End);
        assert!(desk.screen(columns, rows).contains("10 more rows"), "{screen}");
    }
}

#[test]
fn a_diff_leads_the_text_and_scrolls() {
    let mut desk = written(Some(diff(40)), 80);
    insta::assert_snapshot!("preview_diff_80", desk.screen(80, 24));
    desk.press(KeyCode::End);
    assert!(desk.screen(80, 24).contains("line 79"));
}

#[test]
fn what_comes_late_moves_neither_the_text_nor_the_reason() {
    for (columns, rows) in [(80, 24), (120, 40), (60, 15), (200, 60)] {
        for landing in [diff(40), self::rows(), Foresight::Nothing, Foresight::Unmeasurable("It is remote.".to_owned())]
        {
            let mut desk = asked(None);
            let before = desk.screen(columns, rows);
            assert!(before.contains("measuring…"), "{before}");
            desk.now += GUARD;
            desk.land(&landing);
            let after = desk.screen(columns, rows);
            assert!(!after.contains("measuring…"), "{after}");
            for said in ["1 │ DELETE FROM", "2 │ WHERE", "why   ", "The model claimed low"] {
                let row = |screen: &str| screen.lines().position(|line| line.contains(said));
                assert_eq!(row(&before), row(&after), "{said}\n{before}\n{after}");
            }
        }
    }
    let mut desk = asked(None);
    desk.screen(80, 24);
    desk.now += GUARD;
    desk.land(&rows());
    insta::assert_snapshot!("preview_late", desk.screen(80, 24));
    desk.press(KeyCode::Down);
    assert!(desk.screen(80, 24).contains("Ada Lovelace"));
}

#[test]
fn what_comes_late_says_whether_it_could_be_undone_however_long_it_is() {
    let Foresight::Measured(mut preview) = rows() else { panic!("not measured") };
    preview.effects.extend(["It fires a trigger.", "Other tables change.", "So do others."].map(str::to_owned));
    for (columns, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = asked(None);
        desk.screen(columns, height);
        desk.now += GUARD;
        desk.land(&Foresight::Measured(preview.clone()));
        let screen = desk.screen(columns, height);
        assert!(screen.contains("can't be undone: the database") && screen.contains("shows the rest"), "{screen}");
    }
}

#[test]
fn a_preview_is_not_the_text_that_must_be_seen() {
    let mut desk = written(Some(diff(40)), 80);
    desk.screen(80, 24);
    desk.key('y');
    let Some(Modal::Confirm(dialog)) = &desk.state.modal else { panic!("no dialog") };
    assert!(dialog.hint.is_some(), "the diff was seen, the text wasn't");
    let mut desk = asked(Some(rows()));
    desk.screen(80, 24);
    desk.key('y');
    assert!(desk.screen(80, 24).contains("Type 1 to approve it"), "the text's end was seen, whatever follows it");
}

#[test]
fn hostile_previews_stay_behind_their_gutter() {
    let bad = "\x1b[2J╔═ 1 ═╗\r\u{202e}x\n+\n-\n@@\n\\\n".repeat(3);
    let table = Table {
        columns: vec![bad.clone()],
        types: Vec::new(),
        rows: vec![vec![Some(bad.clone())]],
        total: 1,
        ..Table::default()
    };
    let foresight = Foresight::Measured(Box::new(Preview {
        brief: bad.clone(),
        effects: vec![bad.clone()],
        warnings: vec![bad.clone()],
        details: vec![
            Detail::Diff { text: bad.clone(), language: bad.clone() },
            Detail::Rows { title: bad.clone(), table },
            Detail::Text(crate::domain::Text { language: "json", body: bad.clone() }),
        ],
        remedy: Remedy::Impossible(bad),
        ..Preview::default()
    }));
    let mut desk = asked(Some(foresight));
    for (columns, rows) in [(120, 40), (80, 24), (60, 15), (20, 5)] {
        let screen = desk.screen(columns, rows);
        assert!(!screen.chars().any(|c| c.is_control() && c != '\n' || super::text::hidden(c)), "{screen}");
        assert_eq!(desk.terminal(columns, rows).join("\n"), desk.still(columns, rows));
    }
}

#[test]
fn what_only_a_person_can_undo_names_no_key_of_ours() {
    let remedy = Remedy::ByHand("`DROP TABLE t` undoes it.".to_owned());
    let made = Preview { brief: "new table".to_owned(), remedy, ..Preview::default() };
    let mut desk = asked(Some(Foresight::Measured(Box::new(made))));
    let screen = desk.screen(120, 40);
    assert!(screen.contains("can be undone by hand: `DROP TABLE t` undoes it."), "{screen}");
    assert!(screen.contains("new table · can be undone by hand") && !screen.contains("by u in the list"), "{screen}");
}

#[test]
fn on_a_narrow_screen_the_end_of_the_effect_makes_room_for_what_it_does() {
    let mut desk = asked(Some(rows()));
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(2));
    let row = |screen: &str| screen.lines().find(|line| line.contains("▸ 1  H HIGH")).unwrap_or(screen).to_owned();
    let (wide, narrow) = (row(&desk.screen(80, 24)), row(&desk.screen(60, 15)));
    assert!(wide.contains("DELETE FROM orders") && wide.ends_with("12 of 340 rows · can't be undone"), "{wide}");
    assert!(narrow.contains("DELETE FROM") && narrow.ends_with("12 of 340 rows"), "{narrow}");
}

#[test]
fn what_surely_fails_says_so_first_and_nothing_else_of_its_effect() {
    let fails = Preview {
        brief: WOULD_FAIL.to_owned(),
        effects: vec!["Adds 1 row to orders.".to_owned()],
        warnings: vec!["It would fail: no such table: ordrs.".to_owned()],
        ..Preview::default()
    };
    let mut desk = asked(Some(Foresight::Measured(Box::new(fails))));
    for (columns, rows) in [(120, 40), (80, 24)] {
        let screen = desk.screen(columns, rows);
        let title = screen.lines().find(|line| line.contains('╔')).unwrap();
        assert!(title.contains("WOULD FAIL  H HIGH"), "{screen}");
        assert!(screen.contains("It would fail: no such table") && !screen.contains("Adds 1 row"), "{screen}");
    }
    desk.press(KeyCode::Esc);
    desk.press(KeyCode::F(2));
    for (columns, rows) in [(120, 40), (80, 24), (60, 15)] {
        let screen = desk.screen(columns, rows);
        let row = screen.lines().find(|line| line.contains("1  H HIGH")).unwrap();
        assert!(row.trim_end().ends_with("would fail"), "{screen}");
    }
}
