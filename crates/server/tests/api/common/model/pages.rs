//! Pages in the model: slugs are unique case-insensitively.

use serde_json::{Value, json};

use super::{Run, id_of};

pub struct Page {
    slug: String,
    is_active: bool,
}

const SLUGS: [&str; 8] = [
    "about",
    "About",
    "/about",
    "news/today",
    "NEWS/today",
    "faq",
    "FAQ",
    "rules",
];

impl Run {
    /// Whether another page has this slug in any case, with or without a leading slash.
    fn is_slug_taken(&self, but: i64, slug: &str) -> bool {
        let mut others = self.model.pages.iter().filter(|(id, _)| **id != but);
        others.any(|(_, page)| page.slug.eq_ignore_ascii_case(slug))
    }

    fn some_slug(&mut self) -> (&'static str, String) {
        let sent = self.rng.one_of(&SLUGS);
        (sent, sent.trim_start_matches('/').to_owned())
    }

    pub async fn create_page(&mut self) {
        let (sent, slug) = self.some_slug();
        let is_active = self.rng.below(2) == 0;
        let body = json!({ "title": "Page", "slug": sent, "content": "", "is_active": is_active });
        let answer = self.admin.post("/api/cms-pages", body).await;
        if self.is_slug_taken(0, &slug) {
            return self.expect_faults(&answer, &["slug".into()].into());
        }
        let id = id_of(&self.expect_status(&answer, 201)["page"]);
        self.model.pages.insert(id, Page { slug, is_active });
    }

    pub async fn change_page(&mut self) {
        let id = self.pick_id(|model| &model.pages);
        let (sent, slug) = self.some_slug();
        let body = json!({ "slug": sent });
        let answer = self.admin.put(&format!("/api/cms-pages/{id}"), body).await;
        let is_taken = self.is_slug_taken(id, &slug);
        match self.model.pages.get_mut(&id) {
            None => drop(self.expect_status(&answer, 404)),
            Some(_) if is_taken => self.expect_faults(&answer, &["slug".into()].into()),
            Some(page) => {
                page.slug = slug;
                self.expect_status(&answer, 200);
            }
        }
    }

    pub async fn delete_page(&mut self) {
        let id = self.pick_id(|model| &model.pages);
        let answer = self.admin.delete(&format!("/api/cms-pages/{id}")).await;
        let was_there = self.model.pages.remove(&id).is_some();
        self.expect_status(&answer, if was_there { 200 } else { 404 });
    }

    pub async fn compare_pages(&self) {
        let listed = self.admin.get("/api/cms-pages").await.ok();
        let listed = listed["pages"].as_array().expect("a list").iter();
        let shown: Vec<Value> = listed
            .map(|page| json!([page["id"], page["slug"], page["is_active"]]))
            .collect();
        let expected = self.model.pages.iter();
        let expected: Vec<Value> = expected
            .map(|(id, page)| json!([id, page.slug, page.is_active]))
            .collect();
        assert_eq!(shown, expected);
    }
}
