use serde_json::json;

use super::catalogue::PAGES;
use super::dice::Dice;
use super::rhythm::Rhythm;
use super::words::{ADJECTIVES, NOUNS, SENTENCES};
use super::{COMMUNITY_DAYS, Part, Plan, Progress, input};
use kernel::Result;
use kernel::write::Edit;
use server::pages::{self, blocks};

/// The pages that every community has, and then its news.
pub async fn make(edit: &mut Edit, plan: &Plan, progress: &mut impl Progress) -> Result<()> {
    let mut dice = plan.dice(Part::Pages);
    let opened = plan.days_before_end(COMMUNITY_DAYS);
    let rhythm = Rhythm::new(opened, COMMUNITY_DAYS, plan.pages.into());
    progress.begin("pages", plan.pages.into());
    for number in 0..plan.pages {
        edit.set_now(rhythm.moment(number.into(), &mut dice));
        let (title, slug) = match PAGES.get(number as usize) {
            Some((title, slug)) => ((*title).to_owned(), (*slug).to_owned()),
            None => news(number, &mut dice),
        };
        let new = json!({
            "title": title,
            "slug": slug,
            "content": paragraphs(&mut dice, 3),
            "meta_title": title,
            "meta_description": dice.pick(SENTENCES),
            "is_active": dice.chance(90),
        });
        let page = pages::create(edit, input(&new)?).await?.into_part();
        for _ in 0..dice.below(4) {
            let page = pages::target(edit, page.id).await?;
            let block = block(&mut dice);
            blocks::add(edit, page, input(&block)?).await?.into_part();
        }
        progress.advance(1);
    }
    Ok(())
}

fn news(number: u32, dice: &mut Dice) -> (String, String) {
    let (adjective, noun) = (*dice.pick(ADJECTIVES), *dice.pick(NOUNS));
    let slug = format!("news/{number}-{adjective}-{noun}").to_ascii_lowercase();
    (format!("Season of the {adjective} {noun}"), slug)
}

fn paragraphs(dice: &mut Dice, most: i64) -> String {
    let paragraph = |dice: &mut Dice| {
        let sentences = dice.between(1, 4);
        let sentences: Vec<&str> = (0..sentences).map(|_| *dice.pick(SENTENCES)).collect();
        format!("<p>{}</p>", sentences.join(" "))
    };
    (0..dice.between(1, most))
        .map(|_| paragraph(dice))
        .collect()
}

fn block(dice: &mut Dice) -> serde_json::Value {
    if dice.chance(30) {
        let name = dice.pick(NOUNS);
        let url = format!("/images/{}.png", name.to_ascii_lowercase());
        let image = json!({ "url": url, "alt": name, "width": 1280, "height": 720 });
        return json!({ "type": "image", "content": image });
    }
    json!({ "type": "text", "content": paragraphs(dice, 2) })
}
