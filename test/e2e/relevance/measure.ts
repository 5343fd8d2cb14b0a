// Measures how often the file that a question targets is among the first results, in this project's own sources.
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { execaSync } from 'execa'
import { parseQueryTerms } from '../../../src/text/code/query-terms.ts'

interface RelevanceQuestion {
  question: string
  /** Any of them answers it. */
  files: string[]
}

/** Questions as a newcomer to the code would ask them. Ranking was tuned on the one part, and never on the other. */
export const QUESTIONS: Record<'tuned' | 'held_out', RelevanceQuestion[]> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'questions.json'), 'utf8')
)

export interface Relevance {
  /** The share of questions whose file is among the first five, and the share whose file is first. */
  in_first_five: number
  first: number
  /** The mean of 1 / rank. */
  mean_reciprocal_rank: number
  missed: string[]
}

const PROJECT = path.resolve(import.meta.dirname, '../../..')
const COPIED_PATHS = [
  'src',
  'test',
  'docs',
  'bench',
  'scripts',
  'bin',
  'README.md',
  'CHANGELOG.md',
  'Dockerfile',
  'package.json'
]
/** Thousands of nearly empty files, and files that are not the project's own. */
const NOT_COPIED: ReadonlySet<string> = new Set(['test/scenarios', 'test/e2e/node_modules', 'bench/out'])
const TOP_RESULTS = 5

/** Copies the project, without the questions, as the search corpus. */
export function copyProject(root: string) {
  mkdirSync(root, { recursive: true })
  const wanted = (file: string) => file !== import.meta.dirname && !NOT_COPIED.has(path.relative(PROJECT, file))
  for (const part of COPIED_PATHS)
    cpSync(path.join(PROJECT, part), path.join(root, part), { recursive: true, filter: wanted })
}

/** `ask` returns the paths it finds, best first. */
export async function measureRelevance(
  asked: readonly RelevanceQuestion[],
  ask: (question: string) => Promise<string[]> | string[]
): Promise<Relevance> {
  const places: { question: string; place: number }[] = []
  for (const { question, files } of asked) {
    const found = await ask(question)
    places.push({ question, place: found.findIndex(file => files.includes(file)) })
  }
  const part = (fits: (place: number) => boolean) => places.filter(({ place }) => fits(place)).length / places.length
  const isEarly = (place: number) => place >= 0 && place < TOP_RESULTS
  return {
    in_first_five: part(isEarly),
    first: part(place => place === 0),
    mean_reciprocal_rank: places.reduce((sum, { place }) => sum + (place < 0 ? 0 : 1 / (place + 1)), 0) / places.length,
    missed: places.filter(({ place }) => !isEarly(place)).map(({ question }) => question)
  }
}

/** Baseline: ranks files by their count of the question's words. */
export function rankByRipgrep(root: string, question: string): string[] {
  const { words, originals } = parseQueryTerms(question)
  const patterns = words.flatMap(word => ['-e', originals[word] ?? word])
  const args = ['--no-config', '--count-matches', '--null', '--ignore-case', '--hidden', ...patterns, '--', './']
  return execaSync(rgPath, args, { cwd: root, lines: true })
    .stdout.flatMap(line => {
      const [file, count] = line.split('\0')
      return file && count ? [{ file: file.slice(2), count: Number(count) }] : []
    })
    .sort((a, b) => b.count - a.count || (a.file < b.file ? -1 : 1))
    .map(({ file }) => file)
}
