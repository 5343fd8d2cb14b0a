// Tests of sandbox escapes: every attempt with each backend and at each level. Harmless ones are also made without a sandbox, to
// prove that they can succeed.
import { createSocket } from 'node:dgram'
import { symlinkSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { BackendName, IsolationLevel } from '../../../src/host/sandbox/isolation-levels.ts'
import { needs } from '../../support/needs.ts'
import { once } from '../../support/wait.ts'
import { BACKENDS } from './backends.ts'
import { ATTEMPTS, type EscapeAttempt } from './escape-attempts.ts'
import { findProcesses, SECRET, startConnectionCounter, startSandboxFixture } from './fixture.ts'
import { isOpen } from './open-attempts.ts'

for (const { name, part, levels, backends } of BACKENDS)
  for (const level of levels)
    t.test(`level ${level} with ${name}`, needs(part, 'python3'), async t => {
      const { world, attempt, reached } = await prepared(t, { level, backends })
      const states = await world.sandbox.states()
      t.match(
        states.find(state => state.level === level),
        { holds: true, backend: name }
      )
      for (const one of ATTEMPTS.filter(each => isRelevant(each, name) && !isOpen(each.title, name, level))) {
        const result = await attempt(one, level)
        if (!one.counted) t.notMatch(result.stdout, 'ESCAPED', one.title)
        t.notMatch(result.output, SECRET, `${one.title}: nothing is told`)
      }
      t.equal(reached(), 0, 'nobody connected')
      t.equal(world.exists('outside/new'), false)
      t.equal(world.read('outside/canary'), SECRET)
      t.equal(world.read('workspace/.git/config'), '[core]\n')
      t.equal(world.read('workspace/.vscode/tasks.json'), '{}')
    })

t.test('harmless attempts succeed without a sandbox', needs('sandbox', 'python3'), async t => {
  const { attempt } = await prepared(t)
  for (const one of ATTEMPTS.filter(({ harmless }) => harmless))
    t.match((await attempt(one, 'none')).stdout, 'ESCAPED', one.title)
})

for (const { name, part, levels, backends } of BACKENDS)
  t.test(`no process of a command survives with ${name}`, needs(part, 'python3'), async t => {
    const world = await startSandboxFixture(t, { backends })
    const mark = `98765.${process.pid}`
    const result = await world.python(
      `
import os
for environment in (os.environ, {}):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve('/bin/sleep', ['sleep', '${mark}'], environment)
        os._exit(0)
`,
      { level: levels[0]! }
    )
    t.match(result, { exit_code: 0 })
    t.strictSame(findProcesses(mark), [])
  })

function isRelevant({ linux, hidesNames, harmlessInNamespaces }: EscapeAttempt, backend: BackendName) {
  if (linux && process.platform !== 'linux') return false
  return backend === 'landlock' ? !hidesNames : !harmlessInNamespaces
}

interface PreparedOptions {
  level?: IsolationLevel
  backends?: (typeof BACKENDS)[number]['backends']
}

async function prepared(t: Test, { level, backends }: PreparedOptions = {}) {
  const world = await startSandboxFixture(t, {
    backends,
    // As an operator states that this is a container.
    ...(level === 'container' && { settings: () => ({ level }), variables: () => ({ container: 'oci' }) })
  })
  world.write('workspace/.env', `TOKEN=${SECRET}`)
  world.write('workspace/.git/config', '[core]\n')
  world.write('workspace/.vscode/tasks.json', '{}')
  symlinkSync('../outside', world.at('workspace/leads-out'))
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
    attempt: ({ bash, python }: EscapeAttempt, level: IsolationLevel) =>
      bash ? world.run(bash(own), { level }) : world.python(python!(own), { level })
  }
}
