// tier: full
// Tests of the server that the VS Code extension starts and finds.
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { ServerProcess } from '../../clients/vscode/src/model/server-process.ts'
import { Session } from '../../clients/vscode/src/model/session.ts'
import { createProject } from '../cli/toolgate.ts'
import { waitUntil } from '../support/wait.ts'

const NO_EDITORS = { 'editor.diagnostics': () => ({ diagnostics: [] }) }

/** Creates a project, and the program that serves it. */
function createServable(t: Parameters<typeof createProject>[0]) {
  const at = createProject(t, { 'poem.txt': 'roses\n' })
  const { file, args, env } = at.commandOf([], { TOOLGATE_SANDBOX_LEVEL: 'none' })
  const program = path.join(at.folder, 'toolgate')
  writeFileSync(program, `#!/bin/sh\nexec '${file}' '${args[0]}' "$@"\n`)
  chmodSync(program, 0o755)
  return { ...at, command: { program, args: [], env } }
}

t.test('starts a server, finds it, and follows it until it ends', async t => {
  const { project, command } = createServable(t)
  const session = new Session({ getEnvironment: () => command.env, clientId: 'vscode-test' })
  t.teardown(() => session.dispose())
  session.connect([project], NO_EDITORS)
  await waitUntil('the search to end', () => session.state.state === 'off')
  const server = new ServerProcess(project, command, () => {})
  t.teardown(() => server.stop())
  await server.ready
  session.search()
  await waitUntil('the session to be live', () => session.isLive)
  t.match(session.workspaces, [{ root: project }])
  server.stop()
  await waitUntil('the connection to be lost', () => session.state.state === 'lost')
  t.equal(session.isLive, false)
  t.throws(() => session.requireClient(), /No Toolgate server is connected/)
  await waitUntil('the server to end', () => !server.isRunning)
})

t.test('explains that a server did not start', async t => {
  const { project, command } = createServable(t)
  const start = (change: object) => new ServerProcess(project, { ...command, ...change }, () => {}).ready
  await t.rejects(start({ program: '/nonexistent/toolgate' }), /\/nonexistent\/toolgate cannot be started: .*ENOENT/)
  await t.rejects(start({ args: ['--no-such-option'] }), /did not start: [\s\S]*--no-such-option/)
})
