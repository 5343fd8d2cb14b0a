// Parses `git blame --porcelain`: for each run of lines its commit, with details at the first occurrence.
import { unixToIso } from './commit-format.ts'

interface BlameRange {
  start: number
  end: number
  oid: string
  original_start: number
  /** Previous path in the repository, if different. */
  original_path: string
  text: string
}

interface BlameCommit {
  author: string
  email: string
  date: string | null
  subject: string
  /** The available history begins here. */
  boundary?: boolean
}

export interface BlameResult {
  runs: BlameRange[]
  commits: Record<string, BlameCommit>
}

/** Git's data on uncommitted lines depends on the time of the call. */
const UNCOMMITTED_OID = /^0+$/
const HEADING = /^([0-9a-f]{40,64}) (\d+) (\d+)(?: (\d+))?$/

export function parseBlame(output: string, unquoted: (name: string) => string): BlameResult {
  const runs: BlameRange[] = []
  const commits: Record<string, BlameCommit> = {}
  const paths: Record<string, string> = {}
  let [oid, original, line, begins] = ['', 0, 0, false]
  for (const text of output.split('\n')) {
    if (text.startsWith('\t')) {
      const run = runs.at(-1)
      if (begins || !run)
        runs.push({
          start: line,
          end: line,
          oid,
          original_start: original,
          original_path: paths[oid] ?? '',
          text: `${text.slice(1)}\n`
        })
      else Object.assign(run, { end: line, text: `${run.text}${text.slice(1)}\n` })
      continue
    }
    const heading = HEADING.exec(text)
    if (heading) {
      oid = heading[1]!
      original = Number(heading[2])
      line = Number(heading[3])
      begins = heading[4] !== undefined
      commits[oid] ??= {
        author: '',
        email: '',
        date: null,
        subject: UNCOMMITTED_OID.test(oid) ? 'Not committed yet' : ''
      }
      continue
    }
    if (text.startsWith('filename ')) paths[oid] = unquoted(text.slice('filename '.length))
    else if (!UNCOMMITTED_OID.test(oid)) applyHeader(commits[oid]!, text)
  }
  return { runs, commits }
}

function applyHeader(commit: BlameCommit, text: string) {
  const end = text.indexOf(' ')
  const [name, value] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)]
  if (name === 'author') commit.author = value
  else if (name === 'author-mail') commit.email = value.replace(/^<|>$/g, '')
  else if (name === 'author-time') commit.date = unixToIso(value)
  else if (name === 'summary') commit.subject = value
  else if (name === 'boundary') commit.boundary = true
}
