// tier: quick
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { acquireStateLock } from '../../src/store/state-lock.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { once } from '../support/wait.ts'

t.test('allows one holder at a time, and is free again when released', async t => {
  const folder = path.join(makeTestFolder(t), 'a/b')
  const lock = acquireStateLock(folder)
  t.ok(lock)
  t.equal(statSync(folder).mode & 0o777, 0o700)
  lock?.release()
  const again = acquireStateLock(folder)
  t.ok(again)
  again?.release()
})

t.test('is held by another process, also past a garbage collection, until that is killed', async t => {
  const folder = makeTestFolder(t)
  const module = new URL('../../src/store/state-lock.ts', import.meta.url).href
  const code = `import { acquireStateLock } from ${JSON.stringify(module)}
    acquireStateLock(${JSON.stringify(folder)})
    gc()
    console.log('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  await once(child.stdout, 'data')
  t.equal(acquireStateLock(folder), undefined)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = acquireStateLock(folder)
  t.ok(lock)
  lock?.release()
})
