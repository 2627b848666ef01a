//! `steward secret`: changing the key that secrets are encrypted under.

use std::error::Error;

use db::Db;
use kernel::secret::{KeyFile, KeyFileError, SecretKey};
use server::secret_rotation::Rotation;

use crate::options::Options;
use crate::{Outcome, serve};

pub async fn rotate(options: &Options) -> Outcome {
    let app = serve::start(options).await?;
    let file = KeyFile::new(options.secret_key_file());
    let held = file.hold().map_err(|error| about(&file, error))?;
    let rotation = Rotation::begin(&app).await?;
    let new = held.write_new().map_err(|error| about(&file, error))?;
    rotation.finish(&new).await?;
    held.adopt_new().map_err(|error| {
        let (path, new) = (file.path().display(), file.new_path());
        let new = new.display();
        format!("everything is encrypted under the key in {new}; move it to {path}: {error}")
    })?;
    println!(
        "The secret key was changed; the new one is in {}. Restart every instance of the service.",
        file.path().display()
    );
    Ok(())
}

/// Ends a change of the key that was cut short when everything was already encrypted under the
/// new one. `None` when there was no such change.
pub async fn finish_rotation(file: &KeyFile, db: &Db) -> Result<Option<SecretKey>, Box<dyn Error>> {
    let tell = |error| about(file, error);
    if file.load_new().map_err(tell)?.is_none() {
        return Ok(None);
    }
    let held = file.hold().map_err(tell)?;
    // Another process may have ended it while this one waited.
    let key = file.load().map_err(tell)?;
    if fits(db, &key).await? {
        return Ok(Some(key));
    }
    match file.load_new().map_err(tell)? {
        Some(new) if fits(db, &new).await? => {
            held.adopt_new().map_err(tell)?;
            tracing::info!("a change of the secret key had been cut short; it is finished now");
            Ok(Some(new))
        }
        _ => Ok(None),
    }
}

async fn fits(db: &Db, key: &SecretKey) -> kernel::Result<bool> {
    Ok(kernel::secret::secret_key_fits(db, key).await? == Some(true))
}

/// What went wrong, with the file that it is about.
pub fn about(file: &KeyFile, error: KeyFileError) -> String {
    format!("the secret key file {}: {error}", file.path().display())
}
