// Commit format of git_log and git_show: fields are separated by NUL, which no commit can contain.
import { type Static, Type } from 'typebox'

/** Longer messages are truncated. */
const MAX_BODY = 16_384

const Person = (description: string) =>
  Type.Object(
    {
      name: Type.String({ description: 'Resolved with .mailmap.' }),
      email: Type.String({ description: 'Resolved with .mailmap.' }),
      date: Type.Union([Type.String(), Type.Null()], { description: 'Time; ISO 8601, UTC. null if it is invalid.' })
    },
    { description }
  )

export const Commit = Type.Object(
  {
    oid: Type.String({ description: 'Id.' }),
    short: Type.String({ description: 'Abbreviated id of the commit.' }),
    parents: Type.Array(Type.String(), {
      description: 'Ids of the parent commits: none for the first commit, several for a merge.'
    }),
    author: Person('Author.'),
    committer: Person('Committer.'),
    subject: Type.String({ description: 'First paragraph of the commit message.' }),
    body: Type.String({ description: 'Rest of the commit message.' }),
    body_truncated: Type.Optional(Type.Boolean({ description: 'True if `body` is truncated.' })),
    refs: Type.Array(Type.String(), {
      description: 'Full names of refs at this commit: refs/heads/…, refs/tags/…, HEAD.'
    })
  },
  { description: 'Shown commit.' }
)
export type Commit = Static<typeof Commit>

const FIELDS = ['%H', '%h', '%P', '%aN', '%aE', '%at', '%cN', '%cE', '%ct', '%D', '%s', '%b']
/**
 * Begins with a NUL before each commit: split at NUL, each part is the output after one commit followed by the fields of the
 * next.
 */
export const FORMAT = `--format=tformat:${FIELDS.map(field => `%x00${field}`).join('')}%x00`
export const FORMAT_FLAGS: readonly string[] = [
  FORMAT,
  '--decorate=full',
  '--no-color',
  '--no-show-signature',
  '--no-notes'
]

/** Parses commits in this format, each with git's output after it. */
export function parseCommits(output: string): { commit: Commit; after: string }[] {
  const [, ...parts] = output.split('\0')
  const found: { commit: Commit; after: string }[] = []
  for (let i = 0; i + FIELDS.length < parts.length; i += FIELDS.length + 1)
    found.push({ commit: parseCommit(parts.slice(i, i + FIELDS.length)), after: parts[i + FIELDS.length]! })
  return found
}

function parseCommit(fields: readonly string[]): Commit {
  const [oid = '', short = '', parents = '', ...rest] = fields
  const [
    author = '',
    author_email = '',
    authored = '',
    committer = '',
    committer_email = '',
    committed = '',
    ...words
  ] = rest
  const [refs = '', subject = '', body = ''] = words
  const text = body.trimEnd()
  return {
    oid,
    short,
    parents: parents.split(' ').filter(Boolean),
    author: { name: author, email: author_email, date: unixToIso(authored) },
    committer: { name: committer, email: committer_email, date: unixToIso(committed) },
    subject,
    body: text.slice(0, MAX_BODY),
    ...(text.length > MAX_BODY && { body_truncated: true }),
    refs: refs.split(', ').flatMap(splitRefs)
  }
}

/** HEAD is reported together with its branch. */
const splitRefs = (ref: string) =>
  ref
    .replace(/^tag: /, '')
    .split(' -> ')
    .filter(Boolean)

const MAX_DATE_MS = 8.64e15

export function unixToIso(seconds: string): string | null {
  const ms = Number(seconds) * 1_000
  return seconds === '' || !(Math.abs(ms) <= MAX_DATE_MS) ? null : new Date(ms).toISOString()
}

/** Formats a commit for a model: who, when and why. */
export function formatCommit({ oid, parents, author, committer, subject, body, refs }: Commit): string[] {
  const others = committer.name !== author.name || committer.email !== author.email
  return [
    `commit ${oid}${refs.length > 0 ? ` (${refs.join(', ')})` : ''}`,
    ...(parents.length > 1 ? [`Merge: ${parents.map(each => each.slice(0, 12)).join(' ')}`] : []),
    `Author: ${author.name} <${author.email}>  ${author.date ?? 'without a date'}`,
    ...(others ? [`Committer: ${committer.name} <${committer.email}>  ${committer.date ?? 'without a date'}`] : []),
    '',
    ...[subject, ...(body === '' ? [] : ['', ...body.split('\n')])].map(line => `    ${line}`)
  ]
}
