<?PHP
declare(strict_types=1);
namespace A\B;
final class C {} ABSTRACT
CLASS D {} Interface E {}
trait F {} ENUM G: string {} enum H:int {} enum I implements E {}
readonly class J {}
class /* class Fake */ K {} class // class Fake
L {} class # interface Fake
# two
M {}
#[Attribute(Attribute::TARGET_CLASS)] class N {}
#[O(class: C::class), P('class Fake')]
abstract readonly class Q {}
class Enum extends D {} class From {} interface Ünïcode {} class enumerate {}
if (!class_exists('R')) { class R {} } if (1): class S {} endif;
function t() { class T {} }
?> class Fake <?= 1 ?> <?php class U {} // class Fake ?> class Fake's <?php class V {} # ?> enum Fake {} <?php
class W {}
