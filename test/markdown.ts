// Parses the documents: shell examples with their shown output, headings and links.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { once } from './support/wait.ts'

/**
 * A shell block marked `<!-- run -->`, with the block marked `<!-- gives -->` that follows it, if any. A block that no test can
 * run is marked `<!-- not run: reason -->`.
 */
export interface Example {
  line: number
  script: string
  gives?: { language: string; text: string }
}

interface CodeBlock {
  line: number
  language: string
  text: string
  mark: string | undefined
}

export function parseExamples(markdown: string): Example[] {
  const examples: Example[] = []
  for (const { line, language, text, mark } of parseCodeBlocks(markdown)) {
    if (mark === 'run') examples.push({ line, script: text })
    if (mark === 'gives') examples.at(-1)!.gives = { language, text }
  }
  return examples
}

export function parseCodeBlocks(markdown: string): CodeBlock[] {
  const lines = markdown.split('\n')
  const blocks: CodeBlock[] = []
  for (let i = 0; i < lines.length; i++) {
    const [, fence, language = ''] = /^(```+)(\w*)/.exec(lines[i]!) ?? []
    if (!fence) continue
    const end = lines.indexOf(fence, i + 1)
    const mark = /^<!-- (\w+|not run: .+) -->$/.exec(lines[i - 1] ?? '')?.[1]
    blocks.push({ line: i + 1, language, text: lines.slice(i + 1, end).join('\n'), mark })
    i = end
  }
  return blocks
}

export interface ExampleResult {
  stdout: string
  stderr: string
  code: number
}

/** Runs the examples sequentially in one shell, like a reader who copies them. */
export async function runExamples(
  examples: readonly Example[],
  { cwd, env }: { cwd: string; env: Record<string, string | undefined> }
): Promise<ExampleResult[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tg-docs-'))
  const file = (index: number, name: string) => path.join(folder, `${index}.${name}`)
  const script = examples.map(
    ({ script }, i) => `{\n${script}\n} > ${file(i, 'out')} 2> ${file(i, 'err')}; echo $? > ${file(i, 'code')}`
  )
  const main = path.join(folder, 'main.sh')
  writeFileSync(main, ["trap 'kill $(jobs -p) 2> /dev/null' EXIT", ...script].join('\n'))
  const shell = spawn('bash', [main], { cwd, env, stdio: 'ignore' })
  await once(shell, 'exit')
  const ran = examples.map((_, i) => ({
    stdout: readFileSync(file(i, 'out'), 'utf8'),
    stderr: readFileSync(file(i, 'err'), 'utf8'),
    code: Number(readFileSync(file(i, 'code'), 'utf8'))
  }))
  rmSync(folder, { recursive: true })
  return ran
}

/**
 * Returns whether the output matches a document. `…` matches anything: within a text, as the last item of a list, as a key beside
 * which there may be more, or as a line for any number of lines.
 */
export function matchesShown({ language, text }: { language: string; text: string }, output: string): boolean {
  if (language === 'json') return matchesShownJson(JSON.parse(text), JSON.parse(output))
  return matchesShownText(text.trimEnd(), output.trimEnd())
}

const WILDCARD = '…'

function matchesShownJson(shown: unknown, actual: unknown): boolean {
  if (shown === WILDCARD) return true
  if (typeof shown === 'string') return typeof actual === 'string' && matchesShownText(shown, actual)
  if (typeof shown !== 'object' || shown === null) return shown === actual
  if (typeof actual !== 'object' || actual === null || Array.isArray(shown) !== Array.isArray(actual)) return false
  if (Array.isArray(shown)) {
    const open = shown.at(-1) === WILDCARD
    const items = open ? shown.slice(0, -1) : shown
    const given = actual as unknown[]
    return (open || items.length === given.length) && items.every((item, i) => matchesShownJson(item, given[i]))
  }
  const wanted = Object.entries(shown).filter(([key]) => key !== WILDCARD)
  const given = actual as Record<string, unknown>
  const complete = WILDCARD in shown || Object.keys(given).length === wanted.length
  return complete && wanted.every(([key, value]) => Object.hasOwn(given, key) && matchesShownJson(value, given[key]))
}

/** Compares texts. Where the shown text has wildcards, columns of a table may be wider: values there differ in length. */
function matchesShownText(shown: string, actual: string): boolean {
  const toPattern = shown.includes(WILDCARD) ? toFlexiblePattern : escapeRegExp
  const pattern = shown
    .split('\n')
    .map(line => (line.trim() === WILDCARD ? '[\\s\\S]*?' : line.split(WILDCARD).map(toPattern).join('.*')))
    .join('\n')
  return new RegExp(`^${pattern}$`).test(actual)
}

const toFlexiblePattern = (text: string) => escapeRegExp(text).replaceAll(/ +/g, ' +')

const escapeRegExp = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns the anchors of a document's headings on the usual hosts, where a repeated heading gets a number. */
export function listAnchors(markdown: string): string[] {
  const seen = new Map<string, number>()
  return [...stripCodeBlocks(markdown).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const anchor = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

/** Returns the targets of a document's links and images, including those in HTML. */
export const listLinks = (markdown: string): string[] =>
  [...stripCodeBlocks(markdown).matchAll(LINK)].map(([, inline, named, html]) => inline ?? named ?? html!)
const LINK = /\]\(([^)\s]+)(?: "[^"]*")?\)|^\[[^\]]+\]: (\S+)|\b(?:href|src|srcset)="([^"\s]+)(?: [\d.]+[xw])?"/gm

/** Returns the broken links of a page: missing files or headings. */
export function findDeadLinks(page: string): string[] {
  return listLinks(readFileSync(page, 'utf8')).filter(link => {
    if (/^(?:https?|mailto):/.test(link)) return false
    const [file, anchor] = link.split('#') as [string, string?]
    const target = file === '' ? page : path.join(path.dirname(page), file)
    if (!existsSync(target)) return true
    return anchor !== undefined && !listAnchors(readFileSync(target, 'utf8')).includes(anchor)
  })
}

const stripCodeBlocks = (markdown: string) => markdown.replaceAll(/^```[\s\S]*?^```$/gm, '')
