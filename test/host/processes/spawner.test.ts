// Tests of the folder that a process is started in.
// tier: quick
import { mkdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { within } from '../../support/wait.ts'

const identityOf = (folder: string) => {
  const { dev, ino } = statSync(folder, { bigint: true })
  return `${dev}:${ino}`
}

t.test('starts a process only in the folder that was checked', async t => {
  const top = makeTestFolder(t, { checked: { file: 'checked' }, other: { file: 'other' } })
  const [checked, other] = [path.join(top, 'checked'), path.join(top, 'other')]
  const spawner = new Spawner(process.env)
  t.teardown(() => spawner.close())
  const identity = identityOf(checked)
  const readIn = async (cwd: string) => {
    const { stdout, stderr, exited } = await spawner.spawn({
      file: '/bin/cat',
      args: ['file'],
      cwd,
      cwdIdentity: identity,
      env: {}
    })
    stderr.resume()
    const read = await text(stdout)
    await exited
    return read
  }
  t.equal(await readIn(checked), 'checked')
  await t.rejects(readIn(other), { code: 'EXECUTION_ERROR', message: /was replaced/ })
  const moved = path.join(top, 'moved')
  renameSync(checked, moved)
  t.equal(await readIn(moved), 'checked', 'by another name')
  symlinkSync(other, checked)
  await t.rejects(readIn(checked), { code: 'EXECUTION_ERROR' }, 'a link to another one')
  mkdirSync(path.join(top, 'deep'))
  await t.rejects(readIn(path.join(top, 'gone')), { code: 'EXECUTION_ERROR' }, 'a missing one')
})

t.test('starts a program with a lower priority', async t => {
  const spawner = new Spawner(process.env)
  t.teardown(() => spawner.close())
  const command = 'until [ "$(nice)" = 7 ]; do :; done; echo lowered'
  const started = { file: '/bin/sh', args: ['-c', command], cwd: '/', env: { PATH: '/usr/bin:/bin' }, niceness: 7 }
  const { stdout, stderr, exited } = await spawner.spawn(started)
  stderr.resume()
  t.equal(await within('the priority', text(stdout)), 'lowered\n')
  await exited
})
