<?php
namespace A { class B {} }
namespace { class C {} $class = C::class; $a->class; $a?->enum; $b = A\B::class instanceof C or C::class and 1; }
namespace D\Class\Enum {
    class E {
        use T, U { T::class as private interface; enum as foo; trait as bar; class as protected baz; T::f insteadof U; namespace as n; }
        const NAMESPACE = 1, Interface = self::NAMESPACE, TRAIT = E:: // class Fake
            Interface;
        public ?Enum $enum, $class;
        function class(enum $a, Trait_ $b = new enum()): enum { return new class extends E {}; }
        function enum() { return new #[A(class: B::class)] class (1, class: 2) implements F { }; }
        function &trait() { yield $this->class and $this?-> enum xor $this::class or 1; }
    }
    enum F: int { case Class_ = 1; case Enum = 2; case Trait = 3; case Interface = 4; case Namespace = 5; }
    f(class: 1, interface: 2, trait: 3, enum: namespace\Enum::class, namespace: namespace\f());
    goto enum; enum: echo match (true) { E::class => 1, default => enum };
    use X\Enum; use X\Y\{Class_, Trait_ as Z}; use function X\class\f;
    $$class; ${'class'}; $a->{'class Fake'}; $a ->
        class; E ::
        class;
    class_alias(E::class, G::class); class_alias(E::class, Z\H::class); class_alias(E::class, enum::class);
    class_alias('E', '\I\J'); \class_alias('E', "K\\L", false); class_alias(f(1, [2, ',']), __NAMESPACE__ . '\M');
    $a->class_alias('E', 'Fake'); E::class_alias('E', 'Fake'); class_alias('E', $fake); class_alias('E', 'Fake' . $fake);
    new class_alias('E', 'Fake'); namespace\class_alias('E', 'Fake');
    class_alias /* 'Fake', */ ( E::class // , 'Fake'
        , /* 'Fake' */ 'N' /* . 'Fake' */ , );
}
namespace /* x */ O // y
{ class P {} }
