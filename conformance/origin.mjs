// The suite's origin server, on a free port of the loopback address only: the suite's own listens on all addresses and
// serves the files of its folder besides. Prints its port.
import http from 'node:http'

import handleConfig from 'http-cache-tests/server/handle-config.mjs'
import handleState from 'http-cache-tests/server/handle-state.mjs'
import handleTest from 'http-cache-tests/server/handle-test.mjs'

const handlers = { config: handleConfig, state: handleState, test: handleTest }

// The suite's warnings go to standard output, which carries the port.
console.log = console.error

const server = http.createServer((request, response) => {
  const [what, ...rest] = new URL(request.url, 'http://localhost/').pathname.slice(1).split('/')
  const handler = Object.hasOwn(handlers, what) ? handlers[what] : undefined
  if (handler) return handler(rest, request, response)
  response.statusCode = 404
  response.end()
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
