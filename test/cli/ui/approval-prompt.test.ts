// tier: quick
import { PassThrough, Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { runCli } from '../../../src/cli/run.ts'
import { publishDiscovery } from '../../../src/server/discovery.ts'
import { startApp, TOKEN } from '../../start-app.ts'

/** A terminal with a user who gives the `answers` in turn. */
async function person(t: Test) {
  const server = await startApp(t, { 'a.txt': 'one\n' })
  const env = { HOME: server.folder, TERM: 'xterm' }
  const published = publishDiscovery(env, () => ({
    schema: 1,
    instance: server.app.instance,
    pid: process.pid,
    host: 'elsewhere',
    url: server.url,
    socket: null,
    token: TOKEN,
    call_token: 'x',
    roots: [server.root],
    version: '1',
    protocol: 1,
    started_at: new Date().toISOString()
  }))
  t.teardown(() => published.remove())

  async function at(argv: string[], ...answers: string[]) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    let shown = ''
    const screen = () =>
      Object.assign(
        new Writable({
          write(chunk, _, done) {
            shown += chunk
            if (String(chunk).endsWith('? [y/N] ')) stdin.write(`${answers.shift() ?? 'n'}\n`)
            done()
          }
        }),
        { isTTY: true }
      )
    const code = await runCli({
      argv: [...argv, '--url', server.url],
      env,
      cwd: server.root,
      pid: process.pid,
      stdin,
      stdout: screen(),
      stderr: screen(),
      selfCommand: [],
      exit: code => {
        throw new Error(`exit ${code}`)
      },
      onSignal: () => {}
    })
    return { code, shown }
  }
  return { ...server, at }
}

t.test('never prompts without a terminal, or if only data is wanted', async t => {
  const { at, call } = await person(t)
  const { tool_call_id } = await call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  for (const flag of ['--no-input', '--json'])
    t.match(await at(['approve', tool_call_id, flag]), {
      code: 2,
      shown: /Cannot prompt: standard input is not a terminal/
    })
})

t.test('a call shows its output while it runs', async t => {
  const { at, request } = await person(t)
  await request('POST', '/rules', { effect: 'allow', match: { tool: 'shell_exec' }, scope: 'user' })
  const { code, shown } = await at(['call', 'shell_exec', 'command=printf "a\\033[2Jb\\n"'])
  t.equal(code, 0)
  t.match(shown, /^a\\u{1b}\[2Jb\nab\n/)
})
