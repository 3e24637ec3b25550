<?php
class A {}
$a = ['class Fake {}', 'it\'s class Fake', '\\', "class Fake \" \\", `class Fake \` "`, b'class Fake', b"class Fake"];
$a = "{$a["class Fake"]} class Fake ${a["class Fake"]} $a[class] $a->class \{$a class Fake $ {} $";
$a = <<<X
 class Fake {} " ' {$a[<<<Y
  class Fake
  Y]} ${a}
  Xclass Fake \
 X . <<<'Z'
 class Fake {$ ' " ${
 ZZ
 Z; class B {}
$a = [<<<"X"
X, <<<'X'

    class Fake
    X, 1 << 2, 1 <=> 2, $a ? $a / 2 : 3 /* class Fake ' */ /** class Fake " **/];
/*/ class Fake /*/ class C {} /**/ class D {}
$a = "{$f(function () { class E {} return "}" . '}' /* }" */; ?> } class Fake " <?php enum F {} })} class Fake {}"; class G {}
$a = "{$f(fn() => "{$g(<<<X
  {$h(function () { trait H {} })} class Fake
  X)} class Fake")} class Fake"; class I {}
$a = ['a' => "{$b['c']}", "d" => `{$e["f"]}`]; #class Fake
#[J] class K {} //class Fake
$a = "$"; $a = "{"; $a = "\$"; $a = "\\{$b}"; $a = "{$b}$"; class L {}
__HALT_COMPILER /* x */ ( ) // y
;
class Fake {} <?php class Fake {} ' " <<<X
