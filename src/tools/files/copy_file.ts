import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { TreeMember } from '../../host/files/changes/list-tree.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { type DiscardedEntry, irreversibleLossNotes } from './irreversible-loss.ts'
import { joinPathLines } from './shown-paths.ts'

const Input = Type.Object(
  {
    source: Type.String({ description: 'Workspace-relative path.' }),
    dest: Type.String({ description: 'Path of the copy, including its name.' }),
    overwrite: Type.Optional(Type.Boolean({ description: 'Replace existing files.' })),
    recursive: Type.Optional(Type.Boolean({ description: 'Copy a folder with its contents.' }))
  },
  { additionalProperties: false }
)

export default defineTool({
  name: 'copy_file',
  category: 'files',
  description:
    'Copies a file or, with `recursive`, a folder without its symbolic links. Missing parent folders are created.',
  input: Input,
  output: Type.Object({
    source: Type.String({ description: 'Source path.' }),
    dest: Type.String({ description: 'Path of the copy.' }),
    size: Type.Integer({ description: 'Number of bytes that were copied.' }),
    left_out: Type.Optional(
      Type.Object(
        {
          links: Type.Integer({ description: 'Number of symbolic links that were not copied.' }),
          others: Type.Integer({ description: 'Number of special files, such as FIFOs, that were not copied.' })
        },
        { description: 'Entries that were not copied, counted by kind; absent if there are none.' }
      )
    )
  }),
  timeout_ms: 10_000,
  effect: 'write',
  request: ({ source, dest, recursive }) => ({
    paths: [
      { path: source, access: 'read', ...(recursive && { tree: true, renamed_to: dest }) },
      { path: dest, access: 'write', ...(recursive && { tree: true }) }
    ]
  }),
  async plan(input, ctx) {
    const state = await planCopy(input, ctx)
    return { state, preview: () => previewCopy(input, state, ctx) }
  },
  async run(_input, ctx, { source, dest, folders, files, left_out }) {
    for (const folder of folders) await ctx.host.files.makeDirectories(folder)
    let size = 0
    for (const { from, to } of files) size += await copyFile(from, to, ctx)
    return { source, dest, size, ...(left_out && { left_out }) }
  },
  present: ({ source, dest, size, left_out }) => ({
    title: dest,
    content: [`Copied ${source} to ${dest} (${size} bytes).`, ...formatOmitted(left_out)].join(' ')
  })
})

interface OmittedEntries {
  links: number
  others: number
}

interface CopyPlan {
  source: string
  dest: string
  folders: string[]
  files: { from: string; to: string }[]
  left_out?: OmittedEntries | undefined
}

function previewCopy({ source, dest }: Static<typeof Input>, { files, left_out }: CopyPlan, ctx: ReadContext) {
  const text = joinPathLines(files.map(({ from, to }) => `${from} → ${to}`))
  const replaced = files.filter(({ to }) => ctx.host.files.peek(to).kind !== 'missing')
  const notes = [
    ...(replaced.length > 0 ? [`Overwrites ${replaced.length} files.`] : []),
    ...irreversibleLossNotes(
      replaced.map(({ to }) => measureFile(to, ctx)),
      ctx.host.files
    ),
    ...formatOmitted(left_out)
  ]
  return { title: `Copy ${source} to ${dest}`, text, ...(notes.length > 0 && { notes }) }
}

/** Plans the folders to create and the files to copy; rejected as a whole before any change. */
async function planCopy(
  { source, dest, overwrite, recursive }: Static<typeof Input>,
  { host }: ReadContext
): Promise<CopyPlan> {
  const from = host.files.peek(source)
  const to = host.files.peek(dest)
  if (from.kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${source} does not exist.`, { path: source })
  if (to.kind !== 'missing' && !overwrite) throw new ToolError('FILE_EXISTS', `${dest} already exists.`, { path: dest })
  if (from.kind !== 'directory') {
    return { source: from.path, dest: to.path, folders: [], files: [{ from: source, to: dest }] }
  }
  if (!recursive) {
    throw new ToolError(
      'NOT_A_FILE',
      `${source} is a folder. Set \`recursive\` to copy the folder with its contents.`,
      {
        path: source
      }
    )
  }
  if (`${to.path}/`.startsWith(`${from.path}/`) || from.path === '.') {
    throw new ToolError('INVALID_PATH', `A folder cannot be copied into itself (${source}).`, { path: dest })
  }
  const entries = (await host.files.listTree(source)).slice(1)
  const target = (path: string) => `${to.path}/${path.slice(from.path.length + 1)}`
  const folders = entries.filter(({ type }) => type === 'directory').map(({ path }) => target(path))
  const files = entries.filter(({ type }) => type === 'file').map(({ path }) => ({ from: path, to: target(path) }))
  const left_out = countOmitted(entries)
  return { source: from.path, dest: to.path, folders: [to.path, ...folders], files, left_out }
}

function countOmitted(entries: readonly TreeMember[]): OmittedEntries | undefined {
  const links = entries.filter(({ type }) => type === 'symlink').length
  const others = entries.filter(({ type }) => type === 'other').length
  return links + others > 0 ? { links, others } : undefined
}

function formatOmitted(left_out: OmittedEntries | undefined): string[] {
  if (!left_out) return []
  const { links, others } = left_out
  const words = [
    ...(links > 0 ? [`${links} ${links === 1 ? 'link' : 'links'}`] : []),
    ...(others > 0 ? [`${others} that ${others === 1 ? 'is' : 'are'} neither a file nor a folder`] : [])
  ]
  return [`Omitted: ${words.join(', ')}.`]
}

function measureFile(path: string, { host: { files } }: ReadContext): DiscardedEntry {
  const file = files.open(path)
  file.close()
  return { path, type: 'file', size: file.size }
}

async function copyFile(from: string, to: string, { host }: RunContext) {
  const file = host.files.open(from)
  try {
    const was = await host.files.snapshot(to)
    const { size } = was ? await host.files.replace(to, was, file) : await host.files.create(to, file)
    return size
  } finally {
    file.close()
  }
}
