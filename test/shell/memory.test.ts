// Tests of the memory use of command line analysis.
// tier: full
import { execaSync } from 'execa'
import t from 'tap'

const PROGRAM = `
import { parseWithTreeSitter, loadParsers } from './src/shell/tree-sitter.ts'
const before = process.resourceUsage().maxRSS
await loadParsers()
for (let i = 0; i < 5_000; i += 1) parseWithTreeSitter('cat a.txt | grep -n "x y" | head -20 && git status --short')
// What the engine does beside us is done by then.
await new Promise(resolve => setTimeout(resolve, 1_000))
console.log(process.resourceUsage().maxRSS - before)
`

t.test('never compiles the grammar with the compiler that takes half a gigabyte', async t => {
  const args = ['--input-type=module-typescript', '--eval', PROGRAM]
  const grown = Number(execaSync(process.execPath, args).stdout)
  t.ok(grown < 102_400, `${grown} KiB more than before the grammar was loaded`)
})
