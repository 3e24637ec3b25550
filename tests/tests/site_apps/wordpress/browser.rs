//! People in Chromium: an author writes and uploads, a reader comments, an editor approves, and all is seen at once.

use std::fs;

use unladen_tests::Chromium;

use super::Blog;

/// A browser at the blog.
struct Browser<'b> {
    page: Chromium,
    blog: &'b Blog,
}

impl<'b> Browser<'b> {
    fn start(blog: &'b Blog) -> Self {
        Self { page: Chromium::start(), blog }
    }

    #[track_caller]
    fn load(&self, path: &str) {
        self.page.load(&self.blog.url(path));
    }

    /// The text of a page, and whether it came from memory.
    #[track_caller]
    fn read(&self, path: &str) -> (String, bool) {
        self.page.take_pages();
        self.load(path);
        let pages = self.page.take_pages();
        let Some((200 | 304, fields)) = pages.last() else { panic!("{path}: {pages:?}") };
        let status = fields.get("cache-status").unwrap_or_else(|| panic!("{path}: {fields:?}"));
        (self.page.text("document.body.innerText"), status.starts_with("unladen; hit"))
    }

    #[track_caller]
    fn log_in(&self, name: &str) {
        self.load("/wp-login.php");
        self.page.evaluate(&format!(
            "document.querySelector('#user_login').value = {name:?};
             document.querySelector('#user_pass').value = {:?};
             document.querySelector('#wp-submit').click()",
            self.blog.password(name)
        ));
        self.page.wait_for("location.pathname.startsWith('/wp-admin/') && document.querySelector('#wpadminbar')");
    }

    #[track_caller]
    fn log_out(&self) {
        self.load("/");
        let link = self.page.text("document.querySelector('#wp-admin-bar-logout a').href");
        self.page.load(&link);
        self.page.wait_for("location.pathname === '/wp-login.php' && document.querySelector('#user_login')");
    }

    /// Writes into a post by the editor of blocks.
    #[track_caller]
    fn write(&self, post: &str, text: &str) {
        self.load(&format!("/wp-admin/post.php?post={post}&action=edit"));
        self.page.wait_for(
            "window.wp && wp.data && wp.data.select('core/editor').getCurrentPostId() \
             && wp.data.select('core/block-editor').getBlocks().length",
        );
        let saved = self.page.evaluate(&format!(
            "(async () => {{
                 const text = '<!-- wp:paragraph --><p>' + {text:?} + '</p><!-- /wp:paragraph -->';
                 await wp.data.dispatch('core/block-editor').resetBlocks(wp.blocks.parse(text));
                 await wp.data.dispatch('core/editor').savePost();
                 return wp.data.select('core/editor').didPostSaveRequestSucceed();
             }})()"
        ));
        assert_eq!(saved, true, "{:?}", self.page.take_problems());
    }
}

#[test]
fn people_write_comment_upload_search_and_log_out() {
    let blog = Blog::up();
    let post = blog.php("echo of('of-wool');");
    let (author, reader, editor) = (Browser::start(&blog), Browser::start(&blog), Browser::start(&blog));
    blog.kept("/of-wool/");
    assert!(reader.read("/of-wool/").0.contains("what is to be said of wool"));

    author.log_in("author");
    author.write(&post, "Wool is spun.");
    let (text, is_hit) = reader.read("/of-wool/");
    assert!(text.contains("Wool is spun.") && !is_hit, "{text}");
    blog.kept("/of-wool/");
    let (text, is_hit) = author.read("/of-wool/");
    assert!(text.contains("Wool is spun.") && text.contains("Author of the site") && !is_hit, "{text}");

    // A picture of one pixel, by the form for browsers that have no scripts.
    author.load("/wp-admin/media-new.php?browser-uploader");
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    author.page.evaluate(&format!(
        "(() => {{
             const bytes = Uint8Array.from(atob('{png}'), letter => letter.charCodeAt(0));
             const files = new DataTransfer();
             files.items.add(new File([bytes], 'spindle.png', {{ type: 'image/png' }}));
             document.querySelector('#async-upload').files = files.files;
             document.querySelector('#html-upload').click();
         }})()"
    ));
    author.page.wait_for("location.pathname === '/wp-admin/upload.php'");
    let uploaded =
        blog.php("echo wp_get_attachment_url(get_posts(['post_type' => 'attachment', 'name' => 'spindle'])[0]->ID);");
    let path = uploaded.split_once("/wp-content/").map(|(_, rest)| format!("/wp-content/{rest}")).expect("its path");
    let picture = blog.anonymous().read(&path);
    assert_eq!(picture.field("content-type"), Some("image/png"), "{picture:?}");
    assert_eq!(picture.body, fs::read(blog.folder().join(&path[1..])).unwrap());

    // A comment of somebody new waits, and its author alone sees it.
    reader.load("/of-wool/");
    reader.page.evaluate(
        "document.querySelector('#comment').value = 'Said by Dai of wool.';
         document.querySelector('#author').value = 'Dai';
         document.querySelector('#email').value = 'dai@site.example';
         document.querySelector('#wp-comment-cookies-consent').checked = true;
         document.querySelector('#commentform #submit').click()",
    );
    reader.page.wait_for("document.body.innerText.includes('Said by Dai of wool.')");
    let stranger = Browser::start(&blog);
    assert!(!stranger.read("/of-wool/").0.contains("Said by Dai"));
    editor.log_in("editor");
    editor.load("/wp-admin/edit-comments.php?comment_status=moderated");
    editor.page.evaluate("document.querySelector('#the-comment-list .approve a').click()");
    editor.page.wait_for("![...document.querySelectorAll('#the-comment-list tr')].some(row => row.offsetParent && row.innerText.includes('Said by Dai'))");
    let (text, is_hit) = stranger.read("/of-wool/");
    assert!(text.contains("Said by Dai of wool.") && !is_hit, "{text}");

    stranger.load("/?s=spun");
    stranger.page.wait_for("document.body.innerText.includes('Of wool')");

    // Whoever has logged out is nobody again.
    author.log_out();
    let (text, _) = author.read("/of-wool/");
    assert!(!text.contains("Author of the site") || !text.contains("Log Out"), "{text}");
    assert_eq!(author.page.evaluate("!!document.querySelector('#wpadminbar')"), false);
    author.load("/wp-admin/");
    author.page.wait_for("location.pathname === '/wp-login.php'");
    blog.site.stop();
}
