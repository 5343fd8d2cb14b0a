// Served folders and their names.
import path from 'node:path'
import { realFolder } from '../server/xdg.ts'
import type { ConfigSource } from './config-source.ts'
import type { ConfigIssue } from './validation.ts'

export interface Root {
  name: string
  /** The real path. */
  path: string
  /** The path as configured, if it leads there through links. */
  given?: string
}

/**
 * Resolves the roots of the strongest source that has any; else the current folder. Unnamed ones are named after their folder.
 * `shellFolder` is the current folder by the path that the shell reached it, as in its variable `PWD`.
 */
export function resolveRoots(
  strongestFirst: readonly (ConfigSource | undefined)[],
  { cwd, shellFolder }: { cwd: string; shellFolder: string | undefined },
  issues: ConfigIssue[]
): Root[] {
  const inShell = shellFolder !== undefined && realFolder(shellFolder) === realFolder(cwd) ? shellFolder : cwd
  const by = strongestFirst.find(source => Array.isArray(source?.value.roots) && source.value.roots.length > 0)
  const given: { name?: string; path: string }[] = (by?.value.roots ?? [{ path: cwd }]).filter(
    root => typeof root?.path === 'string'
  )
  const roots: Root[] = []
  for (const [index, { name, path: folder }] of given.entries()) {
    const real = realFolder(folder)
    const wrong = (message: string) =>
      issues.push({ where: by?.locate(['roots', index]) ?? cwd, field: `root ${folder}`, message })
    const called = typeof name === 'string' ? name : given.length === 1 ? 'default' : toRootName(folder)
    if (real === undefined) wrong('does not exist, or is not a readable folder')
    else if (roots.some(root => root.path === real)) wrong('is listed twice')
    else if (roots.some(root => root.name === called))
      wrong(`has the same name as another root: ${called}. Give it another name with name=path`)
    else {
      const spelled = `${folder}/`.startsWith(`${cwd}/`) ? inShell + folder.slice(cwd.length) : folder
      roots.push({ name: called, path: real, ...(spelled !== real && { given: spelled }) })
    }
    if (by?.value.roots?.[index] && name === undefined) Object.assign(by.value.roots[index], { name: called })
  }
  return roots
}

const toRootName = (folder: string) =>
  path
    .basename(folder)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 64) || 'root'
