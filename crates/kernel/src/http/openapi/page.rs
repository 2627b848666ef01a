//! The page to read the document and try it out.

use aide::swagger::Swagger;

pub fn page() -> String {
    Swagger::new("/openapi.json")
        .with_title("Steward API")
        .html()
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::http::page::inline_scripts;

    #[test]
    fn the_page_has_two_inline_scripts_and_no_other() {
        let page = page();
        let scripts: Vec<&str> = inline_scripts(&page).collect();
        assert_eq!(scripts.len(), 2);
        let markup = scripts
            .iter()
            .fold(page.clone(), |page, script| page.replace(script, ""));
        assert_eq!(markup.matches("<script></script>").count(), 2);
        assert_eq!(markup.matches("<script").count(), 2);
        // A browser would hash the text after it replaced these.
        assert!(!page.contains('\r') && !page.contains('\0'));
    }
}
