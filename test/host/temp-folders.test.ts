// tier: quick
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { writePrivateTempFile } from '../../src/host/processes/private-temp-file.ts'
import { createTempFolder, removeStaleTempFolders } from '../../src/host/temp-folders.ts'
import { makeTestFolder } from '../support/test-folder.ts'

const folder = makeTestFolder(t)

t.test('removes leftovers of dead servers, and nothing else', async t => {
  const { pid } = spawnSync('true')
  const [left, strange, other] = [`toolgate-kept-${pid}-abc`, 'toolgate-kept-x', 'other'].map(name =>
    path.join(folder, name)
  )
  for (const each of [left!, strange!, other!]) mkdirSync(each)
  writeFileSync(path.join(left!, 'main.py'), 'code')
  const ours = await createTempFolder(folder)
  await removeStaleTempFolders(folder)
  t.strictSame(
    [left!, strange!, other!, ours.path].map(each => existsSync(each)),
    [false, true, true, true]
  )
  await ours.remove()
  t.equal(existsSync(ours.path), false)
})

t.test('a temporary file is private to this user, and gone when removed', async t => {
  const before = readdirSync(folder)
  const placed = await writePrivateTempFile(folder, { name: 'main.sh', text: 'echo hi\n' })
  const [{ from: file, to } = { from: '', to: '' }] = placed.mounts
  t.equal(path.basename(file), 'main.sh')
  t.equal(placed.path, to)
  t.strictSame(
    [path.dirname(file), file].map(each => (statSync(each).mode & 0o777).toString(8)),
    ['700', '400']
  )
  await placed.remove()
  t.strictSame(readdirSync(folder), before)
  await t.rejects(writePrivateTempFile(folder, { name: 'no/such', text: '' }))
  t.strictSame(readdirSync(folder), before, 'nothing is left of one that could not be placed')
})
