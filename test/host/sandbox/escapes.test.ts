// Tests of sandbox escapes: every attempt with each backend and at each level. Harmless ones are also made without a sandbox, to
// prove that they can succeed.
// tier: full
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { BACKENDS } from './backends.ts'
import { ATTEMPTS } from './escape-attempts.ts'
import { isRelevant, prepareEscapes } from './escape-world.ts'
import { findProcesses, SECRET, startSandboxFixture } from './fixture.ts'
import { isOpen } from './open-attempts.ts'

for (const { name, part, levels, backends } of BACKENDS)
  for (const level of levels)
    t.test(`level ${level} with ${name}`, needs(part, 'python3'), async t => {
      const { world, attempt, reached } = await prepareEscapes(t, { level, backends })
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

for (const { name, part, backends } of BACKENDS.filter(({ hasAuto }) => hasAuto))
  t.test(`commands that run unasked, with ${name}`, needs(part, 'python3'), async t => {
    const { world, attempt, hasPlanted, restore } = await prepareEscapes(t, { level: 'workspace', backends })
    for (const one of ATTEMPTS.filter(({ plants }) => plants !== undefined)) {
      await attempt(one, 'workspace')
      t.ok(hasPlanted(one), `${one.title}: commands that a person lets run can`)
      restore()
      await attempt(one, 'workspace', 'auto')
      t.notOk(hasPlanted(one), one.title)
      restore()
    }
    t.equal(world.read('workspace/Makefile'), 'before')
  })

t.test('harmless attempts succeed without a sandbox', needs('sandbox', 'python3'), async t => {
  const { attempt } = await prepareEscapes(t)
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
