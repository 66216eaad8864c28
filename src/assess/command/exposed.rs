//! Readers of other machines whose words choose whose machine that is: a bucket, an account.
//! Its owner hears what stands in them, as the owner of a host does that is looked at: so these words must stand in the
//! command, nothing is read beside them, and the name counts as one of a host.

use super::judge::Judge;
use super::obeys::{flag_values, is_or_below};
use super::word::{Piece, Word};

/// Readers, each with the flag that names what it asks, and the end of that one's name as a host.
const READERS: [(&str, &str, &str); 6] = [
    ("aws s3", "", ".s3.amazonaws.com:443"),
    ("aws s3api", "--bucket", ".s3.amazonaws.com:443"),
    ("s3cmd", "", ".s3.amazonaws.com:443"),
    ("gsutil", "", ".storage.googleapis.com:443"),
    ("gcloud storage", "", ".storage.googleapis.com:443"),
    ("az storage", "--account-name", ".blob.core.windows.net:443"),
];

impl Judge<'_> {
    /// Notes what a reader tells to whom, and objects to what doesn't stand in the command.
    pub(super) fn exposes(&mut self, reader: &str, words: &[Word]) {
        let Some((_, flag, end)) = READERS.iter().find(|(known, ..)| is_or_below(reader, known)) else { return };
        self.exposed = true;
        let vague = |word: &&Word| word.pieces().iter().any(|piece| !matches!(piece, Piece::Exact(_)));
        if let Some(word) = words.iter().find(vague) {
            self.ineligible = true;
            let sentence = format!("What `{reader}` sends in {} doesn't stand in the command.", self.spelt(word));
            self.unknown("command.sends", sentence);
        }
        let places = words.iter().filter_map(Word::text).filter_map(|text| {
            let (scheme, rest) = text.split_once("://")?;
            matches!(scheme, "s3" | "gs").then(|| rest.split('/').next().unwrap_or_default().to_owned())
        });
        let named = flag_values(words, flag).filter_map(|word| word.text().map(str::to_owned));
        let named = named.filter(|_| !flag.is_empty());
        let hosts = places.chain(named).filter(|name| !name.is_empty());
        self.hosts.extend(hosts.map(|name| format!("{}{end}", name.to_ascii_lowercase())));
    }
}
