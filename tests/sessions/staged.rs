//! What a staged run would change waits with its session: it is there after leaving, and after a kill.

use std::path::Path;

use crate::full::mounts;
use crate::left_out::not_here;
use crate::sitting::Sitting;

/// A test that changes a file which is there.
const TEST: &str = "import unittest

class Changes(unittest.TestCase):
    def test(self):
        open('notes.txt', 'a').write('two\\n')
";

/// Layers in which something waits.
fn layers(home: &Path) -> usize {
    let sessions = std::fs::read_dir(home.join("data/layers")).into_iter().flatten().flatten();
    let waiting = sessions.flat_map(|session| std::fs::read_dir(session.path()).into_iter().flatten().flatten());
    waiting.filter(|layer| layer.path().join("waits.json").exists()).count()
}

#[test]
fn changes_of_a_staged_run_wait_until_they_are_decided() {
    if !mounts() {
        return not_here("changes of a staged run", "no user namespaces here");
    }
    let home = crate::home();
    let notes = home.path().join("workspace/notes.txt");
    std::fs::write(&notes, "one\n").unwrap();
    std::fs::write(home.path().join("workspace/test_notes.py"), TEST).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(100));
    let mut it = Sitting::start(home.path(), &[], |_| None);
    // The test of the walls is not over at once.
    it.say("! true");
    it.wait_for("operation 1 done");
    std::thread::sleep(std::time::Duration::from_secs(3));
    it.say("! python3 -m unittest test_notes");
    it.wait_until("its changes wait, or it asks", |told| told.contains(" waits: "));
    if it.told().contains("operation 2 waits: ") {
        return not_here("changes of a staged run", &format!("nothing can be staged here: {}", it.told()));
    }
    it.wait_for("operation 3 waits: ");
    assert!(it.told().contains("notes.txt"), "{}", it.told());
    assert!(it.end().1.success());
    assert_eq!((std::fs::read_to_string(&notes).unwrap().as_str(), layers(home.path())), ("one\n", 1));

    let mut it = Sitting::start(home.path(), &["--continue"], |_| None);
    it.wait_for("operation 3 waits: ");
    it.kill();
    assert_eq!(layers(home.path()), 1);

    let mut it = Sitting::start(home.path(), &["--continue"], |_| None);
    it.wait_for("operation 3 waits: ");
    it.look_and_approve(3);
    assert!(it.end().1.success());
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "one\ntwo\n");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(layers(home.path()), 0);
}
