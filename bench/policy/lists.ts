// The lists of command lines that the row `policy` submits.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Target } from '../measurement.ts'

const LINES_FOLDER = path.join(import.meta.dirname, 'lines')
const CORPUS_FOLDER = path.resolve(import.meta.dirname, '../../test/corpus')
const HOSTILE_GROUPS = new Set(['strong', 'obfuscated', 'blocked'])

export interface LineList {
  name: string
  lines: readonly string[]
  /** For the share of lines that run without approval. */
  target?: Target
}

interface CorpusCase {
  group: string
  command?: string
  command_gen?: readonly (readonly [text: string, times: number])[]
}

export const loadLists = (): LineList[] => [
  {
    name: 'read-only lines that agents type',
    lines: readLines(path.join(LINES_FOLDER, 'read-only.txt')),
    target: { bound: 'at least', plus: 97 }
  },
  {
    name: 'lines that tests of other tools call safe',
    lines: readLines(path.join(LINES_FOLDER, 'safe-elsewhere.txt')),
    target: { bound: 'at least', plus: 95 }
  },
  { name: 'real lines of scripts, documentation and CI', lines: readLines(path.join(LINES_FOLDER, 'real.txt')) },
  { name: 'hostile lines', lines: [...new Set(readHostileLines())] }
]

const readLines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')

function readHostileLines(): string[] {
  const { cases } = JSON.parse(readFileSync(path.join(CORPUS_FOLDER, 'commands.json'), 'utf8')) as {
    cases: readonly CorpusCase[]
  }
  const shell = (level: string) => readLines(path.join(CORPUS_FOLDER, 'shell', `${level}.txt`))
  return [
    ...cases.filter(({ group }) => HOSTILE_GROUPS.has(group)).map(toCommand),
    ...shell('strict'),
    ...shell('block')
  ]
}

const toCommand = ({ command, command_gen = [] }: CorpusCase) =>
  command ?? command_gen.map(([text, times]) => text.repeat(times)).join('')
