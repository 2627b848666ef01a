//! The file with the link that sets up the console.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use accounts::console::{self, SETUP_HOURS};
use kernel::Core;

/// The name of the file in the data folder.
const NAME: &str = "setup-link";

/// How often the file is compared with the database. The link can also be used at another instance,
/// or replaced by a command.
const ROUND: Duration = Duration::from_secs(2);

/// The file, which may not exist.
pub struct SetupLinkFile(PathBuf);

impl SetupLinkFile {
    pub fn of(data_folder: &Path) -> Self {
        Self(data_folder.join(NAME))
    }

    /// Writes the link to a file that only its owner can read.
    pub fn write(&self, link: &str) {
        let file = self.0.display();
        match self.try_write(link) {
            Ok(()) => tracing::info!(
                %file,
                "open the link in this file within {SETUP_HOURS} hours to set up the console"
            ),
            Err(error) => tracing::warn!(
                %file,
                %error,
                "the link that sets up the console cannot be written; `steward operator invite` \
                 prints another"
            ),
        }
    }

    fn try_write(&self, link: &str) -> io::Result<()> {
        // A new file, because an old one may have other permissions.
        self.remove()?;
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&self.0)?;
        writeln!(file, "{link}")
    }

    fn remove(&self) -> io::Result<()> {
        match std::fs::remove_file(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Removes the file once its link is used, replaced or expired. Ends when there is no file, also
    /// if an earlier start wrote it.
    pub async fn remove_when_invalid(self, core: Core) {
        let mut rounds = tokio::time::interval(ROUND);
        loop {
            rounds.tick().await;
            let link = match std::fs::read_to_string(&self.0) {
                Ok(link) => link,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return,
                Err(error) => return self.warn(&error),
            };
            match console::is_link_valid(&core, link.trim()).await {
                Ok(true) => {}
                Ok(false) => {
                    if let Err(error) = self.remove() {
                        return self.warn(&error);
                    }
                }
                Err(error) => tracing::debug!(%error, "the setup link was not checked; retrying"),
            }
        }
    }

    fn warn(&self, error: &io::Error) {
        let file = self.0.display();
        tracing::warn!(%file, %error, "the file of the setup link cannot be read or removed");
    }
}
