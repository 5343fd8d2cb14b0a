// tier: quick
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { createProject, servedIn, serveProject } from '../../toolgate.ts'

interface Finding {
  check: string
  state: string
  found: string
  cure?: string
}
const findings = (stdout: string) => JSON.parse(stdout) as Finding[]
const standing = (stdout: string) => Object.fromEntries(findings(stdout).map(({ check, state }) => [check, state]))

const served = await serveProject(t)

t.test('with a running server', async t => {
  const { toolgate, token } = served
  const { code, stdout } = await toolgate(['doctor', '--json'])
  t.equal(code, 0)
  t.match(standing(stdout), {
    node: 'ok',
    git: 'ok',
    ripgrep: 'ok',
    configuration: 'ok',
    'run folder': 'ok',
    'state folder': 'ok',
    'run files': 'ok',
    port: 'ok',
    server: /ok|warn/,
    clock: 'ok',
    events: 'ok',
    isolation: /ok|warn/,
    editors: 'ok'
  })
  t.notMatch(stdout, token)
  const text = await toolgate(['doctor'])
  t.match(text, { code: 0, stdout: /^ok {4}node {14}24\..*\nok {4}events {12}first event after \d+ ms\n/s })
})

t.test('warns where commands can read the token', async t => {
  const isolationOf = async (toolgate: (typeof served)['toolgate']) =>
    findings((await toolgate(['doctor', '--json'])).stdout).find(({ check }) => check === 'isolation')
  t.match(await isolationOf(served.toolgate), {
    state: 'warn',
    found: 'commands run with all your permissions and can read the approval token'
  })
  // An operator states that the server is in a container. The launcher for Landlock may have been built or not.
  const contained = await servedIn(t, { TOOLGATE_SANDBOX_LEVEL: 'container', container: 'oci' })
  const { isolation } = JSON.parse((await contained.toolgate(['api', '/capabilities'])).stdout)
  const { backend } = isolation.levels.at(-1)
  t.match(
    await isolationOf(contained.toolgate),
    backend === undefined
      ? {
          state: 'warn',
          found: "commands run with all the server's permissions in the container and can read the approval token",
          cure: /^Missing protection: isolation of commands from each other, from the server and from its files \(/
        }
      : { state: 'ok', found: 'commands run in the sandbox (level container), which hides the tokens' }
  )
})

t.test('reports every problem with its resolution; exit 1 if one is fatal', async t => {
  const { toolgate, home, folder } = createProject(t, { '.toolgate/config.jsonc': '{ "limits": { "read": 0 } }' })
  const run = path.join(home, '.local/state/toolgate/run')
  mkdirSync(run, { recursive: true })
  chmodSync(run, 0o755)
  mkdirSync(path.join(folder, 'bin'))
  symlinkSync('/usr/bin/env', path.join(folder, 'bin/env'))
  const { code, stdout } = await toolgate(['doctor', '--json'], { env: { PATH: path.join(folder, 'bin') } })
  t.equal(code, 1)
  const all = findings(stdout)
  for (const { check, state, cure } of all) t.equal(cure !== undefined, state !== 'ok', check)
  const faults = Object.fromEntries(all.filter(({ state }) => state !== 'ok').map(each => [each.check, each]))
  t.match(faults, {
    git: { state: 'warn', cure: /apt-get install git/ },
    'language servers': { state: 'warn' },
    configuration: { state: 'fail', found: /config\.jsonc:1:15: limits\/read must be >= 1/ },
    'run folder': { state: 'fail', cure: `Run: chmod 700 ${run}` },
    server: { state: 'warn', cure: /^Start a server with: toolgate serve/ }
  })
})

t.test('reports leftovers of a killed server, and leaves them', async t => {
  const { toolgate, home } = createProject(t)
  const run = path.join(home, '.local/state/toolgate/run')
  mkdirSync(run, { recursive: true, mode: 0o700 })
  const record = { schema: 1, instance: 'gone', pid: 2 ** 22 + 1, host: hostname(), url: 'http://127.0.0.1:1' }
  const file = path.join(run, 'gone.json')
  const more = { token: 'a-token', roots: [home], started_at: new Date().toISOString() }
  writeFileSync(file, JSON.stringify({ ...record, ...more }), { mode: 0o600 })
  const { stdout } = await toolgate(['doctor', '--json', '--root', home])
  t.match(
    findings(stdout).find(({ check }) => check === 'run files'),
    { state: 'warn', cure: new RegExp(`rm ${file}$`) }
  )
})
