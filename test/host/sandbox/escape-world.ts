// Fixture of attempts to escape: a workspace with secrets and protected names, and sockets of the machine that count who connects.
import { createSocket } from 'node:dgram'
import { linkSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import type { BackendName, IsolationLevel } from '../../../src/protocol/isolation-levels.ts'
import { once } from '../../support/wait.ts'
import type { EscapeAttempt } from './escape-attempts.ts'
import { type CreateBackends, type Owner, SECRET, startConnectionCounter, startSandboxFixture } from './fixture.ts'

/** The mode in which a command runs unasked: what is planted counts. */
export type CommandMode = 'ask' | 'auto'

/** Returns whether a backend can be expected to prevent an attempt of a command. */
export function isRelevant(
  { linux, hidesNames, harmlessInNamespaces, plants }: EscapeAttempt,
  backend: BackendName,
  mode: CommandMode = 'ask'
) {
  if (linux && process.platform !== 'linux') return false
  if (plants !== undefined && mode === 'ask') return false
  return backend === 'landlock' ? !hidesNames : !harmlessInNamespaces
}

interface EscapeWorldOptions {
  /** The level that attempts are made at, if it has to be configured. */
  level?: IsolationLevel
  backends?: CreateBackends
}

/** As the snapshot before such a command has them. */
const RESTRICTIONS_IN_AUTO = { readOnly: [], discards: [{ path: 'pkg/__pycache__', isCopied: false }] }

/** Starts what attempts aim at, and returns a function that makes one. */
export async function prepareEscapes(t: Owner, { level, backends }: EscapeWorldOptions = {}) {
  const world = await startSandboxFixture(t, {
    backends,
    // As an operator states that this is a container.
    ...(level === 'container' && { settings: () => ({ level }), variables: () => ({ container: 'oci' }) })
  })
  restore()
  const tcp = await startConnectionCounter(t, { host: '127.0.0.1', port: 0 })
  const { port } = tcp
  const others = [await startConnectionCounter(t, { path: world.at('outside/socket') })]
  if (process.platform === 'linux') others.push(await startConnectionCounter(t, { path: `\0kept-${port}` }))
  let datagrams = 0
  const udp = createSocket('udp4', () => datagrams++).bind(0, '127.0.0.1')
  t.teardown(() => udp.close())
  await once(udp, 'listening')
  const own = { ...world, port, udpPort: udp.address().port }
  return {
    world,
    reached: () => [tcp, ...others].reduce((sum, { connections }) => sum + connections, datagrams),
    attempt: ({ bash, python }: EscapeAttempt, level: IsolationLevel, mode: CommandMode = 'ask') => {
      const options = { level, ...(mode === 'auto' && { restrictions: RESTRICTIONS_IN_AUTO }) }
      return bash ? world.run(bash(own), options) : world.python(python!(own), options)
    },
    /** Checks if an attempt has left its file. */
    hasPlanted: ({ plants }: EscapeAttempt) =>
      plants !== undefined && world.exists(`workspace/${plants}`) && world.read(`workspace/${plants}`) === 'planted\n',
    restore
  }

  /** Undoes what attempts that succeeded have changed. */
  function restore() {
    for (const name of readdirSync(world.root)) rmSync(world.at('workspace', name), { recursive: true })
    world.write('workspace/.env', `TOKEN=${SECRET}`)
    world.write('workspace/.git/config', '[core]\n')
    world.write('workspace/.vscode/tasks.json', '{}')
    world.write('workspace/plain.txt', 'plain')
    linkSync(world.at('workspace/.env'), world.at('workspace/linked.txt'))
    for (const name of ['pkg/__pycache__/mod.cpython-311.pyc', 'CLAUDE.md', 'Makefile'])
      world.write(`workspace/${name}`, 'before')
    symlinkSync('../outside', world.at('workspace/leads-out'))
    for (const name of ['new', 'moved']) rmSync(world.at('outside', name), { force: true })
    world.write('outside/canary', SECRET)
  }
}
