// Tests which of several read-only programs may have seen a secret, on a real folder.
// tier: quick
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openWorkspace } from '../../../../src/host/files/paths.ts'
import { GuardedWorkspaces } from '../../../../src/host/sandbox/guard/guarded-workspaces.ts'
import { Watcher } from '../../../../src/host/watch/watcher.ts'
import { once, within } from '../../../support/wait.ts'

/** Guards a workspace with a secret, and watches it by default. */
async function guardWorkspace(t: Test, { watches = true } = {}) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-exposure-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const root = path.join(folder, 'ws')
  mkdirSync(root)
  writeFileSync(path.join(root, '.env'), 'PIN=1\n')
  const workspace = openWorkspace('default', root)
  const watcher = new Watcher(workspace)
  await watcher.start()
  t.teardown(() => watcher.close())
  const guards = new GuardedWorkspaces({ sensitive: [], stateDir: path.join(folder, 'state') }, () =>
    watches ? watcher : undefined
  )
  const start = async () => {
    const { exposure, release } = await guards.of(workspace).begin('reads', [])
    return { ...exposure!, release }
  }
  return { start, at: (name: string) => path.join(root, name) }
}

t.test('a program that started before a secret appeared exposes it to those that run beside it', async t => {
  const { start, at } = await guardWorkspace(t, { watches: false })
  const gone = await start()
  await gone.release()
  const first = await start()
  writeFileSync(at('.npmrc'), 'x')
  const second = await start()
  t.same(await second.find(), ['.npmrc'], 'although it was hidden from this one')
  t.same(await first.find(), ['.npmrc'])
  t.same(await gone.find(), [], 'not from one that ended before')
  await first.release()
  await second.release()
  const third = await start()
  t.same(await third.find(), [], 'nor from one that starts afterwards')
  t.notOk(third.detected.aborted)
  await third.release()
})

t.test('a program starts once those that have seen a secret have ended', async t => {
  const { start, at } = await guardWorkspace(t)
  const first = await start()
  writeFileSync(at('.npmrc'), 'x')
  t.same(await first.find(), ['.npmrc'])
  let hasStarted = false
  const starting = start().then(program => {
    hasStarted = true
    return program
  })
  // A start without waiting takes fewer turns than these looks.
  for (let i = 0; i < 50; i++) await first.find()
  t.notOk(hasStarted)
  await first.release()
  const second = await within('the start', starting)
  t.notOk(second.detected.aborted)
  t.same(await second.find(), [])
})

for (const [title, change] of [
  ['appears and is gone again', at => [writeFileSync(at('.npmrc'), ''), rmSync(at('.npmrc'))]],
  ['is moved away and back', at => [renameSync(at('.env'), at('x')), renameSync(at('x'), at('.env'))]],
  ['is in a new repository', at => [mkdirSync(at('.git'))]],
  ['is moved to another name', at => [renameSync(at('.env'), at('x'))]]
] as [string, (at: (name: string) => string) => void][])
  t.test(`detects a secret that ${title}, without a look`, async t => {
    const { start, at } = await guardWorkspace(t)
    const { detected, find } = await start()
    const aborted = once(detected, 'abort')
    change(at)
    await aborted
    t.equal((await find()).length, 1)
  })

t.test('ignores other names, content written in place, and what happened before', async t => {
  const { start, at } = await guardWorkspace(t)
  writeFileSync(at('.npmrc'), '')
  rmSync(at('.npmrc'))
  const { detected, find } = await start()
  writeFileSync(at('.env'), 'PIN=2\n')
  writeFileSync(at('a.txt'), 'x')
  renameSync(at('a.txt'), at('b.txt'))
  t.same(await find(), [])
  t.notOk(detected.aborted)
})
