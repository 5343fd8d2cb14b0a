// Tests of searches whose time is up: they return what they have found.
// tier: full
import { rgPath } from '@vscode/ripgrep'
import t, { type Test } from 'tap'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { startApp } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'

/** Prints one match, and then hangs. */
const HANGING_SEARCH = [
  `printf '%s\\n' '{"type":"begin","data":{"path":{"text":"./a.txt"}}}'`,
  `printf '%s\\n' '{"type":"match","data":{"path":{"text":"./a.txt"},"lines":{"text":"a needle\\n"},"line_number":3,"absolute_offset":0,"submatches":[{"match":{"text":"needle"},"start":2,"end":8}]}}'`,
  `printf '%s\\n' '{"type":"end","data":{"path":{"text":"./a.txt"},"binary_offset":null}}'`,
  'exec sleep 600'
].join('; ')

/** Replaces ripgrep by a script, where it has one of the arguments. */
function replaceRipgrep(t: Test, script: string, argument: string) {
  const { spawn } = Spawner.prototype
  Spawner.prototype.spawn = function (request) {
    const isMeant = [request.file, ...request.args].includes(rgPath) && request.args.includes(argument)
    return spawn.call(this, isMeant ? { ...request, file: '/bin/sh', args: ['-c', script] } : request)
  }
  t.teardown(() => {
    Spawner.prototype.spawn = spawn
  })
}

const LIMIT = { timeout_ms: 1_000 }
const FILES = { 'a.txt': 'one\ntwo\na needle\n', '.gitignore': 'out/\n', 'out/b.log': '' }

t.test('grep returns what it has found, says so, and does not give it to a later call', async t => {
  const { call } = await startApp(t, FILES)
  // Results are kept once the workspace is watched.
  await waitUntil('a kept result', async () => (await call('grep', { pattern: 'two' })).cached === true)
  replaceRipgrep(t, HANGING_SEARCH, '--json')
  const ended = await call('grep', { pattern: 'needle' }, LIMIT)
  const why = 'The search timed out: other files may match. Narrow the search, or increase `timeout_ms` of the call.'
  t.match(ended, { status: 'success', result: { truncated: true, content: `a.txt\n  3: a needle\n(${why})` } })
  t.strictSame(ended.result.data, {
    matches: [{ path: 'a.txt', line: 3, column: 3, text: 'a needle', before: [], after: [] }],
    total: 1,
    truncated: true,
    missed: [why]
  })
  replaceRipgrep(t, 'exit 1', '--json')
  t.match(await call('grep', { pattern: 'needle' }), {
    status: 'success',
    result: { data: { matches: [], truncated: false } }
  })
})

t.test('grep that has found nothing fails with TIMEOUT', async t => {
  const { call } = await startApp(t, FILES)
  replaceRipgrep(t, 'exec sleep 600', '--json')
  t.match(await call('grep', { pattern: 'needle' }, LIMIT), { status: 'error', error: { code: 'TIMEOUT' } })
})

t.test('counting what was left out takes no answer', async t => {
  const { call } = await startApp(t, FILES)
  replaceRipgrep(t, 'exec sleep 600', '--no-ignore')
  const answers = {
    grep: { matches: [], total: 0, truncated: false, missed: [] },
    glob: { files: [], total: 0, truncated: false },
    search_files: { files: [], total: 0, truncated: false }
  }
  for (const [tool, data] of Object.entries(answers)) {
    const { status, result } = await call(tool, { pattern: 'nowhere' }, LIMIT)
    t.strictSame([status, result?.data], ['success', data], tool)
  }
})
