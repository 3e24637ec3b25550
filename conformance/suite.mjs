// What a test's result is called, and the counting. The judgement, dependencies included, is the suite's own: a test whose
// dependency has not passed has not passed, whatever it would say by itself.
import { determineTestResult } from 'http-cache-tests/lib/display.mjs'
import tests from 'http-cache-tests/tests/index.mjs'

const NAMES = {
  '✅': 'pass',
  '⛔️': 'fail',
  '⚠️': 'fail',
  '🔹': 'setup-fail',
  '⁉️': 'setup-fail',
  '⚪️': 'dependency',
  '↻': 'retry',
  '-': 'untested'
}

export const KINDS = ['required', 'optimal']

// The tests of a shared cache that are counted, by their ids: those of the kind `check` only ask what a cache does.
export const suite = new Map(tests
  .flatMap(group => group.tests)
  .filter(test => test.browser_only !== true)
  .map(test => [test.id, { kind: test.kind ?? 'required' }])
  .filter(([, { kind }]) => KINDS.includes(kind))
  .sort(([a], [b]) => (a < b ? -1 : 1)))

// What the suite's client wrote, as one word a test.
export function verdicts (raw) {
  return Object.fromEntries([...suite.keys()].map(id => {
    const name = NAMES[determineTestResult(tests, id, raw)[2]]
    if (name === undefined) throw new Error(`${id}: a verdict that is not known`)
    return [id, name]
  }))
}

// How many tests of a kind there are, and how many of them passed.
export function count (verdicts, kind) {
  const ids = [...suite].filter(([, test]) => test.kind === kind).map(([id]) => id)
  return { passed: ids.filter(id => verdicts[id] === 'pass').length, all: ids.length }
}
