//! Files that previews of commands list.

use countersign::domain::Detail;

use super::Desk;

#[tokio::test]
async fn files_that_no_word_names_are_listed() {
    let desk = Desk::new();
    for at in 0..7 {
        desk.write(&format!("dir/{at}"), "x");
    }
    desk.write("a", "x");
    for (command, title, shown, total) in [
        ("chmod -R go-w dir", "files whose rights or owner change", 5, 7),
        ("mv dir b", "files that it moves", 5, 7),
        ("mkdir e && cp dir/[1-3] a e", "files that it copies", 4, 4),
    ] {
        let preview = desk.command(command).await.unwrap().unwrap();
        let [Detail::Rows { title: said, table }] = preview.details.as_slice() else {
            panic!("{command}: {preview:?}")
        };
        assert_eq!((said.as_str(), table.rows.len(), table.total), (title, shown, total), "{command}");
    }
    for command in ["chmod 600 a", "mv a b", "cp dir/1 dir/2 ."] {
        assert_eq!(desk.command(command).await.unwrap().unwrap().details, [], "{command}");
    }
}
