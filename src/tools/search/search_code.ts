import { dirname } from 'node:path/posix'
import { type Static, Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import type { IndexState } from '../../host/code/code-index.ts'
import { parseQueryTerms } from '../../text/code/query-terms.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { withStatus } from '../../tool/with-progress.ts'
import { findHit, type Hit, type SearchCandidate } from './lib/code-hits.ts'
import { parseGlobs } from './lib/search-globs.ts'
import { unsavedNotes } from './lib/unsaved-notes.ts'
import { type MatchCountListener, searchByWordCounts } from './lib/word-count-search.ts'

const DEFAULT_LIMIT = 10
/** Time for which a query waits for an index that is almost complete. */
const INDEX_WAIT_MS = 1_500
/** Additional candidates, since some may be gone or must not be revealed. */
const SPARE = 10

const Globs = Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 })])

const Input = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Words of a question, identifiers, or both; not a pattern.'
    }),
    path: Type.Optional(Type.String({ description: 'File or folder to search. Default: workspace root.' })),
    include: Type.Optional({
      ...Globs,
      description: 'Only files that match a glob such as *.ts, relative to `path`.'
    }),
    exclude: Type.Optional({
      ...Globs,
      description: 'Exclude files and folders that match a glob.'
    }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: `Maximum files. Default: ${DEFAULT_LIMIT}.` })
    )
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const LinesField = (description: string) => Type.Array(Type.Integer(), { minItems: 2, maxItems: 2, description })

const Output = Type.Object({
  hits: Type.Array(
    Type.Object({
      path: Type.String({ description: 'File path, relative to the workspace root.' }),
      lines: LinesField('First and last line of the snippet, from 1.'),
      score: Type.Number({ description: 'Relevance of the file. Scores of different calls cannot be compared.' }),
      matched: Type.Array(Type.String(), { description: 'Words of the query that occur in the file.' }),
      snippet: Type.String({ description: 'Lines of the file, as they are on disk now, with line numbers.' }),
      also: Type.Optional(
        Type.Array(LinesField('First and last line of the part.'), { description: 'Other matching parts of the file.' })
      )
    }),
    { description: 'Found files, the best first.' }
  ),
  index: Type.Object(
    {
      state: Type.Enum(['off', 'idle', 'building', 'ready', 'failed'], {
        description: 'State of the index. If it is not `ready`, files are ranked by word counts.'
      }),
      indexed: Type.Integer({ description: 'Number of indexed files.' }),
      waiting: Type.Integer({ description: 'Number of files waiting to be indexed.' }),
      left_out: Type.Integer({ description: 'Number of files that are not indexed because the index is full.' }),
      following: Type.Boolean({ description: 'True if file changes are indexed immediately.' }),
      compared_at: Type.Optional(
        Type.String({ description: 'Time when all files were last compared with the index.' })
      ),
      reason: Type.Optional(Type.String({ description: 'Error because of which the index failed.' })),
      embeddings: Type.Optional(
        Type.Object(
          {
            model: Type.String({ description: 'Embedding model.' }),
            embedded: Type.Integer({ description: 'Number of chunks with an embedding.' }),
            pieces: Type.Integer({ description: 'Number of chunks waiting for an embedding.' }),
            reason: Type.Optional(
              Type.String({ description: 'Reason why the endpoint for embeddings is not used at present.' })
            )
          },
          { description: 'State of the embeddings, if they are used.' }
        )
      )
    },
    { description: 'State of the index.' }
  ),
  notes: Type.Array(Type.String(), { description: 'Notes about the result.' })
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'search_code',
  category: 'search',
  description:
    'Finds code by a question or identifiers: the best files first, with the relevant lines. For exact text or patterns, use grep.',
  input: Input,
  output: Output,
  timeout_ms: 10_000,
  effect: 'read',
  traits: { idempotent: true, usesAllProcessors: true },
  request: ({ path = '.' }) => ({ paths: [{ path, access: 'list', tree: true }] }),
  run: searchWithProgress,
  present({ hits, index, notes }, { query }) {
    const lines = hits.flatMap(({ path, lines: [from, to], matched, snippet }) => [
      `${path}:${from}-${to} (${matched.join(', ')})`,
      ...snippet.split('\n')
    ])
    const content = [...(hits.length === 0 ? ['No matches.'] : truncateLines(lines)), ...notes.map(note => `(${note})`)]
    return { title: query, content: content.join('\n'), metadata: { hits: hits.length, index: index.state } }
  }
})

/** Reports the build of the index while it waits for that, and the number of results if a search without it takes long. */
function searchWithProgress(input: Input, ctx: RunContext): AsyncGenerator<Progress, Output> {
  let status: Progress = { message: 'Searching.' }
  return withStatus(
    () => status,
    report =>
      search(input, ctx, {
        onBuilding(state) {
          status = toBuildProgress(state)
          report(status)
        },
        onCount(lines, files) {
          status = { message: `Lines found so far: ${lines}, in files: ${files}.` }
        }
      })
  )
}

/** Returns the indexed share of all files, once they have been counted. */
function toBuildProgress({ indexed, waiting }: IndexState): Progress {
  const all = indexed + waiting
  if (all === 0) return { message: 'The index is being built.' }
  return { progress: indexed / all, message: `The index is being built: ${indexed} of ${all} files so far.` }
}

interface SearchListeners {
  onBuilding: (state: IndexState) => void
  onCount: MatchCountListener
}

async function search(input: Input, ctx: RunContext, { onBuilding, onCount }: SearchListeners): Promise<Output> {
  const { query, path = '.', limit = DEFAULT_LIMIT } = input
  const { host, signal } = ctx
  const place = host.files.resolve(path)
  if (place.kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
  if (place.kind === 'other') throw new ToolError('NOT_A_FILE', `${path} is neither a file nor a folder.`, { path })
  const scope = {
    spellings: ctx.call.workspace.spellings,
    folder: place.kind === 'file' ? dirname(place.path) : place.path
  }
  const within = {
    path: place.path,
    kind: place.kind,
    include: parseGlobs('include', input.include, scope),
    exclude: parseGlobs('exclude', input.exclude, scope)
  }
  const question = parseQueryTerms(query)
  const answer = await host.code.search(
    { question, text: query, ...within, limit: limit + SPARE },
    { signal, waitMs: INDEX_WAIT_MS, onBuilding }
  )
  // An explicitly named path may be ignored, and so be missing in the index.
  const fromIndex = answer !== undefined && (answer.files.length > 0 || place.path === '.')
  const candidates = fromIndex ? answer.files : await searchByWordCounts(question, within, ctx, onCount)
  const { bytes: _, ...index } = answer?.index ?? host.code.state
  const hits = await collectHits(candidates, limit, each => findHit(each, question, ctx))
  return { hits, index, notes: [...indexNotes(index, fromIndex), ...unsavedNotes(place.path, host.files)] }
}

async function collectHits(
  candidates: readonly SearchCandidate[],
  limit: number,
  hit: (each: SearchCandidate) => Promise<Hit | undefined>
) {
  const hits: Hit[] = []
  for (const candidate of candidates) {
    if (hits.length >= limit) break
    const found = await hit(candidate)
    if (found) hits.push(found)
  }
  return hits
}

type Index = Omit<IndexState, 'bytes'>

const NO_INDEX_REASONS: Record<IndexState['state'], (index: Index) => string> = {
  off: () => 'There is no index (`search.index` is off)',
  idle: () => 'There is no index yet',
  building: ({ indexed, waiting }) => `The index is being built: ${indexed} of ${indexed + waiting} files so far`,
  failed: ({ reason }) => `The index has failed: ${reason}`,
  ready: () => 'The index does not contain a matching file'
}

function indexNotes(index: Index, fromIndex: boolean): string[] {
  if (!fromIndex) return [`${NO_INDEX_REASONS[index.state](index)}. Files are ranked only by word counts.`]
  const { waiting, left_out, following, compared_at, embeddings } = index
  return [
    ...(waiting > 0 ? [`${waiting} changed files are not indexed yet.`] : []),
    ...(left_out > 0 ? [`${left_out} files are not indexed because the index is full.`] : []),
    ...(embeddings?.reason
      ? [`Files are ranked only by words, because the endpoint for embeddings fails. ${embeddings.reason}`]
      : []),
    ...(following ? [] : [`This workspace is not watched for changes. The index is from ${compared_at}.`])
  ]
}
