// Tests of the example front end in a terminal: its output, and the effect of its input.
// tier: full
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import t from 'tap'
import { startApp, TOKEN } from '../start-app.ts'
import { within } from '../support/wait.ts'

t.test('shows pending calls in a terminal, decides, and shows files on request', async t => {
  const app = await startApp(t, { 'a.txt': 'one\ntwo\n' })
  const env = { PATH: process.env.PATH, TOOLGATE_URL: app.url, TOKEN }
  const terminal = spawn(process.execPath, ['examples/front-end.mjs'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit']
  })
  t.teardown(() => terminal.kill())
  const lines = createInterface({ input: terminal.stdout })[Symbol.asyncIterator]()
  /** Reads up to a matching line, and returns all since the previous one. */
  const until = async (pattern: RegExp) => {
    const seen: string[] = []
    for (;;) {
      const { done, value } = await within(`a line such as ${pattern}`, lines.next())
      if (done) throw new Error(`it ended: ${seen.join('\n')}`)
      seen.push(value)
      if (pattern.test(value)) return seen.join('\n')
    }
  }
  const type = (line: string) => terminal.stdin.write(`${line}\n`)

  const early = await app.call('write_file', { path: 'a.txt', content: 'early\n' }, { session_id: 's' })
  t.equal(early.status, 'awaiting_approval')
  await until(/^Following /)
  t.match(
    await until(/^y 1 /),
    /\[1\] write_file \(s\): Overwrite a\.txt\n {4}Modifies files\.\n--- a\/a\.txt\n.*-one\n-two\n\+early/s
  )
  type('n 1 not so early')
  await until(/^\[1\] rejected by terminal$/)
  t.match(await app.get(`/calls/${early.tool_call_id}`), { status: 'rejected', reason: 'not so early' })

  const strict = await app.call('delete_file', { path: 'a.txt' })
  t.match(await until(/^y 2 /), /\[2\] delete_file .*y 2 to approve \(strict\), n 2 \[why\] to reject$/s)
  t.match(await app.call('editor_open', { path: 'a.txt', line: 2 }), {
    status: 'success',
    result: { content: 'terminal shows a.txt at line 2.' }
  })
  await until(/^Look at a\.txt, line 2\.$/)
  type('yes')
  await until(/^y NUMBER or n NUMBER/)
  type('y 2')
  await until(/^\[2\] approved by terminal$/)
  t.match(await app.get(`/calls/${strict.tool_call_id}?wait_ms=120000`), { status: 'success' })

  const other = await app.call('write_file', { path: 'b.txt', content: 'x'.repeat(70_000) })
  t.match(other, { status: 'success' }, 'a new file asks nobody')
  const large = await app.call('write_file', { path: 'b.txt', content: 'y'.repeat(70_000) })
  const shown = await until(/^y 3 /)
  t.match(shown, /This preview is shortened/, 'what is too large for an event is fetched')
  t.match(shown, /\+y{1000}/)
  await app.post(`/calls/${large.tool_call_id}/cancel`, {})
  await until(/^\[3\] cancelled$/)
})
