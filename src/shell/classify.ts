// One simple command, with all it runs in turn: how much of a decision each needs, and why.

import { refusedCommand } from './blocked-commands.ts'
import type { CommandClass, Operand, SubCommand, Surroundings } from './command-line-analysis.ts'
import type { Finding, Run } from './commands/classification.ts'
import { STEERED, steers } from './commands/unsafe-variables.ts'
import { type Redirect, type Simple, staysWithin, sterner, TOO_DEEP, type Word } from './parsed-command-line.ts'
import { programOf } from './program-classifiers.ts'

/** Programs that run programs that run programs. */
const DEEPEST = 8

/** Reads a text that a command hands to a shell: its parts, and what else is in it. */
type ReadInner = (script: string) => readonly SubCommand[]

/** The command's own part first, then those it runs. */
export function classify(simple: Simple, surroundings: Surroundings, readInner: ReadInner, depth = 0): SubCommand[] {
  const verdict = new Verdict()
  const [name] = simple.words
  const refused = refusedCommand(simple, surroundings)
  if (refused !== undefined) verdict.raise('block', refused)
  for (const { name: variable, value } of simple.assignments) {
    if (steers(variable)) verdict.raise('strict', STEERED)
    else if (value === undefined || /[$`]/.test(value))
      verdict.raise('strict', 'It sets a variable to what cannot be told.')
    else verdict.raise('ask', 'It sets a variable.')
  }
  const inner: SubCommand[] = []
  let prefix: readonly string[] | undefined
  let configured = false
  let writesGit = false
  if (name) {
    const found = ofProgram(name, simple.words.slice(1))
    verdict.raise(found.class, found.reason)
    configured = found.configured ?? false
    writesGit = found.writes_git ?? false
    verdict.operands.push(...(found.operands ?? []))
    if (found.prefix && found.class === 'ask') prefix = [name.guess, ...found.prefix]
    for (const doubt of doubts(simple.words, found)) verdict.raise(...doubt)
    if (found.runs && depth >= DEEPEST) verdict.raise(TOO_DEEP.class, TOO_DEEP.reason)
    else for (const run of found.runs ?? []) inner.push(...ofRun(run, simple, surroundings, readInner, depth + 1))
    for (const { body } of simple.redirects)
      if (body !== undefined && isShell(name.guess)) inner.push(...readInner(body))
    if (found.runs && feedsUnseen(simple, found.runs)) verdict.raise('strict', 'What it is fed cannot be told.')
  }
  for (const redirect of simple.redirects) ofRedirect(redirect, verdict)
  if (!name) verdict.raise('ask', 'It runs no program.')
  for (const part of inner) if (sterner(part.class, verdict.class)) verdict.raise(part.class, part.reason)
  if (simple.cwd === null && verdict.operands.length > 0)
    verdict.raise('ask', 'It runs in a folder that cannot be told.')
  const literal = simple.words.every(word => word.value !== undefined) && simple.assignments.length === 0
  const own: SubCommand = {
    text: simple.text,
    argv: literal && simple.words.length > 0 ? simple.words.map(({ guess }) => guess) : undefined,
    class: verdict.class,
    reason: verdict.reason,
    operands: verdict.operands,
    ...(simple.cwd !== undefined && { cwd: simple.cwd }),
    ...(configured && { configured }),
    ...(writesGit && { writes_git: writesGit }),
    prefix: literal && verdict.class === 'ask' && inner.length === 0 ? prefix : undefined
  }
  return [own, ...inner.map(part => ({ ...part, inner: true as const }))]
}

class Verdict {
  class: CommandClass = 'auto'
  reason = 'Only reads.'
  operands: Operand[] = []

  raise(level: CommandClass, reason: string) {
    if (!sterner(level, this.class) && !(level === 'auto' && this.class === 'auto')) return
    this.class = level
    this.reason = reason
  }
}

function ofProgram(name: Word, args: readonly Word[]): Finding {
  if (name.value === undefined && name.doubt !== undefined) {
    const worst = programOf(name.guess)(args.map(({ guess }) => guess))
    return {
      ...worst,
      class: 'strict',
      reason: 'What it runs cannot be told before it does.',
      operands: worst.operands ?? []
    }
  }
  if (name.guess === '') return { class: 'strict', reason: 'It names no program.' }
  return programOf(name.guess)(args.map(asArgument))
}

/** A pattern stands for the folder it looks in. */
function asArgument({ guess, doubt }: Word): string {
  if (doubt !== 'pattern' || guess.startsWith('-')) return guess
  const before = guess.slice(0, guess.search(/[*?[]/) + 1)
  const folder = before.lastIndexOf('/')
  return folder < 0 ? '.' : guess.slice(0, folder + 1)
}

const HARMLESS_VARIABLES =
  /^"?\$\{?(?:HOME|PWD|OLDPWD|USER|SHELL|LANG|RANDOM|SECONDS|LINENO|HOSTNAME|UID|[?#@*$!0-9])\}?"?$/

/** What a word that is not literal means for a program that goes by it. */
function* doubts(words: readonly Word[], found: Finding): Generator<[CommandClass, string]> {
  const ends = words.findIndex(({ value }) => value === '--')
  for (const [at, { doubt, raw, guess, bound, steady }] of words.entries()) {
    if (doubt === undefined) continue
    if (
      steady &&
      at > 0 &&
      (ends < 0 || at < ends || doubt === 'variable') &&
      (doubt === 'variable' ? !found.touches : found.takes?.some(flag => raw.startsWith(flag)))
    )
      continue
    if (doubt === 'home') yield ['strict', `${raw} is in the home folder.`]
    else if (at === 0) yield ['strict', 'What it runs cannot be told before it does.']
    else if (doubt === 'pattern') {
      const last = guess.slice(guess.slice(0, guess.search(/[*?[]/) + 1).lastIndexOf('/') + 1)
      yield last.startsWith('.') && found.touches
        ? ['strict', `${raw} may stand for files that do not show.`]
        : ['ask', `${raw} stands for what it finds when it runs.`]
    } else if (found.touches) yield ['strict', `What it touches cannot be told: ${raw}`]
    else if (doubt === 'variable' && !bound && !HARMLESS_VARIABLES.test(raw) && found.class === 'auto')
      yield ['strict', `${raw} may show what the environment holds.`]
    else if (/\$\{?HOME\b/.test(raw) && raw.includes('/')) yield ['strict', `${raw} is in the home folder.`]
    else yield ['ask', `${raw} is not literal.`]
  }
}

function ofRun(
  run: Run,
  simple: Simple,
  surroundings: Surroundings,
  readInner: ReadInner,
  depth: number
): readonly SubCommand[] {
  if ('script' in run) return readInner(run.script)
  // Counted without the program's name.
  const words = simple.words.slice(run.from + 1, run.until === undefined ? undefined : run.until + 1)
  if (words.length === 0) return []
  const text = words.map(({ raw }) => raw).join(' ')
  const parts = classify(
    { text, words, assignments: [], redirects: [], cwd: simple.cwd, ...(simple.fed && { fed: simple.fed }) },
    surroundings,
    readInner,
    depth
  )
  return run.given
    ? parts.map(({ argv: _, prefix: __, ...part }) => ({ ...part, argv: undefined, prefix: undefined }))
    : parts
}

const SHELL = /^(?:ba|da|z|k|a)?sh$/
const isShell = (word: string) => SHELL.test(word.slice(word.lastIndexOf('/') + 1))

/** Programs that print names of files within the folders they are given, and nothing else. */
const LISTS = new Set(['find', 'ls', 'rg', 'grep', 'git', 'fd', 'sort', 'head', 'tail', 'uniq'])

/** Whether words reach a command that nobody has seen. */
function feedsUnseen({ fed }: Simple, runs: readonly Run[]) {
  if (!fed || !runs.some(run => 'from' in run && run.given)) return false
  return !LISTS.has(fed.words[0]?.value ?? '')
}

function ofRedirect(redirect: Redirect, verdict: Verdict) {
  if (staysWithin(redirect)) return
  const { operator, target, body } = redirect
  if (body !== undefined) return verdict.raise('ask', 'It brings its input along.')
  if (target?.value === undefined) return verdict.raise('strict', 'Where its output or input goes cannot be told.')
  const { value } = target
  if (operator === '<') verdict.operands.push({ path: value, access: 'read' })
  else {
    verdict.raise('ask', `It writes ${value}.`)
    verdict.operands.push({ path: value, access: 'write' })
  }
}
