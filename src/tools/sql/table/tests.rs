//! What a catalog's rows say of a table.

use super::*;

#[test]
fn a_trigger_fires_for_the_columns_that_it_names() {
    let trigger = Trigger::read("t".to_owned(), "insert update", "a\u{1f}B", "skips");
    let set = |name: &str| [name.to_owned()];
    assert!(trigger.fires(&["update"], &set("b")) && trigger.fires(&["update"], &[]) && trigger.skips);
    assert!(trigger.fires(&["update"], &set("*")) && !trigger.fires(&["update"], &set("c")));
    assert!(trigger.fires(&["insert"], &set("c")) && !trigger.fires(&["delete"], &set("a")));
    let trigger = Trigger::read("t".to_owned(), "text", "CREATE TRIGGER t UPDATE OF a ON b BEGIN SELECT 1; END", "");
    assert!(trigger.fires(&["update"], &set("rowid")) && !trigger.fires(&["update"], &set("b")) && !trigger.skips);
}

#[test]
fn keys_with_nulls_are_none_and_an_update_takes_along_what_it_sets() {
    let row = |parts: [&str; 6]| parts.map(str::to_owned);
    let rows = [
        row(["table", "main", "t", "", "1", "0"]),
        row(["key", "primary", "a", "", "", "1"]),
        row(["key", "primary", "b", "", "", "2"]),
        row(["key", "other", "c", "null", "", "1000"]),
        row(["made", "CREATE TABLE t (a, b, c UNIQUE ON CONFLICT IGNORE)", "", "", "", "0"]),
        row(["refers", "u", "delete update", "a", "", "0"]),
        row(["refers", "v", "no-delete update", "", "", "0"]),
    ];
    let known = Known::read(Dialect::Sqlite, rows.into_iter()).unwrap();
    assert_eq!(known.keys, [["a", "b"]]);
    assert_eq!(known.in_the_way, InTheWay::Stay);
    assert_eq!(known.unique_among(&["d".to_owned(), "c".to_owned()]), Some("c"));
    assert_eq!(known.unique_among(&["d".to_owned()]), None);
    assert_eq!(known.taken_along("delete", &[]), ["u"]);
    assert_eq!(known.taken_along("update", &["c".to_owned()]), [""; 0]);
    assert_eq!(known.taken_along("update", &["b".to_owned()]), ["v"]);
    assert_eq!(known.taken_along("update", &["*".to_owned()]), ["u", "v"]);
    assert_eq!(known.held_by("delete", &[]), ["v"]);
    assert_eq!(known.held_by("update", &["b".to_owned()]), [""; 0]);
}

#[test]
fn a_name_that_looks_like_a_place_for_another_stays_a_name() {
    assert_eq!(fill("{a} {b} {a}", &[("{a}", "'{b}'"), ("{b}", "'{a}; DROP'")]), "'{b}' '{a}; DROP' '{b}'");
    let texts = ["", "SELECT {part}", "SELECT {schema}, {name}"];
    let asked = question(Dialect::Mysql, texts, "", Some("{name}"), "; DROP TABLE users; -- ");
    assert_eq!(asked, "SELECT '{name}', '; DROP TABLE users; -- '");
    let part = quoted_text(Dialect::Postgres, "||$$a");
    let asked = question_with(Dialect::Postgres, texts, "\"{part}\"", None, "", &[("{part}", &part)]);
    assert!(asked.contains("to_regclass('\"{part}\"')") && asked.contains("SELECT '||$$a'"), "{asked}");
}
