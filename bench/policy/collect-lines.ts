// Generates lines/real.txt: command lines from scripts of package.json, from code blocks of documentation, and from CI files.
//
// node bench/policy/collect-lines.ts <folder of clones, bare or not>
//
// The sample depends on the clones alone: lines are ordered by their hash, and the first are taken.
import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import { parse } from 'unbash'

const MAX_LINES = 4_500
const MAX_LINE_LENGTH = 300
const MAX_GIT_OUTPUT = 64 * 1024 * 1024
const OUT = path.join(import.meta.dirname, 'lines')

/** Folders with files that belong to other projects, or to tests. */
const FOREIGN = /(?:^|\/)(?:node_modules|vendor|fixtures?|deps|snapshots?|__\w+__|templates?)\//
const PRINTABLE = /^[\x20-\x7e]+$/
/** Matches what may be a credential, or a person's address. */
const PRIVATE =
  /[A-Za-z0-9+/_-]{40}|(?:token|secret|passw(?:or)?d|api_?key)\w*\s*[=:]\s*['"]?[^\s$'"{<]|\b[\w.+-]+@[\w-]+\.\w{2,}|:\/\/[^/\s]+:[^/\s]+@/i
/** Matches an expression that the CI system replaces. */
const EXPRESSION = /\$\{\{/

interface Extractor {
  files: RegExp
  extract(text: string): string[]
}

const EXTRACTORS: readonly Extractor[] = [
  { files: /(?:^|\/)package\.json$/, extract: readScripts },
  { files: /\.(?:md|mdx|markdown)$/i, extract: readCodeBlocks },
  { files: /^\.github\/workflows\/[^/]+\.ya?ml$/, extract: readSteps }
]

function readScripts(text: string): string[] {
  try {
    return Object.values((JSON.parse(text) as { scripts?: Record<string, unknown> }).scripts ?? {}).filter(
      script => typeof script === 'string'
    )
  } catch {
    return []
  }
}

const CODE_BLOCK = /^[ \t]*```[ \t]*(sh|bash|shell|zsh|console|shell-session|terminal)\b[^\n]*\n([\s\S]*?)^[ \t]*```/gm

/** Takes the lines after a prompt if there are any: the others are output then. */
function readCodeBlocks(text: string): string[] {
  return [...text.matchAll(CODE_BLOCK)].flatMap(([, , body = '']) => {
    const lines = joinContinuations(body)
    const prompted = lines.filter(line => /^[$%] /.test(line))
    return prompted.length > 0 ? prompted.map(line => line.slice(2)) : lines
  })
}

const STEP = /^([ \t-]*)run:[ \t]*(?:[|>][-+]?[ \t]*\n((?:\1[ \t]+[^\n]*\n|[ \t]*\n)*)|([^\n|>][^\n]*))/gm

function readSteps(text: string): string[] {
  const spaced = text.replaceAll(/^([ \t]*)- /gm, '$1  ')
  return [...spaced.matchAll(STEP)].flatMap(([, , block, line]) => (block ? joinContinuations(block) : [line ?? '']))
}

const joinContinuations = (text: string) => text.replaceAll(/[ \t]*\\\n[ \t]*/g, ' ').split('\n')

/** Matches what may begin a command: variables, and the name or path of a program. Most output begins otherwise. */
const COMMAND = /^(?:[A-Z_]+=\S* )*[a-z./~[][\w./+@-]*(?: |$)/

const isUsable = (line: string) =>
  line.length > 2 &&
  line.length <= MAX_LINE_LENGTH &&
  PRINTABLE.test(line) &&
  COMMAND.test(line) &&
  !PRIVATE.test(line) &&
  !EXPRESSION.test(line) &&
  !parse(line).errors?.length

const git = (clone: string, ...args: readonly string[]) =>
  execaSync('git', ['-C', clone, ...args], { stripFinalNewline: false, maxBuffer: MAX_GIT_OUTPUT }).stdout

function collectLines(clone: string): string[] {
  const names = git(clone, 'ls-tree', '-r', '--name-only', 'HEAD').split('\n')
  return names.flatMap(name => {
    const extractor = FOREIGN.test(name) ? undefined : EXTRACTORS.find(({ files }) => files.test(name))
    return extractor ? extractor.extract(git(clone, 'show', `HEAD:${name}`)) : []
  })
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

const folder = process.argv[2]
if (folder === undefined) throw new Error('Usage: node bench/policy/collect-lines.ts <folder of clones>')
const clones = readdirSync(folder)
  .sort()
  .map(name => path.join(folder, name))
const lines = [...new Set(clones.flatMap(collectLines).map(line => line.trim()))].filter(isUsable)
const sample = lines
  .map(line => ({ line, order: hash(line) }))
  .sort((a, b) => (a.order < b.order ? -1 : 1))
  .slice(0, MAX_LINES)
writeFileSync(path.join(OUT, 'real.txt'), sample.map(({ line }) => `${line}\n`).join(''))
const sources = clones.map(clone => `${path.basename(clone)} ${git(clone, 'rev-parse', 'HEAD')}`)
writeFileSync(path.join(OUT, 'real.sources.txt'), sources.join(''))
console.error(`${sample.length} of ${lines.length} lines from ${clones.length} repositories`)
