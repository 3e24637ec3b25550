// client.mjs URL: runs the suite's tests against a proxy and prints their results, as the suite's own cli.mjs does. That
// one waits for ever for an answer that does not come; and it adds the tests of Surrogate-Control, which are not counted.
import fetch from 'node-fetch'

import { getResults, runTests } from 'http-cache-tests/client/runner.mjs'
import tests from 'http-cache-tests/tests/index.mjs'

// Far above the six seconds after which the suite's origin closes a connection that nobody uses.
const LIMIT = 20_000

await runTests(tests, (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(LIMIT) }), false, process.argv[2])
process.stdout.write(`${JSON.stringify(getResults(), null, 2)}\n`)
