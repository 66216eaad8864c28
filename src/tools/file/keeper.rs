//! Keeps what an operation replaces, before it replaces it, and notes what it changed.

use nix::sys::stat::FileStat;

use super::real::{Sort, Spot, sort};
use super::{FileError, Judged};
use crate::domain::{Change, Image, OperationId};
use crate::store::{Images, digest};

/// Whether a note can hold it: where a link leads may be no text.
fn noted(image: &Image) -> bool {
    !matches!(image, Image::Link { target } if target.to_str().is_none())
}

/// The images of one operation.
pub(in crate::tools) struct Keeper<'a> {
    images: &'a Images,
    id: OperationId,
}

impl<'a> Keeper<'a> {
    /// What operation `id` keeps.
    pub(in crate::tools) fn new(images: &'a Images, id: OperationId) -> Self {
        Self { images, id }
    }

    /// The images, to read from.
    pub(in crate::tools) fn images(&self) -> &'a Images {
        self.images
    }

    /// What stands there, its content kept. None if it can't be taken back: it is too large, or no file.
    pub(in crate::tools) fn image(
        &self,
        path: &Judged<'_>,
        spot: &Spot,
        status: Option<&FileStat>,
    ) -> Result<Option<Image>, FileError> {
        let Some(status) = status else { return Ok(Some(Image::Nothing)) };
        let mode = status.st_mode & 0o777;
        match sort(status) {
            Sort::Folder => return Ok(Some(Image::Folder { mode })),
            Sort::Link => return Ok(Some(Image::Link { target: spot.target(path)? }).filter(noted)),
            Sort::Special => return Ok(None),
            Sort::File => {}
        }
        let (mut file, status) = spot.open(path)?;
        let kept = self.images.keep(&mut file).map_err(|error| FileError::NotKept(path.name(), error))?;
        let size = u64::try_from(status.st_size).unwrap_or_default();
        Ok(kept.map(|digest| Image::File { digest, size, mode }))
    }

    /// Content took the place of what `before` says.
    pub(in crate::tools) fn replaced(&self, path: &Judged<'_>, before: Option<Image>, content: &[u8], mode: u32) {
        let digest = digest(&mut &*content).unwrap_or_default();
        self.became(path, before, Image::File { digest, size: content.len() as u64, mode });
    }

    /// What `before` says is gone.
    pub(in crate::tools) fn removed(&self, path: &Judged<'_>, before: Option<Image>) {
        self.became(path, before, Image::Nothing);
    }

    /// What `before` says became something else.
    pub(in crate::tools) fn became(&self, path: &Judged<'_>, before: Option<Image>, after: Image) {
        if let Some(before) = before {
            self.note(Change::Replaced { path: path.fact.real.clone(), before, after });
        }
    }

    /// Something is at another path now.
    pub(in crate::tools) fn moved(&self, from: &Judged<'_>, to: &Judged<'_>, status: &FileStat) {
        let (from, to) = (from.fact.real.clone(), to.fact.real.clone());
        self.note(Change::Moved { from, to, identity: (status.st_dev, status.st_ino) });
    }

    fn note(&self, change: Change) {
        if let Err(error) = self.images.note(self.id, change) {
            tracing::warn!("the change of {} can only be taken back in this session: {error}", self.id);
        }
    }
}
