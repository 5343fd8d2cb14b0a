// Tests of the log format at a terminal.
// tier: quick
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { Terminal } from '../../../src/cli/ui/terminal.ts'
import { createTerminalLog } from '../../../src/cli/ui/terminal-log.ts'

const LINE = { pid: 1, hostname: 'here', time: new Date(2026, 0, 2, 3, 4).getTime() }
const INFO = { ...LINE, level: 30, msg: 'listening', url: 'http://127.0.0.1:1' }
const WARNING = { ...LINE, level: 40, msg: 'a custom tool is untrusted', tool: 'x', reason: 'run\u001b[2J it', at: [1] }
const ERROR = { ...LINE, level: 50, err: { message: 'it broke', stack: 'at x' } }

function told(t: Test, quiet: boolean) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tg-log-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'state/server.log')
  let shown = ''
  const stderr = { isTTY: true, write: (text: string) => (shown += text) }
  const log = createTerminalLog(new Terminal(process.stdout, stderr, { color: false, quiet, json: false }), file)
  for (const line of [INFO, WARNING, ERROR]) log.write(`${JSON.stringify(line)}\n`)
  const kept = readFileSync(file, 'utf8').trim().split('\n')
  t.same(
    kept.map(line => JSON.parse(line)),
    [INFO, WARNING, ERROR],
    'the file has all of it'
  )
  return shown
}

const WORSE = `2026-01-02 03:04  warning  a custom tool is untrusted (tool: x; reason: run\\u{1b}[2J it; at: [1])
2026-01-02 03:04  error  it broke
`

t.test('a line names its subject, a warning has all details', async t => {
  t.equal(told(t, false), `2026-01-02 03:04  listening\n${WORSE}`)
})

t.test('quiet mode still prints warnings', async t => {
  t.equal(told(t, true), WORSE)
})
