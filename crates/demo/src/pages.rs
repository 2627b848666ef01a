//! The pages and their blocks.

use serde_json::json;

use super::catalogue::PAGES;
use super::event_times::EventTimes;
use super::input::input;
use super::plan::{COMMUNITY_DAYS, Part, Plan};
use super::rng::Rng;
use super::words::{ADJECTIVES, NOUNS, SENTENCES};
use content::pages::{self, blocks};
use db::Progress;
use kernel::Result;
use kernel::write::Edit;

/// Creates the pages of the catalogue first, then news.
pub async fn make(edit: &mut Edit, plan: &Plan, progress: &mut impl Progress) -> Result<()> {
    let mut rng = plan.rng(Part::Pages);
    let opened = plan.days_before_end(COMMUNITY_DAYS);
    let event_times = EventTimes::new(opened, COMMUNITY_DAYS, plan.pages.into());
    progress.begin("pages", plan.pages.into());
    for number in 0..plan.pages {
        edit.set_now(event_times.moment(number.into(), &mut rng));
        let (title, slug) = match PAGES.get(number as usize) {
            Some((title, slug)) => ((*title).to_owned(), (*slug).to_owned()),
            None => news(number, &mut rng),
        };
        let new = json!({
            "title": title,
            "slug": slug,
            "content": paragraphs(&mut rng, 3),
            "meta_title": title,
            "meta_description": rng.pick(SENTENCES),
            "is_active": rng.chance(90),
        });
        let page = pages::create(edit, input(&new)?).await?.into_part();
        for _ in 0..rng.below(4) {
            let page = pages::target(edit, page.id).await?;
            let block = block(&mut rng);
            blocks::add(edit, page, input(&block)?).await?.into_part();
        }
        progress.advance(1);
    }
    Ok(())
}

fn news(number: u32, rng: &mut Rng) -> (String, String) {
    let (adjective, noun) = (*rng.pick(ADJECTIVES), *rng.pick(NOUNS));
    let slug = format!("news/{number}-{adjective}-{noun}").to_ascii_lowercase();
    (format!("Season of the {adjective} {noun}"), slug)
}

fn paragraphs(rng: &mut Rng, most: i64) -> String {
    let paragraph = |rng: &mut Rng| {
        let sentences = rng.between(1, 4);
        let sentences: Vec<&str> = (0..sentences).map(|_| *rng.pick(SENTENCES)).collect();
        format!("<p>{}</p>", sentences.join(" "))
    };
    (0..rng.between(1, most)).map(|_| paragraph(rng)).collect()
}

fn block(rng: &mut Rng) -> serde_json::Value {
    if rng.chance(30) {
        let name = rng.pick(NOUNS);
        let url = format!("/images/{}.png", name.to_ascii_lowercase());
        let image = json!({ "url": url, "alt": name, "width": 1280, "height": 720 });
        return json!({ "type": "image", "content": image });
    }
    json!({ "type": "text", "content": paragraphs(rng, 2) })
}
