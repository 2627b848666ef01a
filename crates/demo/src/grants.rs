//! Products that were given lately, in every state.

use serde_json::json;

use super::input::input;
use super::plan::Plan;
use db::Progress;
use game_servers::command_template::Profile;
use kernel::Result;
use kernel::types::Timestamp;
use kernel::types::time::HOUR;
use kernel::write::Edit;
use payments::grants;

/// How many users are given a product.
const GIVEN: i64 = 40;

/// Gives products to the first users, one an hour: VIP, and to those with a Steam profile the
/// starter kit, which waits for the plugin on its server. Some others get it as well and need
/// attention.
pub async fn make(
    edit: &mut Edit,
    plan: &Plan,
    [vip, kit]: [i64; 2],
    first_user: i64,
    progress: &mut impl Progress,
) -> Result<()> {
    let given = GIVEN.min(plan.users.into());
    progress.begin("grants", given.unsigned_abs());
    let mut delivered = 0;
    for number in 0..given {
        let user_id = first_user + number;
        edit.set_now(Timestamp::from_unix(
            plan.end().unix() - HOUR * (given - number),
        ));
        let recipient = grants::recipient(edit, user_id, "").await?;
        let has_steam = recipient.has(Profile::Steam);
        delivered += i64::from(has_steam);
        let (product_id, reason) = match has_steam || number % 8 == 0 {
            true => (kit, "Welcome"),
            false => (vip, "Won the weekly tournament"),
        };
        let new = json!({ "user_id": user_id, "product_id": product_id, "reason": reason });
        let grant = grants::create(edit, input(&new)?).await?.into_part();
        if has_steam && delivered % 2 == 0 {
            let (target, _) = grants::target(edit, grant.id).await?;
            grants::cancel(edit, target).await?.into_part();
        } else if product_id == vip && number % 5 == 0 {
            let (target, user) = grants::target(edit, grant.id).await?;
            grants::revoke(edit, target, user).await?.into_part();
        }
        progress.advance(1);
    }
    Ok(())
}
