// Parses the output of `git ls-tree -z --long` for a folder.
import { Type } from 'typebox'

const TYPES = { blob: 'file', tree: 'directory', commit: 'submodule' } as const
const LINK = '120000'

export const TreeEntry = Type.Object({
  path: Type.String({ description: 'Path of the entry, relative to the workspace root.' }),
  type: Type.Enum(['file', 'directory', 'symlink', 'submodule'], { description: 'Type of the entry.' }),
  mode: Type.String({ description: 'Git mode of the entry.' }),
  oid: Type.String({ description: 'Id.' }),
  size: Type.Optional(Type.Integer({ description: 'Size of a file in bytes.' }))
})

export function parseTree(output: Buffer) {
  return output
    .toString('utf8')
    .split('\0')
    .flatMap(line => {
      const [, mode = '', type = 'blob', oid = '', size = '', name = ''] =
        /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(line) ?? []
      if (name === '') return []
      const what: 'file' | 'directory' | 'submodule' | 'symlink' =
        mode === LINK ? 'symlink' : TYPES[type as keyof typeof TYPES]
      return [{ name, type: what, mode, oid, ...(/^\d+$/.test(size) && { size: Number(size) }) }]
    })
}
