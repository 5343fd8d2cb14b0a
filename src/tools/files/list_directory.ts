import { type Static, Type } from 'typebox'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'

const DEFAULT_LIMIT = 1000
const DEFAULT_DEPTH = 20

const Input = Type.Object(
  {
    path: Type.String({ description: 'Workspace-relative path; `.` is the root.' }),
    recursive: Type.Optional(Type.Boolean({ description: 'Include subfolders.' })),
    include_hidden: Type.Optional(Type.Boolean({ description: 'Include names that begin with a dot.' })),
    no_ignore: Type.Optional(Type.Boolean({ description: 'Include entries that .gitignore excludes.' })),
    depth: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum folder depth. Default: 1 if not recursive.' })
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: `Maximum entries. Default: ${DEFAULT_LIMIT}.`
      })
    )
  },
  { additionalProperties: false }
)

const OmittedOutput = Type.Object(
  {
    ignored: Type.Optional(
      Type.Integer({
        description: 'Number of entries that .gitignore or a similar file excludes. `no_ignore` lists them.'
      })
    ),
    hidden: Type.Optional(
      Type.Integer({ description: 'Number of entries whose names begin with a dot. `include_hidden` lists them.' })
    ),
    unreadable: Type.Optional(
      Type.Integer({ description: 'Number of folders that cannot be listed for lack of permission.' })
    )
  },
  {
    description:
      'Numbers of entries that are omitted from the listed folders. The contents of omitted folders are not counted.'
  }
)

export default defineTool({
  name: 'list_directory',
  category: 'files',
  description:
    'Lists a folder with types, sizes and times. Links are not followed; ignored and hidden entries are left out by default.',
  input: Input,
  output: Type.Object({
    entries: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the entry.' }),
        path: Type.String({ description: 'Path relative to the workspace root.' }),
        type: Type.Enum(['file', 'directory', 'symlink', 'other'], {
          description: 'Type of the entry. A symbolic link has the type `symlink`, regardless of its target.'
        }),
        size: Type.Integer({ description: 'Size in bytes.' }),
        modified: Type.String({ description: 'Time of the last modification.' })
      }),
      { description: 'Entries, sorted by path.' }
    ),
    truncated: Type.Boolean({ description: 'True if there are more entries than the limit.' }),
    left_out: Type.Optional(OmittedOutput)
  }),
  timeout_ms: 5_000,
  effect: 'read',
  traits: {
    idempotent: true,
    // Ignored folders are not watched, so a cached answer from one could become stale unnoticed.
    cacheable: ({ path, no_ignore = false }) => path === '.' && !no_ignore
  },
  request: ({ path, recursive, depth = 1 }) => ({
    paths: [{ path, access: 'list', ...((recursive || depth > 1) && { tree: true }) }]
  }),
  run: (input, ctx) => listEntries(input, ctx),
  present({ entries, truncated, left_out }, { path, limit = DEFAULT_LIMIT }) {
    const lines = entries.map(({ path, type, size }) => {
      return type === 'directory' ? `${path}/` : `${path}\t${type === 'file' ? size : type}`
    })
    if (lines.length === 0) lines.push('(No entries.)')
    const notes = [
      ...(truncated ? [`(Only the first ${limit} entries are listed. List a subfolder, or increase limit.)`] : []),
      ...(left_out ? [formatOmitted(left_out)] : [])
    ]
    return {
      title: path,
      content: [...truncateLines(lines), ...notes].join('\n'),
      metadata: { count: entries.length, left_out },
      ...(truncated && { truncated })
    }
  }
})

async function listEntries(input: Static<typeof Input>, { host, signal }: RunContext) {
  const { path, recursive, include_hidden = false, no_ignore = false, limit = DEFAULT_LIMIT } = input
  const depth = input.depth ?? (recursive ? DEFAULT_DEPTH : 1)
  const query = { depth, hidden: include_hidden, ignored: no_ignore, limit, signal }
  const { entries, truncated, left_out } = await host.files.listing(path, query)
  const counted = Object.entries(left_out).filter(([, count]) => count > 0)
  return {
    entries: entries.map(({ closed: _, ...entry }) => entry).sort((a, b) => (a.path < b.path ? -1 : 1)),
    truncated,
    ...(counted.length > 0 && { left_out: Object.fromEntries(counted) as Static<typeof OmittedOutput> })
  }
}

function formatOmitted({ ignored, hidden, unreadable }: Static<typeof OmittedOutput>) {
  const parts = [
    ...(ignored ? [`${ignored} ignored (no_ignore lists them)`] : []),
    ...(hidden ? [`${hidden} hidden (include_hidden lists them)`] : []),
    ...(unreadable ? [`the contents of ${unreadable} folders without read permission`] : [])
  ]
  return `(Omitted: ${parts.join(', ')}.)`
}
