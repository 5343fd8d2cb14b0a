// Takes a snapshot of a folder that can be compared.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'

/**
 * Returns everything under a folder by path: a folder, a link with its target, a file with its mode and bytes, or a device, which
 * would give bytes without end.
 */
export function snapshotFolder(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  const names = ['']
  for (const name of names) {
    const file = path.join(folder, name)
    const stat = lstatSync(file)
    if (stat.isDirectory()) {
      if (name !== '') found[name] = 'a folder'
      names.push(...readdirSync(file).map(inner => path.join(name, inner)))
    } else if (stat.isCharacterDevice()) found[name] = 'a device'
    else if (stat.isSymbolicLink()) found[name] = `a link to ${readlinkSync(file)}`
    else found[name] = `${(stat.mode & 0o7777).toString(8)} ${readFileSync(file, 'latin1')}`
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}
