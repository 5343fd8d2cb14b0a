// Builds an earlier commit of this project, against which the guard measures.
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'

const PROJECT = path.resolve(import.meta.dirname, '..')

/**
 * Returns the folder of a commit's build, made once and kept for later runs. Returns undefined if the commit is not in this clone,
 * which may be a shallow one.
 */
export function buildReference(commit: string): string | undefined {
  const isKnown = !execaSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: PROJECT, reject: false }).failed
  if (!isKnown) return undefined
  const folder = path.join(tmpdir(), `toolgate-bench-reference-${commit.slice(0, 12)}`)
  if (existsSync(path.join(folder, 'dist/main.js'))) return folder
  console.error(`Building ${commit.slice(0, 12)} to compare with …`)
  rmSync(folder, { recursive: true, force: true })
  execaSync('git', ['clone', '--quiet', '--no-checkout', PROJECT, folder])
  execaSync('git', ['checkout', '--quiet', commit], { cwd: folder })
  execaSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  execaSync('npm', ['run', '--silent', 'build'], { cwd: folder })
  return folder
}
