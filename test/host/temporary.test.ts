import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { placeFile } from '../../src/host/processes/own-file.ts'
import { sweepTemporary, temporaryFolder } from '../../src/host/temporary.ts'

process.env.TMPDIR = t.testdir({})
const folder = process.env.TMPDIR

t.test('what a server that is gone has left is removed, and nothing else', async t => {
  const { pid } = spawnSync('true')
  const [left, strange, other] = [`toolgate-kept-${pid}-abc`, 'toolgate-kept-x', 'other'].map(name =>
    path.join(folder, name)
  )
  for (const each of [left!, strange!, other!]) mkdirSync(each)
  writeFileSync(path.join(left!, 'main.py'), 'code')
  const ours = await temporaryFolder()
  await sweepTemporary()
  t.strictSame(
    [left!, strange!, other!, ours.path].map(each => existsSync(each)),
    [false, true, true, true]
  )
  await ours.remove()
  t.equal(existsSync(ours.path), false)
})

t.test('a placed file is for this user alone, and is gone when it is removed', async t => {
  const before = readdirSync(folder)
  const { path: file, remove } = await placeFile({ name: 'main.sh', text: 'echo hi\n' })
  t.equal(path.basename(file), 'main.sh')
  t.strictSame(
    [path.dirname(file), file].map(each => (statSync(each).mode & 0o777).toString(8)),
    ['700', '400']
  )
  await remove()
  t.strictSame(readdirSync(folder), before)
  await t.rejects(placeFile({ name: 'no/such', text: '' }))
  t.strictSame(readdirSync(folder), before, 'nothing is left of one that could not be placed')
})
