// The launcher that confines programs by Landlock, built from its source for the tests.
import { existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { compileLauncher, digestLauncherSources } from '../../scripts/launcher.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../node_modules/.cache/toolgate-confine')

/** Builds the launcher if it is not up to date, and returns its path. */
export function buildLauncher(): string {
  const built = path.join(FOLDER, digestLauncherSources().slice(0, 16))
  if (existsSync(built)) return built
  // Several tests may build it.
  const own = `${built}.${process.pid}`
  compileLauncher(process.arch, own)
  renameSync(own, built)
  return built
}
