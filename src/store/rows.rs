//! The rows of a long result, kept on disk as they come, for the person to leaf through: a row a line, and beside it
//! where each begins. Nothing is asked of the database for that, and nothing there stays open meanwhile: a statement
//! that holds its snapshot also holds up the next write.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::Outputs;
use super::outputs::{create, make, part};
use crate::domain::{Cells, Leaf, OperationId};

/// Rows that are read each way from the one that was asked for; more one way where there are fewer the other.
const AROUND: u64 = 500;
/// Bytes of them each way.
const BYTES: u64 = 2 * 1024 * 1024;
/// Bytes of a place.
const PLACE: u64 = 8;

/// Rows that are being kept.
#[derive(Debug)]
pub struct RowSpool {
    rows: BufWriter<File>,
    places: BufWriter<File>,
    at: u64,
    left: u64,
    kept: u64,
}

impl RowSpool {
    /// Keeps a row. False once there is no room for it, or it can't be written: then no more may follow.
    pub fn keep(&mut self, row: &Cells) -> bool {
        let Ok(mut line) = serde_json::to_vec(row) else { return false };
        line.push(b'\n');
        let size = line.len() as u64;
        let kept = size + PLACE <= self.left
            && self.places.write_all(&self.at.to_le_bytes()).is_ok()
            && self.rows.write_all(&line).is_ok();
        if kept {
            self.at += size;
            self.left -= size + PLACE;
            self.kept += 1;
        }
        kept
    }
}

impl Outputs {
    /// Begins to keep the rows of a result.
    ///
    /// # Errors
    /// They can't be written.
    pub fn begin_rows(&self, id: OperationId) -> io::Result<Option<RowSpool>> {
        let Some((folder, left)) = self.room() else { return Ok(None) };
        make(folder)?;
        let [rows, places] = files(folder, id).map(|path| create(&path).map(BufWriter::new));
        Ok(Some(RowSpool { rows: rows?, places: places?, at: 0, left, kept: 0 }))
    }

    /// All rows came. Gives how many of them are kept.
    ///
    /// # Errors
    /// The last ones can't be written.
    pub fn end_rows(&self, mut spool: RowSpool) -> io::Result<u64> {
        spool.places.flush()?;
        spool.rows.flush()?;
        self.took(spool.at + spool.kept * PLACE);
        Ok(spool.kept)
    }

    /// Rows whose result is over before it ended, or was taken back: they go, uncounted as they were.
    pub fn drop_rows(&self, id: OperationId, spool: RowSpool) {
        drop(spool);
        for file in self.folder().into_iter().flat_map(|folder| files(folder, id)) {
            let _left = std::fs::remove_file(file);
        }
    }

    /// The rows around one.
    ///
    /// # Errors
    /// None are kept, or they can't be read.
    pub fn leaf(&self, id: OperationId, at: u64) -> io::Result<Leaf> {
        let [rows, places] = self.row_files(id)?;
        let count = places.metadata()?.len() / PLACE;
        let at = at.min(count);
        let mut to = at.saturating_sub(AROUND).saturating_add(2 * AROUND).min(count);
        let mut from = to.saturating_sub(2 * AROUND);
        let bytes = part(&places, from * PLACE, to * PLACE)?;
        let size = rows.metadata()?.len();
        let (told, _half) = bytes.as_chunks::<8>();
        // Whatever the file says, no more is read than there is.
        let mut begins: Vec<u64> = told.iter().map(|place| u64::from_le_bytes(*place).min(size)).collect();
        begins.push(if to == count { size } else { place(&places, to)?.min(size) });
        let begin = |row: u64| usize::try_from(row).ok().and_then(|row| begins.get(row)).copied().unwrap_or_default();
        let (first, middle) = (from, begin(at - from));
        // Long rows are fewer, but one each way where there is one.
        while from + 1 < at && middle.saturating_sub(begin(from - first)) > BYTES {
            from += 1;
        }
        while to > at + 1 && begin(to - first).saturating_sub(middle) > BYTES {
            to -= 1;
        }
        let bytes = part(&rows, begin(from - first), begin(to - first))?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let rows = lines.map(serde_json::from_slice).collect::<Result<Vec<Cells>, _>>()?;
        Ok(Leaf { first: from, rows })
    }

    /// All rows that are kept, one after the other.
    ///
    /// # Errors
    /// None are kept.
    pub fn all_rows(&self, id: OperationId) -> io::Result<impl Iterator<Item = io::Result<Cells>> + use<>> {
        let [rows, _] = self.row_files(id)?;
        let lines = BufReader::new(rows).split(b'\n');
        Ok(lines.map(|line| Ok(serde_json::from_slice(&line?)?)))
    }

    fn row_files(&self, id: OperationId) -> io::Result<[File; 2]> {
        let folder = self.folder().ok_or(io::ErrorKind::NotFound)?;
        let [rows, places] = files(folder, id).map(File::open);
        Ok([rows?, places?])
    }
}

fn place(places: &File, row: u64) -> io::Result<u64> {
    let bytes = part(places, row * PLACE, (row + 1) * PLACE)?;
    bytes.try_into().map(u64::from_le_bytes).map_err(|_| io::ErrorKind::UnexpectedEof.into())
}

fn files(folder: &Path, id: OperationId) -> [PathBuf; 2] {
    ["rows", "places"].map(|ending| folder.join(format!("{}.{ending}", id.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: OperationId = OperationId(3);

    fn row(number: u64, long: usize) -> Cells {
        vec![Some(number.to_string()), None, Some("a\nb".repeat(long))]
    }

    fn kept(count: u64, long: usize, cap: u64) -> (tempfile::TempDir, Outputs, u64) {
        let root = tempfile::tempdir().unwrap();
        let outputs = Outputs::new(root.path(), "s", cap);
        let mut spool = outputs.begin_rows(ID).unwrap().unwrap();
        let _full = (0..count).all(|number| spool.keep(&row(number, long)));
        let kept = outputs.end_rows(spool).unwrap();
        (root, outputs, kept)
    }

    #[test]
    fn every_row_can_be_leafed_to() {
        let (_root, outputs, count) = kept(2_300, 1, 1 << 20);
        assert_eq!(count, 2_300);
        for at in [0, 1, 499, 500, 501, 1_500, 2_299, 2_300, 9_999] {
            let leaf = outputs.leaf(ID, at).unwrap();
            let end = leaf.first + leaf.rows.len() as u64;
            let from = at.saturating_sub(500).min(1_300);
            assert_eq!((leaf.first, end), (from, from + 1_000), "{at}");
            for (number, cells) in (leaf.first..).zip(&leaf.rows) {
                assert_eq!(*cells, row(number, 1));
            }
        }
        assert_eq!(outputs.all_rows(ID).unwrap().map(Result::unwrap).collect::<Vec<_>>().len(), 2_300);
        assert!(outputs.leaf(OperationId(4), 0).is_err());
    }

    #[test]
    fn a_leaf_of_long_rows_is_bounded_and_goes_on() {
        let (_root, outputs, count) = kept(40, 200_000, 1 << 30);
        assert_eq!(count, 40);
        let mut at = 0;
        while at < 40 {
            let leaf = outputs.leaf(ID, at).unwrap();
            assert!(leaf.rows.len() <= 6, "{}", leaf.rows.len());
            let end = leaf.first + leaf.rows.len() as u64;
            assert!(end > at, "{at}");
            at = end;
        }
    }

    #[test]
    fn a_file_that_somebody_changed_asks_for_no_memory() {
        let (root, outputs, _) = kept(100, 1, 1 << 20);
        let places = root.path().join("s/3.places");
        std::fs::write(&places, [0xff; 80]).unwrap();
        assert_eq!(outputs.leaf(ID, 3).unwrap().rows.len(), 0);
        std::fs::write(&places, [[0; 8], [0xff; 8]].concat()).unwrap();
        assert_eq!(outputs.leaf(ID, 0).unwrap().rows.len(), 100);
        std::fs::write(root.path().join("s/3.rows"), "not rows").unwrap();
        assert!(outputs.leaf(ID, 0).is_err());
    }

    #[test]
    fn no_more_than_the_cap_is_kept_and_no_half_row() {
        let (root, outputs, count) = kept(1_000, 10, 4_000);
        assert!((10..100).contains(&count), "{count}");
        assert_eq!(outputs.leaf(ID, count).unwrap().rows.last(), Some(&row(count - 1, 10)));
        let size: u64 =
            std::fs::read_dir(root.path().join("s")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert!(size <= 4_000, "{size}");
        assert!(Outputs::off().begin_rows(ID).unwrap().is_none());
    }
}
