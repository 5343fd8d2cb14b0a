// Runs the tests of escapes as an ordinary user: they run as root in containers.
import { chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import { LIMIT_MS, run } from '../../support/wait.ts'

const ORDINARY_ID = 65_534
/** That of a whole test file, which takes 17 s by itself. */
const FILE_LIMIT_MS = 3 * LIMIT_MS
const TEST = path.resolve(import.meta.dirname, 'escapes.test.ts')

t.test('the same holds for an ordinary user', needs('root', 'bwrap', 'landlock', 'python3'), async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'as-user-'))
  t.teardown(() => removeFolder(folder))
  chownSync(folder, ORDINARY_ID, ORDINARY_ID)
  const user = { uid: ORDINARY_ID, gid: ORDINARY_ID }
  const env = { ...process.env, HOME: folder, TMPDIR: folder }
  const isReadable = await run(process.execPath, ['-e', "require('fs').readFileSync(process.argv[1])", TEST], {
    ...user,
    env
  }).then(
    () => true,
    () => false
  )
  if (!isReadable) return t.comment('the checkout cannot be read by another user')
  const { stdout } = await run(process.execPath, [TEST], { ...user, env, maxBuffer: 2 ** 26, timeout: FILE_LIMIT_MS })
  t.notMatch(stdout, /^ *not ok/m)
  t.ok([...stdout.matchAll(/^ +ok /gm)].length > 500, 'all attempts were made')
})
