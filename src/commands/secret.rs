//! `steward secret`: replaces the key that secrets are encrypted under.

use clap::Subcommand;
use kernel::secret::KeyFile;
use kernel::types::Clock;
use kernel::{Core, Metrics};
use server::secret_rotation::{self, Rotation};

use crate::error::Result;
use crate::options::Options;
use crate::output::print_line;
use crate::startup;

#[derive(Subcommand)]
pub enum SecretCommand {
    /// Create a new secret key and encrypt all secrets under it.
    ///
    /// It can be interrupted at any time: either the old key stays valid, or the next start
    /// replaces it with the new one. Running services reload the key file. Those on
    /// other machines store no new secrets until the file is copied there.
    Rotate,
    /// Remove all secrets from the database, because the secret key file is lost.
    ///
    /// It removes the RCON passwords of all game servers and the stored replies to requests with an
    /// Idempotency-Key. Users, their passwords, API keys and everything else stay. The database then
    /// belongs to the key in the secret key file, which is created if missing.
    Reset {
        /// Confirm that the secrets are removed.
        #[arg(long)]
        forget_secrets: bool,
    },
}

pub async fn run(command: SecretCommand, options: &Options) -> Result {
    match command {
        SecretCommand::Rotate => rotate(options).await,
        SecretCommand::Reset { forget_secrets } => reset(options, forget_secrets).await,
    }
}

async fn rotate(options: &Options) -> Result {
    let app = startup::start(options).await?;
    let file = KeyFile::new(options.secret_key_file());
    let explain = |error| startup::key_file_error(&file, error);
    let held = file.lock().map_err(explain)?;
    let rotation = Rotation::begin(&app.kernel.core).await?;
    let new = held.write_new().map_err(explain)?;
    rotation.finish(&new).await?;
    held.adopt_new().map_err(|error| {
        let (path, new) = (file.path().display(), file.new_path());
        let new = new.display();
        format!("everything is encrypted under the key in {new}; move it to {path}: {error}")
    })?;
    print_line!(
        "The secret key was changed; the new one is in {}. Copy it to every other machine that runs \
         an instance of the service.",
        file.path().display()
    )?;
    Ok(())
}

async fn reset(options: &Options, is_confirmed: bool) -> Result {
    startup::require_database(options)?;
    let file = KeyFile::new(options.secret_key_file());
    let explain = |error| startup::key_file_error(&file, error);
    let db = startup::open_database(options).await?;
    if !kernel::secret::has_secret_key(&db).await? {
        return Err("this database was never written under a secret key; nothing is lost".into());
    }
    let existing = file.load_if_exists().map_err(explain)?;
    let fits = match &existing {
        Some(key) => startup::fits(&db, key).await?,
        None => false,
    };
    let is_rotating = match file.load_new().map_err(explain)? {
        Some(new) => startup::fits(&db, &new).await?,
        None => false,
    };
    if fits || is_rotating {
        return Err(
            "the secret key file matches this database; nothing is lost. \
                    `steward secret rotate` replaces the key"
                .into(),
        );
    }
    if !is_confirmed {
        return Err(
            "this removes what only the lost secret key can decrypt: the RCON passwords of \
                    all game servers, which must be set again, the signing secrets of all webhooks, \
                    which are switched off until they get new ones, the second factors of \
                    operators, who then sign in without one, the token of the Discord bot, and the \
                    stored replies to requests \
                    with an Idempotency-Key, so that a repeated request is executed again. \
                    Everything else stays. To go on, add --forget-secrets"
                .into(),
        );
    }
    db.migrate(Clock::System.now().unix()).await?;
    let key = match existing {
        Some(key) => key,
        None => file.create().map_err(explain)?,
    };
    let core = Core::new(db, Metrics::default(), Clock::System, key);
    let forgotten = secret_rotation::reset(&core).await?;
    print_line!(
        "Removed {} RCON passwords, {} signing secrets of webhooks, {} second factors, {} tokens of \
         Discord bots and {} stored replies. The secret key is in {}. Back it up, and copy it to every other machine that runs \
         an instance of the service.",
        forgotten.rcon_passwords,
        forgotten.webhook_secrets,
        forgotten.second_factors,
        forgotten.discord_tokens,
        forgotten.stored_replies,
        file.path().display()
    )?;
    Ok(())
}
