import { type Static, Type } from 'typebox'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'

const DEFAULT_LIMIT = 1000
const DEFAULT_DEPTH = 20

const Input = Type.Object(
  {
    path: Type.String({ description: "Workspace-relative path; '.' is the root." }),
    recursive: Type.Optional(Type.Boolean({ description: 'Include subfolders.' })),
    include_hidden: Type.Optional(Type.Boolean({ description: 'Include names that begin with a dot.' })),
    no_ignore: Type.Optional(Type.Boolean({ description: 'Include entries that .gitignore excludes.' })),
    depth: Type.Optional(Type.Integer({ minimum: 1, description: 'Maximum levels. Default: 1 unless recursive.' })),
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
    ignored: Type.Optional(Type.Integer({ description: 'Excluded by .gitignore or similar; no_ignore lists them.' })),
    hidden: Type.Optional(Type.Integer({ description: 'Names that begin with a dot; include_hidden lists them.' })),
    unreadable: Type.Optional(Type.Integer({ description: 'Folders without read permission.' }))
  },
  {
    description: 'Numbers of omitted entries in the listed folders, not counting their contents.'
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
        name: Type.String({ description: 'Entry name.' }),
        path: Type.String({ description: 'Path relative to the workspace root.' }),
        type: Type.Enum(['file', 'directory', 'symlink', 'other'], {
          description: 'Type; a link is always symlink.'
        }),
        size: Type.Integer({ description: 'Bytes.' }),
        modified: Type.String({ description: 'Time of the last modification.' })
      }),
      { description: 'Sorted by path.' }
    ),
    truncated: Type.Boolean({ description: 'There are more entries than the limit.' }),
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
      ...(truncated ? [`(The first ${limit} entries found. List a subfolder, or increase limit.)`] : []),
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
