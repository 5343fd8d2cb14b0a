// Determines the files of a section of a unified diff.

import type { Header } from './header.ts'
import { PatchSyntaxError } from './patch-lines.ts'
import type { PatchSection } from './patch-model.ts'

/** Suffix of a backup made before a change, as in `diff old new`. */
const BACKUP_SUFFIX = /(\.orig|\.old|\.bak|~)$/

export function sectionPaths(
  header: Header,
  line: number,
  strip: number | undefined
): Pick<PatchSection, 'does' | 'path' | 'to'> {
  const names = stripPrefixes(header, line, strip)
  const { change } = header
  if (names.old === undefined && names.new === undefined) throw new PatchSyntaxError(line, 'expected a file name.')
  if (header.comes || names.old === undefined) return { does: 'add', path: requireName(names.new, line) }
  if (header.goes || names.new === undefined) return { does: 'delete', path: requireName(names.old, line) }
  if (change === 'copy') return { does: 'copy', path: names.old, to: names.new }
  if (change === 'rename') return { does: 'update', path: names.old, to: names.new }
  if (names.old === names.new || names.old.replace(BACKUP_SUFFIX, '') === names.new)
    return { does: 'update', path: names.new }
  const both = `${JSON.stringify(names.old)} and ${JSON.stringify(names.new)}`
  throw new PatchSyntaxError(line, `expected one file, found ${both}; a rename requires "rename from" and "rename to".`)
}

function requireName(name: string | undefined, line: number): string {
  if (name !== undefined) return name
  throw new PatchSyntaxError(line, 'expected a file that is either created or deleted.')
}

function stripPrefixes(header: Header, line: number, strip: number | undefined): Pick<Header, 'old' | 'new'> {
  // git counts its own prefix, which the names of renames never have.
  const count =
    strip === undefined
      ? header.isUnprefixed
        ? 0
        : prefixes(header)
      : header.isUnprefixed
        ? Math.max(0, strip - 1)
        : strip
  const shorter = (name: string | undefined) => name && dropFolders(name, count, line)
  return { old: shorter(header.old), new: shorter(header.new) }
}

function dropFolders(name: string, count: number, line: number): string {
  const parts = name.split('/')
  if (parts.length > count) return parts.slice(count).join('/')
  throw new PatchSyntaxError(
    line,
    `expected a name with more than ${count} folders to strip, found ${JSON.stringify(name)}.`
  )
}

/** Returns one if the names indicate a prefix: `a/x` and `b/x`, or any two that differ only in their first folder. */
function prefixes({ old, new: now, prefixes }: Header): number {
  if (prefixes !== undefined) return prefixes
  if (old === undefined) return now?.startsWith('b/') ? 1 : 0
  if (now === undefined) return old.startsWith('a/') ? 1 : 0
  if (old === now) return 0
  const bare = old.replace(BACKUP_SUFFIX, '')
  if (old.startsWith('a/') && now.startsWith('b/')) return 1
  return bare !== now && dropFirstFolder(bare) !== undefined && dropFirstFolder(bare) === dropFirstFolder(now) ? 1 : 0
}

const dropFirstFolder = (name: string) => (name.includes('/') ? name.slice(name.indexOf('/') + 1) : undefined)
