// judge.mjs RAW RESULTS [KEPT]: writes what the client's results come to, one word a test, and prints the counts. With
// KEPT, what is there is compared: 1 if a test that passed does so no longer, or if it is not of the same tests.
import fs from 'node:fs'

import { KINDS, count, suite, verdicts } from './suite.mjs'

const [rawFile, resultsFile, keptFile] = process.argv.slice(2)
const read = file => JSON.parse(fs.readFileSync(file, 'utf8'))

const raw = read(rawFile)
const now = verdicts(raw)
fs.writeFileSync(resultsFile, `${JSON.stringify(now, null, 2)}\n`)

for (const kind of KINDS) {
  const { passed, all } = count(now, kind)
  console.log(`${kind}: ${passed} of ${all}`)
}

if (keptFile !== undefined) process.exitCode = compare(read(keptFile)) ? 0 : 1

function compare (kept) {
  const why = id => (Array.isArray(raw[id]) ? ` (${raw[id].join(': ')})` : '')
  const line = id => `  ${id} [${suite.get(id).kind}]: ${kept[id]} -> ${now[id]}${why(id)}`
  const isOf = ids => JSON.stringify(ids) === JSON.stringify([...suite.keys()])
  if (!isOf(Object.keys(kept))) {
    console.error(`${keptFile} is not of the same tests: run again with --keep`)
    return false
  }
  const changed = Object.keys(kept).filter(id => kept[id] !== now[id])
  const lost = changed.filter(id => kept[id] === 'pass')
  const won = changed.filter(id => now[id] === 'pass')
  const other = changed.filter(id => !lost.includes(id) && !won.includes(id))
  for (const [title, ids] of [['passed before', lost], ['pass now: --keep makes that the expectation', won], ['otherwise than before', other]]) {
    if (ids.length > 0) console.log([`${title}:`, ...ids.map(line)].join('\n'))
  }
  return lost.length === 0
}
