//! `steward secret`: rotates the key that secrets are encrypted under.

use clap::Subcommand;
use kernel::secret::KeyFile;
use server::secret_rotation::Rotation;

use crate::error::Result;
use crate::options::Options;
use crate::startup;

#[derive(Subcommand)]
pub enum SecretCommand {
    /// Create a new secret key and encrypt all secrets under it.
    ///
    /// It can be interrupted at any time: either the old key stays valid, or the next start
    /// replaces it with the new one. Running services keep answering, but store no new secrets
    /// until they are restarted. Those on other machines need the new key file first.
    Rotate,
}

pub async fn run(command: SecretCommand, options: &Options) -> Result {
    match command {
        SecretCommand::Rotate => rotate(options).await,
    }
}

async fn rotate(options: &Options) -> Result {
    let app = startup::start(options).await?;
    let file = KeyFile::new(options.secret_key_file());
    let explain = |error| startup::key_file_error(&file, error);
    let held = file.lock().map_err(explain)?;
    let rotation = Rotation::begin(&app).await?;
    let new = held.write_new().map_err(explain)?;
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
