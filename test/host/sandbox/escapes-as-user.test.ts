// Runs the tests of escapes as an ordinary user: they run as root in containers.
// tier: full
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { needsReach, ORDINARY_ID } from '../../support/other-user.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import { LIMIT_MS, run } from '../../support/wait.ts'

/** That of a whole test file, which takes 17 s by itself. */
const FILE_LIMIT_MS = 3 * LIMIT_MS
const TEST = path.resolve(import.meta.dirname, 'escapes.test.ts')

const parts = needs('root', 'bwrap', 'landlock', 'python3')

t.test(
  'the same holds for an ordinary user',
  { ...needsReach(path.dirname(TEST)), ...needsReach(), ...parts },
  async t => {
    const top = mkdtempSync(path.join(tmpdir(), 'as-user-'))
    t.teardown(() => removeFolder(top))
    // As with some homes, the user cannot list the folder above.
    chmodSync(top, 0o711)
    const folder = path.join(top, 'own')
    mkdirSync(folder)
    chownSync(folder, ORDINARY_ID, ORDINARY_ID)
    const user = { uid: ORDINARY_ID, gid: ORDINARY_ID }
    // By default a single test, of some 200 commands here, ends after 30 s.
    const env = { ...process.env, HOME: folder, TMPDIR: folder, TAP_TIMEOUT: String(FILE_LIMIT_MS / 1_000) }
    const options = { ...user, env, maxBuffer: 2 ** 26, timeout: FILE_LIMIT_MS }
    const { stdout } = await run(process.execPath, [TEST], options).catch((error: { stdout: string }) => error)
    t.same(stdout.match(/^ *not ok .*(?:\n.*){0,20}/gm), null)
    t.ok([...stdout.matchAll(/^ +ok /gm)].length > 500, 'all attempts were made')
  }
)
