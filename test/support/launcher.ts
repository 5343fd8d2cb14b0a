// The launcher that confines programs by Landlock, built from its source for the tests.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'

/** Builds the launcher if it is not up to date, and returns its path. */
export function buildLauncher(): string {
  const root = path.resolve(import.meta.dirname, '../..')
  const hash = createHash('sha256')
  for (const file of ['native/confine/confine.c', 'scripts/build-launcher.ts'])
    hash.update(readFileSync(path.join(root, file)))
  const folder = path.join(root, 'node_modules/.cache/toolgate-confine')
  const built = path.join(folder, hash.digest('hex').slice(0, 16))
  if (existsSync(built)) return built
  // Several tests may build it.
  const own = `${built}.${process.pid}`
  execFileSync(process.execPath, ['scripts/build-launcher.ts', '--out', own], {
    cwd: root,
    stdio: 'pipe',
    timeout: 60_000
  })
  renameSync(own, built)
  return built
}
