// Parses the changes of a commit, from the output of `diff-tree -r -z --raw --numstat --no-renames --no-abbrev` for two trees.
import type { IndexUpdate } from '../../../host/git/update-branch.ts'

export const COMMITTED_FLAGS: readonly string[] = ['-r', '-z', '--raw', '--numstat', '--no-renames', '--no-abbrev']

export const COMMITTED_OPERATIONS = ['added', 'modified', 'deleted', 'type_changed'] as const

const OPERATION_OF: Readonly<Record<string, CommittedFile['operation']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  T: 'type_changed'
}

/** Mode of a submodule in a tree. */
export const SUBMODULE = '160000'

export interface CommittedFile extends IndexUpdate {
  operation: (typeof COMMITTED_OPERATIONS)[number]
  /** Object ids of the file before and after; zeros if it does not exist. */
  was: string
  is: string
  submodule: boolean
  /** Number of lines; null for binary files. */
  added: number | null
  removed: number | null
}

/** Paths are relative to the repository. */
export function committedFiles(output: string): CommittedFile[] {
  const records = output.split('\0')
  const files: CommittedFile[] = []
  let at = 0
  for (; records[at]?.startsWith(':'); at += 2) {
    const [old = '', mode = '', was = '', is = '', letter = ''] = records[at]!.slice(1).split(' ')
    files.push({
      path: records[at + 1]!,
      operation: OPERATION_OF[letter[0]!] ?? 'modified',
      entry: letter.startsWith('D') ? undefined : { mode, oid: is },
      was,
      is,
      submodule: old === SUBMODULE || mode === SUBMODULE,
      added: null,
      removed: null
    })
  }
  const byPath = new Map(files.map(file => [file.path, file]))
  for (const record of records.slice(at)) {
    const [, added, removed, path] = /^(\d+)\t(\d+)\t(.*)$/s.exec(record) ?? []
    const file = path === undefined ? undefined : byPath.get(path)
    if (file) Object.assign(file, { added: Number(added), removed: Number(removed) })
  }
  return files
}
