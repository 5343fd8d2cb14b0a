// Creates a repository whose commits are successive versions of published packages.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'

const AUTHOR = ['-c', 'user.name=replay', '-c', 'user.email=replay@localhost', '-c', 'core.autocrlf=false']

/** `packages` are in the order of their commits, such as `name@1.0.0`, `name@1.1.0`. */
export function createRepository(packages: readonly string[], folder: string): string {
  const repository = path.join(folder, 'packages')
  mkdirSync(repository)
  const git = (...args: string[]) => execaSync('git', [...AUTHOR, ...args], { cwd: repository })
  git('init', '--quiet')
  for (const name of packages) {
    const fetched = mkdtempSync(path.join(folder, 'pack-'))
    execaSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', fetched, name])
    const [archive] = readdirSync(fetched)
    for (const old of readdirSync(repository))
      if (old !== '.git') rmSync(path.join(repository, old), { recursive: true })
    execaSync('tar', ['-xzf', path.join(fetched, archive!), '-C', repository, '--strip-components=1'])
    // All files of packages have the same date, so that git would confuse files of the same size.
    git('read-tree', '--empty')
    git('add', '--all', '--force')
    git('commit', '--quiet', '--allow-empty', '--no-verify', '--message', name)
  }
  return repository
}
