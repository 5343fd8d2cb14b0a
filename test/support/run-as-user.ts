// Runs a test file as an ordinary user, whom the modes of folders keep out: in containers, tests run as root.
import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { ORDINARY_ID } from './other-user.ts'
import { removeFolder } from './remove-folder.ts'
import { LIMIT_MS, run } from './wait.ts'

/** Limit of a whole test file. */
const FILE_LIMIT_MS = 3 * LIMIT_MS

/** Fails the test if one of the file fails, or if not more than `least` are made. */
export async function runAsUser(t: Test, file: string, least: number) {
  const top = mkdtempSync(path.join(tmpdir(), 'as-user-'))
  t.teardown(() => removeFolder(top))
  // As with some homes, the user cannot list the folder above.
  chmodSync(top, 0o711)
  const folder = path.join(top, 'own')
  mkdirSync(folder)
  chownSync(folder, ORDINARY_ID, ORDINARY_ID)
  // By default a single test, of some 200 commands here, ends after 30 s.
  const env = { ...process.env, HOME: folder, TMPDIR: folder, TAP_TIMEOUT: String(FILE_LIMIT_MS / 1_000) }
  const options = { uid: ORDINARY_ID, gid: ORDINARY_ID, env, maxBuffer: 2 ** 26, timeout: FILE_LIMIT_MS }
  const { stdout } = await run(process.execPath, [file], options).catch((error: { stdout: string }) => error)
  t.same(stdout.match(/^ *not ok .*(?:\n.*){0,20}/gm), null)
  t.ok([...stdout.matchAll(/^ +ok /gm)].length > least, 'all of them were made')
}
