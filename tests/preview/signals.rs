//! Previews of commands that send something to processes.

use std::process::{Child, Command};

use countersign::domain::Detail;

use super::Desk;

/// A process that waits, ended with this.
struct Waiting(Child);

impl Waiting {
    fn new() -> Self {
        Self(Command::new("sleep").arg("98.7654321").spawn().unwrap())
    }

    fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn which_processes_get_a_signal_is_told() {
    let desk = Desk::new();
    let (one, other) = (Waiting::new(), Waiting::new());
    // Between fork and exec it bears another name.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let (first, second) = (one.id(), other.id());
    let told = desk.told(&format!("kill {first}")).await;
    assert!(
        told.starts_with(&format!("[1 process] Sends TERM to 1 process: sleep ({first}). no undo: what ends")),
        "{told}"
    );
    let told = desk.told(&format!("kill -9 {first} {second}")).await;
    assert!(told.starts_with("[2 processes] Ends 2 processes at once: sleep ("), "{told}");
    let told = desk.told(&format!("kill -STOP {first}")).await;
    assert!(told.contains("Halts 1 process") && told.contains("undo: `kill -CONT` lets them go on."), "{told}");
    let told = desk.told("pkill -f '^sleep 98.7654321$'").await;
    assert!(told.contains("Sends TERM to 2 processes: sleep ("), "{told}");
    let told = desk.told("killall -9 no-such-name-here").await;
    assert_eq!(told, "[no process] No process that is there now gets it. ");
    let told = desk.told(&format!("kill {first} 999999999")).await;
    assert!(told.contains("There is no process 999999999. Sends TERM to 1 process"), "{told}");
    let told = desk.told(&format!("kill {}", std::process::id())).await;
    assert!(told.contains("Countersign itself is among them."), "{told}");
    for command in ["kill $(cat pid)", "kill %1", "kill 0", "pkill -u root x"] {
        let told = desk.told(command).await;
        assert!(told.contains("isn't known beforehand"), "{command}: {told}");
    }
    let preview = desk.command(&format!("kill {first}")).await.unwrap().unwrap();
    let Some(Detail::Rows { table, .. }) = preview.details.first() else { panic!("no rows: {preview:?}") };
    let [row] = table.rows.as_slice() else { panic!("not one row: {table:?}") };
    assert_eq!((row[1].as_deref(), row[3].as_deref()), (Some("you"), Some("sleep 98.7654321")));
}
