// Classification of a simple command and the commands that it runs.

import { blockReasonForCommand, programName } from './blocked-commands.ts'
import { mayLeadElsewhere } from './bound-variables.ts'
import type { CommandClass, Containment, Operand, ProtectedResources, SubCommand } from './command-line-analysis.ts'
import type { Classification, WrappedCommand } from './commands/classification.ts'
import { findCommandsInWords } from './commands/commands-in-words.ts'
import { findContainment, isPublicVariable } from './commands/contained-programs.ts'
import { findOutwardReason } from './commands/outward-programs.ts'
import { isUnsafeVariable, SETS_UNSAFE_VARIABLE } from './commands/unsafe-variables.ts'
import {
  isHarmlessRedirect,
  isStricter,
  type Redirect,
  type SimpleCommand,
  TOO_DEEP,
  type Word
} from './parsed-command-line.ts'
import { findClassifier, isUnknownPath } from './program-classifiers.ts'
import { findProgramFacts } from './programs/programs.ts'

/** Maximum nesting of programs that run programs. */
const MAX_WRAPPER_DEPTH = 8

const UNCERTAIN_FOLDER = {
  class: 'ask',
  reason: 'The working directory cannot be determined.',
  contained: 'computes'
} as const

/** Classifies a script that a command passes to a shell. */
type ScriptClassifier = (script: string) => readonly SubCommand[]

/** Classifies a command: its own part first, then those that it runs. */
export function classifySimpleCommand(
  simple: SimpleCommand,
  surroundings: ProtectedResources,
  classifyScript: ScriptClassifier,
  depth = 0
): SubCommand[] {
  const verdict = new Verdict()
  const [name] = simple.words
  const blocked = blockReasonForCommand(simple, surroundings)
  if (blocked !== undefined) verdict.raise('block', blocked)
  for (const { name: variable, value, environment } of simple.assignments) {
    const contained = environment.length === 0 ? 'reads' : undefined
    if (isUnsafeVariable(variable)) verdict.raise('strict', SETS_UNSAFE_VARIABLE)
    else if (value === undefined || /[$`]/.test(value))
      verdict.raise('strict', 'Sets a variable to a value that cannot be determined.', contained)
    else verdict.raise('ask', 'Sets a variable.', contained)
  }
  const inner: SubCommand[] = []
  let prefix: readonly string[] | undefined
  let history: Pick<SubCommand, 'readsHistory' | 'gitFolder' | 'usesDiffProgram' | 'printsChanges' | 'printedObjects'> =
    {}
  let writesGit = false
  const found = name && classifyProgram(name, simple.words.slice(1))
  if (name && found) {
    verdict.raise(found.class, found.reason, found.contained)
    const { readsHistory, gitFolder, usesDiffProgram, printsChanges, printedObjects } = found
    history = {
      ...(readsHistory && { readsHistory }),
      ...(gitFolder !== undefined && { gitFolder }),
      ...(usesDiffProgram && { usesDiffProgram }),
      ...(printsChanges && { printsChanges }),
      ...(printedObjects && { printedObjects })
    }
    writesGit = found.writesGit ?? false
    verdict.operands.push(...(found.operands ?? []))
    if (found.prefix && found.class === 'ask') prefix = [name.unquoted, ...found.prefix]
    for (const doubt of expansionIssues(simple.words, found)) verdict.raise(...doubt)
    if (found.wrappedCommands && depth >= MAX_WRAPPER_DEPTH) verdict.raise(TOO_DEEP.class, TOO_DEEP.reason)
    else
      for (const run of found.wrappedCommands ?? [])
        inner.push(...classifyWrappedCommand(run, simple, surroundings, classifyScript, depth + 1))
    for (const { body } of simple.redirects)
      if (body !== undefined && isShell(name.unquoted))
        inner.push(...classifyScript(body).map(part => moveTo(simple.cwd, part)))
    if (found.wrappedCommands && receivesUnknownArguments(simple, found.wrappedCommands))
      verdict.raise('strict', 'The input of the command cannot be determined.', 'reads')
  }
  for (const redirect of simple.redirects) classifyRedirect(redirect, verdict)
  if (!name) verdict.raise('ask', 'Does not run a program.', 'reads')
  for (const part of inner) verdict.raise(part.class, part.reason, part.contained)
  if (simple.cwd === null && verdict.operands.length > 0)
    verdict.raise(UNCERTAIN_FOLDER.class, UNCERTAIN_FOLDER.reason, UNCERTAIN_FOLDER.contained)
  const literal = simple.words.every(word => word.value !== undefined) && simple.assignments.length === 0
  const outward =
    name && verdict.class !== 'auto' && verdict.containment === undefined
      ? findOutwardReason(programName(name.unquoted), simple.words.slice(1).map(toUnquoted))
      : undefined
  const runs =
    depth > 0
      ? []
      : findCommandsInWords(simple.words)
          .flatMap(line => classifyScript(line))
          .flatMap(certainWords)
  const own: SubCommand = {
    text: simple.text,
    ...(runs.length > 0 && { runs }),
    argv: literal && simple.words.length > 0 ? simple.words.map(({ unquoted }) => unquoted) : undefined,
    leadingWords: leadingWords(simple),
    class: verdict.class,
    reason: verdict.reason,
    ...(verdict.containment && { contained: containWords(simple, found, verdict.containment) }),
    operands: verdict.operands,
    ...(simple.cwd !== undefined && { cwd: simple.cwd }),
    ...history,
    ...(writesGit && { writesGit }),
    ...(found?.irrevocable && { irrevocable: true as const }),
    ...(outward !== undefined && { outward }),
    prefix: literal && verdict.class === 'ask' && inner.length === 0 ? prefix : undefined
  }
  return [own, ...inner.map(part => ({ ...part, inner: true as const }))]
}

/** Variables that are set before the program do not change its name. */
function leadingWords({ words }: SimpleCommand): string[] | undefined {
  const end = words.findIndex(({ value }) => value === undefined)
  if (end === 0) return undefined
  return (end < 0 ? words : words.slice(0, end)).map(({ unquoted }) => unquoted)
}

/**
 * Returns `computes` for a command that reads only by its name: words that are not literal may name any file, or be flags with which
 * it does more than read.
 */
function containWords(simple: SimpleCommand, found: Classification | undefined, contained: Containment): Containment {
  const { words, redirects } = simple
  const [name] = words
  const isFed = found?.wrappedCommands?.every(run => isFedSafely(run, simple)) ?? true
  const readsOnly = words.every(
    word =>
      word.value !== undefined ||
      (name !== undefined &&
        (findProgramFacts(name.unquoted)?.printsWords ||
          (isNamePattern(word) && findProgramFacts(name.unquoted)?.alwaysReads)))
  )
  const isLiteral = redirects.every(({ target }) => target === undefined || target.value !== undefined)
  return isFed && readsOnly && isLiteral ? contained : 'computes'
}

/** Returns true for a pattern in the last component of a path: one before may stand for links to folders. */
const isNamePattern = ({ expansion, unquoted }: Word) =>
  expansion === 'pattern' && !unquoted.slice(unquoted.search(/[*?[]/)).includes('/')

/** Returns true if the arguments that a wrapped command receives name files that a listed folder shows, and are no flags of consequence. */
function isFedSafely(run: WrappedCommand, { words, pipedFrom }: SimpleCommand): boolean {
  if (!('from' in run) || !run.appendsArguments) return true
  const program = words[run.from + 1]?.unquoted ?? 'echo'
  const { printsWords, alwaysReads } = findProgramFacts(program) ?? {}
  if (printsWords) return true
  const isFound = words[0]?.value === 'find' && !followsLinks(words)
  return alwaysReads === true && (isFound || (pipedFrom !== undefined && printsTree(pipedFrom)))
}

const followsLinks = (words: readonly Word[]) =>
  words.some(({ unquoted }) => /^-(?:[A-Za-z]*[LR]|-?follow$|-dereference)/.test(unquoted))

class Verdict {
  class: CommandClass = 'auto'
  reason = 'Only reads.'
  operands: Operand[] = []
  /** Containments of all causes so far; undefined for one that is not contained. */
  readonly #containments = new Set<Containment | undefined>()

  /** The containment of all causes together. */
  get containment(): Containment | undefined {
    if (this.#containments.has(undefined)) return undefined
    return this.#containments.has('computes') ? 'computes' : [...this.#containments][0]
  }

  raise(level: CommandClass, reason: string, contained?: Containment) {
    if (level !== 'auto') this.#containments.add(contained)
    if (!isStricter(level, this.class) && !(level === 'auto' && this.class === 'auto')) return
    this.class = level
    this.reason = reason
  }
}

function classifyProgram(name: Word, args: readonly Word[]): Classification {
  if (name.value === undefined && name.expansion !== undefined) {
    const worst = findClassifier(name.unquoted)(args.map(({ unquoted }) => unquoted))
    return {
      ...worst,
      class: 'strict',
      reason: 'The program to run cannot be determined.',
      operands: worst.operands ?? []
    }
  }
  if (name.unquoted === '') return { class: 'strict', reason: 'Contains no program name.' }
  const found = findClassifier(name.unquoted)(args.map(toArgument))
  if (found.contained || (found.class !== 'ask' && found.class !== 'strict') || isUnknownPath(name.unquoted))
    return found
  const words = args.map(toUnquoted)
  const contained = findContainment(programName(name.unquoted), words, found.class)
  return contained ? { ...found, contained } : found
}

const toUnquoted = ({ unquoted }: Word) => unquoted

/** Replaces a pattern by the folder that it searches. */
function toArgument({ unquoted, expansion }: Word): string {
  if (expansion !== 'pattern' || unquoted.startsWith('-')) return unquoted
  const before = unquoted.slice(0, unquoted.search(/[*?[]/) + 1)
  const folder = before.lastIndexOf('/')
  return folder < 0 ? '.' : unquoted.slice(0, folder + 1)
}

const HARMLESS_VARIABLES =
  /^"?\$\{?(?:HOME|PWD|OLDPWD|USER|SHELL|LANG|RANDOM|SECONDS|LINENO|HOSTNAME|UID|[?#@*$!0-9])\}?"?$/

/** Returns true if the word needs approval only where the command is not confined to reading. */
function isContainedWord(word: Word, { needsLiteralOperands }: Classification): boolean {
  const { expansion, raw, unquoted, environment = [] } = word
  if (expansion === 'home') return false
  if (expansion === 'pattern') return !lastPatternComponent(unquoted).startsWith('.')
  if (needsLiteralOperands) return environment.length === 0 && !mayLeadElsewhere(raw) && !raw.includes("$'")
  return environment.every(isPublicVariable)
}

/** Returns the first component of a path with a pattern, from its beginning. */
const lastPatternComponent = (unquoted: string) =>
  unquoted.slice(unquoted.slice(0, unquoted.search(/[*?[]/) + 1).lastIndexOf('/') + 1)

/** Yields issues of non-literal words, depending on the program. */
function* expansionIssues(
  words: readonly Word[],
  found: Classification
): Generator<[CommandClass, string, (Containment | undefined)?]> {
  const ends = words.findIndex(({ value }) => value === '--')
  for (const [at, word] of words.entries()) {
    const { expansion, raw, unquoted, loopVariable, safeExpansion } = word
    if (expansion === undefined) continue
    const contained = at > 0 && isContainedWord(word, found) ? 'reads' : undefined
    if (
      safeExpansion &&
      at > 0 &&
      (ends < 0 || at < ends || expansion === 'variable') &&
      (expansion === 'variable'
        ? !found.needsLiteralOperands
        : found.repeatableFlags?.some(flag => raw.startsWith(flag)))
    )
      continue
    if (expansion === 'home') yield ['strict', `${raw} is in the home folder.`]
    else if (at === 0) yield ['strict', 'The program to run cannot be determined.']
    else if (expansion === 'pattern') {
      yield lastPatternComponent(unquoted).startsWith('.') && found.needsLiteralOperands
        ? ['strict', `${raw} may match hidden files.`]
        : ['ask', `${raw} is resolved only when the command runs.`, contained]
    } else if (found.needsLiteralOperands)
      yield ['strict', `The files that the command uses cannot be determined: ${raw}`, contained]
    else if (expansion === 'variable' && !loopVariable && !HARMLESS_VARIABLES.test(raw) && found.class === 'auto')
      yield ['strict', `${raw} may print values of the environment.`, contained]
    else if (/\$\{?HOME\b/.test(raw) && raw.includes('/')) yield ['strict', `${raw} is in the home folder.`, contained]
    else yield ['ask', `${raw} is not literal: its value is known only when the command runs.`, contained]
  }
}

function classifyWrappedCommand(
  run: WrappedCommand,
  simple: SimpleCommand,
  surroundings: ProtectedResources,
  classifyScript: ScriptClassifier,
  depth: number
): readonly SubCommand[] {
  if ('script' in run) return classifyScript(run.script).map(part => moveTo(simple.cwd, part))
  // Indexes exclude the program's name.
  const words = simple.words.slice(run.from + 1, run.until === undefined ? undefined : run.until + 1)
  if (words.length === 0) return []
  const text = words.map(({ raw }) => raw).join(' ')
  const parts = classifySimpleCommand(
    {
      text,
      words,
      assignments: [],
      redirects: [],
      cwd: simple.cwd,
      ...(simple.pipedFrom && { pipedFrom: simple.pipedFrom })
    },
    surroundings,
    classifyScript,
    depth
  )
  return run.appendsArguments
    ? parts.map(({ argv: _, prefix: __, ...part }) => ({ ...part, argv: undefined, prefix: undefined }))
    : parts
}

/** Returns the words that are certain of the commands of a part. */
const certainWords = ({ leadingWords = [], runs = [] }: SubCommand) => [
  ...(leadingWords.length > 0 ? [leadingWords] : []),
  ...runs
]

/** Places a command of a script in the folder in which the script runs. */
function moveTo(folder: SimpleCommand['cwd'], part: SubCommand): SubCommand {
  const { cwd: own } = part
  if (folder === undefined || own === null || own?.startsWith('/')) return part
  if (folder !== null) return { ...part, cwd: own === undefined ? folder : `${folder}/${own}` }
  const isUncertain = part.class === 'auto' && part.operands.length > 0
  return { ...part, cwd: null, ...(isUncertain && UNCERTAIN_FOLDER) }
}

const SHELL = /^(?:ba|da|z|k|a)?sh$/
const isShell = (word: string) => SHELL.test(word.slice(word.lastIndexOf('/') + 1))

/** Returns true if the output consists of names of files, rather than of what files hold. */
function printsPaths({ words, pipedFrom }: SimpleCommand): boolean {
  const name = words[0]?.value ?? ''
  const { listsPaths, filtersLines } = findProgramFacts(name) ?? {}
  if (listsPaths === true || (listsPaths && words.slice(1).some(({ unquoted }) => listsPaths.test(unquoted))))
    return true
  return filtersLines === true && pipedFrom !== undefined && printsPaths(pipedFrom)
}

/** Returns true if the output consists of names of files in folders that the line names, links not followed, or that git tracks. */
function printsTree(command: SimpleCommand): boolean {
  const { words, pipedFrom } = command
  const [program, subcommand] = words.map(({ value }) => value)
  if (program === 'git') return subcommand === 'ls-files'
  if (program === 'find' || program === 'rg' || program === 'grep') return printsPaths(command) && !followsLinks(words)
  return findProgramFacts(program ?? '')?.filtersLines === true && pipedFrom !== undefined && printsTree(pipedFrom)
}

/** Returns true if a wrapped command receives unknown arguments from its input. */
function receivesUnknownArguments({ pipedFrom }: SimpleCommand, runs: readonly WrappedCommand[]) {
  if (!pipedFrom || !runs.some(run => 'from' in run && run.appendsArguments)) return false
  return !printsPaths(pipedFrom)
}

function classifyRedirect(redirect: Redirect, verdict: Verdict) {
  if (isHarmlessRedirect(redirect)) return
  const { operator, target, body } = redirect
  if (body !== undefined)
    return verdict.raise(
      'ask',
      'Contains the input of a command (here-document or here-string).',
      /[$`]/.test(body) ? undefined : 'reads'
    )
  if (target?.value === undefined) {
    const contained = operator === '<' && target?.environment?.length === 0 && !mayLeadElsewhere(target.raw)
    return verdict.raise('strict', 'The target of a redirect cannot be determined.', contained ? 'reads' : undefined)
  }
  const { value } = target
  if (operator === '<') verdict.operands.push({ path: value, access: 'read' })
  else {
    verdict.raise('ask', `Writes the file ${value}.`)
    verdict.operands.push({ path: value, access: 'write' })
  }
}
