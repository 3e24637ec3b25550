<?php
// Installs WordPress and writes a small site: what `run` pipes into PHP, with where and what in the environment.
$_SERVER['HTTP_HOST'] = parse_url( getenv( 'UNLADEN_URL' ), PHP_URL_HOST ) . ':' . parse_url( getenv( 'UNLADEN_URL' ), PHP_URL_PORT );
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
define( 'WP_INSTALLING', true );
require getenv( 'UNLADEN_WP' ) . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
// Nobody gets mail of it.
function wp_mail() { return true; }
function wp_new_blog_notification() {}

wp_install( 'A small site', 'admin', 'admin@site.example', true, '', wp_generate_password( 24 ) );
switch_theme( getenv( 'UNLADEN_THEME' ) );
update_option( 'permalink_structure', '/%postname%/' );
update_option( 'comment_moderation', 1 );
update_option( 'comment_previously_approved', 1 );
update_option( 'show_comments_cookies_opt_in', 1 );
foreach ( array( 'author' => 'UNLADEN_AUTHOR', 'editor' => 'UNLADEN_EDITOR' ) as $name => $password ) {
    wp_insert_user( array(
        'user_login'   => $name,
        'user_pass'    => getenv( $password ),
        'user_email'   => "$name@site.example",
        'display_name' => ucfirst( $name ) . ' of the site',
        'role'         => $name,
    ) );
}
$author = get_user_by( 'login', 'author' )->ID;
foreach ( array( 'bread', 'rivers', 'clocks', 'bees', 'salt', 'maps', 'stairs', 'wool' ) as $number => $about ) {
    $text = '';
    for ( $paragraph = 1; $paragraph <= 6; $paragraph++ ) {
        $text .= "<!-- wp:paragraph -->\n<p>Part $paragraph of what is to be said of $about, which is neither much nor little, and is said here in a "
            . "sentence that goes on for as long as sentences of such posts do.</p>\n<!-- /wp:paragraph -->\n\n";
    }
    $post = wp_insert_post( array(
        'post_title'   => "Of $about",
        'post_name'    => "of-$about",
        'post_content' => $text,
        'post_status'  => 'publish',
        'post_author'  => $author,
        'post_date'    => gmdate( 'Y-m-d H:i:s', time() - 86400 * ( 9 - $number ) ),
        'tags_input'   => array( $about, 'things' ),
    ) );
    for ( $comment = 1; $comment <= 5; $comment++ ) {
        wp_insert_comment( array(
            'comment_post_ID'      => $post,
            'comment_author'       => "Reader $comment",
            'comment_author_email' => "reader$comment@site.example",
            'comment_content'      => "Comment $comment upon $about.",
            // Each of a second of its own: the newest are shown, and the database orders those of one second as it likes.
            'comment_date'         => gmdate( 'Y-m-d H:i:s', time() - 3600 * ( 9 - $number ) - 60 * $comment ),
            'comment_approved'     => 1,
        ) );
    }
}
global $wp_rewrite;
$wp_rewrite->init();
flush_rewrite_rules( false );
echo "written\n";
