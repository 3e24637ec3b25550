<?php
// pledge.php:
// The pledge itself.

class Pledge {
    public $id, $ref, $title, $target, $type, $signup, $detail, $name, $deadline, $created, $changed, $signers;

    const COLUMNS = 'id, ref, title, target, type, signup, detail, name, extract(epoch from deadline) as deadline,
        extract(epoch from created) as created, extract(epoch from changed) as changed,
        (select count(*) from signer where pledge_id = pledge.id) as signers';

    private function __construct($row) {
        foreach ($row as $column => $value) {
            $this->$column = $value;
        }
    }

    // find REF: the pledge, or null. People type its name, so upper and lower case are the same.
    public static function find($ref) {
        $row = db_row('select ' . self::COLUMNS . ' from pledge where lower(ref) = lower($1)', $ref);
        return $row ? new Pledge($row) : null;
    }

    public static function latest($count) {
        $rows = db_rows('select ' . self::COLUMNS . ' from pledge order by created desc limit $1', $count);
        return array_map(function ($row) { return new Pledge($row); }, $rows);
    }

    public function sentence() {
        return sprintf(_s('%s will %s but only if %d %s %s.'), $this->name, $this->title, $this->target, $this->type, $this->signup);
    }

    public function box() {
        return "<div class=\"pledge\">\n"
            . '<p>' . sprintf(h(_s('Made on %s by %s')), date_html($this->created), h($this->name)) . "</p>\n"
            . '<p>' . sprintf(h(_s('Deadline to sign up by: %s')), date_html($this->deadline)) . "</p>\n"
            . '<h2>' . h(_s('More details')) . "</h2>\n" . html_paragraphs($this->detail)
            . "</div>\n";
    }

    public function progress() {
        return '<p class="progress">' . h(sprintf(_s('%d signed up of %d needed'), $this->signers, $this->target)) . "</p>\n"
            . '<form method="post" action="' . h(url_sign()) . '">'
            . '<input type="hidden" name="ref" value="' . h($this->ref) . '">'
            . html_field('name', _s('Your name'))
            . ' <button>' . h(_s('Sign up')) . "</button></form>\n";
    }
}
