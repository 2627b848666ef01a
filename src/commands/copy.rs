//! `steward copy`: copies all data from one database to another.

use clap::Args;
use db::{DatabaseUrl, Db};
use kernel::secret::SecretKey;
use platform::backups::Kept;

use crate::commands::restore;
use crate::error::Result;
use crate::options::Options;
use crate::output::print_line;

#[derive(Args)]
pub struct Databases {
    /// Read from this database: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME.
    #[arg(long, value_name = "URL")]
    from: DatabaseUrl,
    /// Write to this database.
    #[arg(long, value_name = "URL")]
    to: DatabaseUrl,
}

pub async fn run(databases: &Databases, options: &Options) -> Result {
    let Databases { from, to } = databases;
    if let DatabaseUrl::Sqlite(path) = from
        && !path.exists()
    {
        return Err(format!("{from}: there is no such file").into());
    }
    let explain = |url: &DatabaseUrl| {
        let url = url.to_string();
        move |error: db::Error| format!("{url}: {error}")
    };
    let source = Db::open(from, &options.database())
        .await
        .map_err(explain(from))?;
    let state = source.schema_state().await.map_err(explain(from))?;
    if state.applied != state.known {
        return Err(format!(
            "{from}: {} of {} migrations are applied; start this version of the service with it \
             first",
            state.applied, state.known
        )
        .into());
    }
    let target = Db::open(to, &options.database())
        .await
        .map_err(explain(to))?;
    // Secrets are copied as they are, so no key is needed.
    restore::fill(&source, target, SecretKey::random(), Kept::UNCHANGED).await?;
    print_line!(
        "Serve it with the same secret key file: {}.",
        options.secret_key_file().display()
    )?;
    Ok(())
}
