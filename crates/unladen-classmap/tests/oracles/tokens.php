<?php
// What PHP's own scanner says that files declare. Reads paths from its input, each with a NUL behind it; writes a line of JSON a file, in
// their order: a list of [kind, name in hexadecimal, line].
declare(strict_types=1);

/** Of a file's tokens, without white space and comments. */
function declared(array $tokens): array
{
    $kinds = [T_CLASS => 'class', T_INTERFACE => 'interface', T_TRAIT => 'trait', T_ENUM => 'enum'];
    $names = [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED, T_NAME_RELATIVE];
    $member = [T_DOUBLE_COLON, T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR];
    $found = [];
    $namespace = '';
    $uses = '';
    [$depth, $outside] = [0, 0];
    foreach ($tokens as $i => $token) {
        $before = $tokens[$i - 1] ?? null;
        $next = $tokens[$i + 1] ?? null;
        if ($token->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
            $depth++;
        } elseif ($token->is('}')) {
            $depth--;
        } elseif ($before?->is($member)) {
            continue;
        } elseif (isset($kinds[$token->id]) && $next?->is(T_STRING)) {
            $found[] = [$kinds[$token->id], $namespace === '' ? $next->text : "$namespace\\$next->text", $token->line];
        } elseif ($token->is(T_NAMESPACE)) {
            for ($name = '', $j = $i + 1; $tokens[$j]->is([...$names, T_NS_SEPARATOR]); $j++) {
                $name .= $tokens[$j]->text;
            }
            if ($tokens[$j]->is('{') || ($name !== '' && $tokens[$j]->is([';', T_CLOSE_TAG]))) {
                [$namespace, $uses] = [$name, ''];
                $depth = 0;
                $outside = $tokens[$j]->is('{') ? 1 : 0;
            }
        } elseif ($token->is(T_USE) && $depth === $outside && $before?->is([';', '{', '}', T_OPEN_TAG, T_CLOSE_TAG])) {
            for ($j = $i; !$tokens[$j]->is([';', T_CLOSE_TAG]); $j++) {
                $uses .= $tokens[$j]->text . ' ';
            }
            $uses .= ';';
        } elseif (
            $token->is($names) && in_array(strtolower($token->text), ['class_alias', '\class_alias'], true)
            && $next?->is('(') && !$before?->is([T_FUNCTION, T_NEW])
        ) {
            $alias = alias(array_slice($tokens, $i + 2), $namespace, $uses);
            if ($alias !== null && $alias !== '') {
                $found[] = ['class_alias', ltrim($alias, '\\'), $token->line];
            }
        }
    }
    return $found;
}

/** The value of a call's second argument, if it is made of strings, __NAMESPACE__ and names of classes; of the tokens behind its "(". */
function alias(array $tokens, string $namespace, string $uses): ?string
{
    $plain = [T_CONSTANT_ENCAPSED_STRING, '.', T_NS_C, T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED, T_NAME_RELATIVE, T_DOUBLE_COLON, T_CLASS];
    $argument = 0;
    $depth = 0;
    $text = '';
    foreach ($tokens as $i => $token) {
        if ($depth === 0 && $token->is([',', ')'])) {
            if ($argument++ === 1 || $token->is(')')) {
                break;
            }
            continue;
        }
        $depth += $token->is(['(', '[', '{']) ? 1 : ($token->is([')', ']', '}']) ? -1 : 0);
        if ($argument === 1) {
            $class = $token->is([T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED, T_NAME_RELATIVE]);
            if (!$token->is($plain) || ($class && !$tokens[$i + 1]->is(T_DOUBLE_COLON))) {
                return null;
            }
            $text .= $token->text . ' ';
        }
    }
    // Of nothing but these can be run without harm: PHP itself resolves the names.
    return $text === '' ? null : eval(($namespace === '' ? '' : "namespace $namespace;") . "$uses return $text;");
}

$paths = explode("\0", rtrim(stream_get_contents(STDIN), "\0"));
foreach ($paths as $path) {
    $tokens = PhpToken::tokenize(file_get_contents($path));
    $tokens = array_values(array_filter($tokens, fn (PhpToken $token) => !$token->isIgnorable() || $token->is(T_OPEN_TAG)));
    echo json_encode(array_map(fn (array $found) => [$found[0], bin2hex($found[1]), $found[2]], declared($tokens))), "\n";
}
