import { setImmediate } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import type { Entry } from '../../host/files.ts'
import { type Context, defineTool } from '../../tool.ts'

const Input = Type.Object(
  {
    path: Type.String({ description: "Folder to list, relative to the workspace root; '.' is the root." }),
    recursive: Type.Optional(Type.Boolean({ description: 'List the folders inside too.' })),
    include_hidden: Type.Optional(Type.Boolean({ description: 'List names that begin with a dot too.' })),
    depth: Type.Optional(Type.Integer({ minimum: 1, description: 'How many levels to list; 1 unless recursive.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'At most this many entries; 1000 by default.' })
    )
  },
  { additionalProperties: false }
)

const DEFAULT_LIMIT = 1000
const DEFAULT_DEPTH = 20

export default defineTool({
  name: 'list_directory',
  category: 'files',
  description:
    "List a folder's entries with type, size and time. Links are not followed, git's internals are not listed.",
  input: Input,
  output: Type.Object({
    entries: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name in its folder.' }),
        path: Type.String({ description: 'The path relative to the workspace root.' }),
        type: Type.Enum(['file', 'directory', 'symlink', 'other'], {
          description: 'What it is; a link is a symlink whatever it leads to.'
        }),
        size: Type.Integer({ description: 'Bytes.' }),
        modified: Type.String({ description: 'When it was last modified.' })
      }),
      { description: 'Sorted by path.' }
    ),
    truncated: Type.Boolean({ description: 'There are more entries than the limit.' })
  }),
  timeout_ms: 5_000,
  effect: 'read',
  idempotent: true,
  cacheable: true,
  subject: ({ path, recursive, depth = 1 }) => ({
    paths: [{ path, access: 'list', ...((recursive || depth > 1) && { tree: true }) }]
  }),
  run: (input, ctx) => listed(input, ctx),
  present({ entries, truncated }, { path, limit = DEFAULT_LIMIT }) {
    const lines = entries.map(({ path, type, size }) => {
      return type === 'directory' ? `${path}/` : `${path}\t${type === 'file' ? size : type}`
    })
    if (lines.length === 0) lines.push('(Nothing to list.)')
    if (truncated) lines.push(`(The first ${limit} entries found; list a folder inside, or raise the limit.)`)
    return {
      title: path,
      content: lines.join('\n'),
      metadata: { count: entries.length },
      ...(truncated && { truncated })
    }
  }
})

/** Level by level, so that a listing cut short still shows the whole of what is near the top. */
async function listed(input: Static<typeof Input>, { host, signal }: Context) {
  const limit = input.limit ?? DEFAULT_LIMIT
  const depth = input.depth ?? (input.recursive ? DEFAULT_DEPTH : 1)
  const entries: Entry[] = []
  let truncated = false
  let folders = [input.path]
  for (let level = 1; level <= depth && folders.length > 0 && !truncated; level++) {
    const inside: string[] = []
    for (const folder of folders) {
      const found = host.files.entries(folder, isShown(input))
      entries.push(...found)
      truncated = entries.length > limit
      if (truncated) break
      for (const { type, path, closed } of found) if (type === 'directory' && !closed) inside.push(path)
      await setImmediate()
      signal.throwIfAborted()
    }
    folders = inside
  }
  const kept = entries.slice(0, limit).sort((a, b) => (a.path < b.path ? -1 : 1))
  return { entries: kept.map(({ closed: _, ...entry }) => entry), truncated }
}

const isShown =
  ({ include_hidden }: Static<typeof Input>) =>
  (name: string) =>
    include_hidden === true || !name.startsWith('.')
